import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { CopyText } from '../../parts/CopyText.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { ErrorNote } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { rotateSecret, secretOf } from './webhooks.ts';

/** The signing secret, shown on request. */
export const Secret = ({ id }: { readonly id: string }) => {
  const [secret, setSecret] = useState<string | null>(null);
  const [previousUntil, setPreviousUntil] = useState<string | null>(null);
  const { busy, error, run } = useAction(async () => setSecret((await secretOf(id)).secret));
  return (
    <Card
      title="Signing secret"
      actions={
        <ConfirmButton
          label="Rotate"
          onConfirm={async () => {
            const rotated = await rotateSecret(id);
            setSecret(rotated.secret);
            setPreviousUntil(rotated.previousValidUntil);
          }}
        >
          A new secret signs from now on. The old one also signs for 24 hours, so that your receiver can change over without losing
          anything.
        </ConfirmButton>
      }
    >
      {error && <ErrorNote error={error} />}
      {secret === null ? (
        <button type="button" class="button" disabled={busy} onClick={() => void run()}>
          Show secret
        </button>
      ) : (
        <CopyText text={secret} label="signing secret" />
      )}
      {previousUntil !== null && (
        <p class="quiet small">
          The previous secret also signs until <Time at={previousUntil} exact />.
        </p>
      )}
    </Card>
  );
};
