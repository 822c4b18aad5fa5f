import { CopyText } from '../../parts/CopyText.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Note } from '../../parts/Notes.tsx';
import { Time } from '../../parts/Time.tsx';

interface SecretDialogProps {
  readonly secret: string;
  /** Until when the previous secret signs as well; `null` for the first one. */
  readonly previousUntil: string | null;
  readonly onClose: () => void;
}

/** The only time that the secret of a processor is shown. */
export const SecretDialog = ({ secret, previousUntil, onClose }: SecretDialogProps) => (
  <Dialog title="Secret of the processor" onClose={onClose} asks="The secret is not shown again. Close without it?">
    <div class="stack">
      <Note tone="warn">Copy it now. It is shown only once.</Note>
      <CopyText text={secret} label="processor secret" />
      <p class="quiet">
        Every request is signed with it. Start your processor with <code>TRIBUTARY_PROCESSOR_SECRET</code> set to it, so that it refuses
        requests from anyone else.
      </p>
      {previousUntil !== null && (
        <p class="quiet">
          The previous secret also signs until <Time at={previousUntil} exact />.
        </p>
      )}
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </div>
  </Dialog>
);
