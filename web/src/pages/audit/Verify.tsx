import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { counted } from '../../parts/format.ts';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { type Verdict, verify } from './audit.ts';

/** Hashes everything again: the whole log (`null`), or one event stream. */
export const VerifyButton = ({ eventStream }: { readonly eventStream: string | null }) => {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const { busy, error, run, clear } = useAction(async () => setVerdict(await verify(eventStream)));
  const isOpen = busy || error !== undefined || verdict !== null;
  const close = () => {
    clear();
    setVerdict(null);
  };
  return (
    <>
      <button type="button" class="button primary" disabled={busy} onClick={() => void run()}>
        Verify
      </button>
      {isOpen && (
        <Dialog title={eventStream === null ? 'The log' : eventStream} onClose={close}>
          <div class="stack" aria-live="polite">
            {busy && <p>Checking every event against its hash chain and the seals …</p>}
            {error && <ErrorNote error={error} />}
            {verdict && <Found verdict={verdict} />}
          </div>
        </Dialog>
      )}
    </>
  );
};

const Found = ({ verdict: { ok, checked, sealed, firstBroken } }: { readonly verdict: Verdict }) => (
  <>
    {ok ? (
      <Note tone="good">Verified: {counted(checked, 'event')}, nothing was changed.</Note>
    ) : (
      <Note tone="warn">
        <strong>Broken</strong> after {counted(checked, 'event')}: {firstBroken?.reason}
      </Note>
    )}
    <dl class="facts">
      {firstBroken?.eventStream !== undefined && (
        <>
          <dt>Where</dt>
          <dd>
            {firstBroken.eventStream}
            {firstBroken.revision !== undefined && `, revision ${firstBroken.revision}`}
          </dd>
        </>
      )}
      <dt>Sealed up to</dt>
      <dd>{sealed === null ? 'no seal yet' : <code>{sealed}</code>}</dd>
    </dl>
  </>
);
