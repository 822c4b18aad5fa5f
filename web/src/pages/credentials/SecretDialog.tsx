import { CopyText } from '../../parts/CopyText.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Note } from '../../parts/Notes.tsx';
import type { IssuedCredential } from './credentials.ts';

/** The only time that a secret is seen. */
export const SecretDialog = ({ credential, onClose }: { readonly credential: IssuedCredential; readonly onClose: () => void }) => {
  const { label, kind, clientId, secret } = credential;
  return (
    <Dialog title={`Secret of “${label}”`} onClose={onClose} asks="The secret is not shown again. Close without it?">
      <div class="stack">
        <Note tone="warn">Copy it now. It is shown only once.</Note>
        <dl class="facts">
          {clientId !== undefined && (
            <>
              <dt>Client id</dt>
              <dd>
                <CopyText text={clientId} label="client id" />
              </dd>
            </>
          )}
          <dt>{kind === 'client' ? 'Client secret' : 'API key'}</dt>
          <dd>
            <CopyText text={secret} label="secret" />
          </dd>
        </dl>
        <p class="quiet">
          {kind === 'client' ? (
            <>
              Sent as the headers <code>X-Client-Id</code> and <code>X-Client-Secret</code>, or exchanged for an access token.
            </>
          ) : (
            <>
              Sent as the header <code>Authorization: Basic {'<API key>'}</code>.
            </>
          )}
        </p>
        <div class="actions">
          <button type="button" class="button primary" onClick={onClose}>
            I have stored it
          </button>
        </div>
      </div>
    </Dialog>
  );
};
