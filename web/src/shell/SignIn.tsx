import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { CheckField, TextField } from '../parts/Field.tsx';
import { ErrorNote, Note } from '../parts/Notes.tsx';
import { Brand } from './Brand.tsx';
import { type Credential, signedOutBecause, signIn } from './session.ts';

const KINDS = [
  ['api-key', 'API key'],
  ['client', 'Client credentials'],
] as const;

type Kind = Credential['kind'];

/** Asks for a credential, and whether this tab or this device keeps it: see `session.ts`. */
export const SignIn = () => {
  const [kind, setKind] = useState<Kind>('api-key');
  const [key, setKey] = useState('');
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  const [isKept, setKept] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { busy, error, run, clear } = useAction(signIn);
  const credential: Credential =
    kind === 'api-key' ? { kind, key: key.trim() } : { kind, clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  useEffect(() => {
    document.title = 'Sign in · Tributary';
  }, []);
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([type=radio])')?.focus(), [kind]);
  return (
    <main class="sign-in">
      <div class="card">
        <Brand />
        <h1>Sign in</h1>
        {signedOutBecause.value && !error && <Note tone="warn">{signedOutBecause.value}</Note>}
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            void run(credential, isKept ? localStorage : sessionStorage);
          }}
        >
          <fieldset class="switch wide">
            <legend class="visually-hidden">Kind of credential</legend>
            {KINDS.map(([value, label]) => (
              <label key={value}>
                <input
                  type="radio"
                  name="kind"
                  checked={kind === value}
                  onChange={() => {
                    clear();
                    setKind(value);
                  }}
                />
                {label}
              </label>
            ))}
          </fieldset>
          {kind === 'api-key' ? (
            <TextField label="API key" type="password" value={key} onInput={setKey} required autocomplete="current-password" />
          ) : (
            <>
              <TextField label="Client id" value={clientId} onInput={setClientId} required autocomplete="username" />
              <TextField
                label="Client secret"
                type="password"
                value={clientSecret}
                onInput={setClientSecret}
                required
                autocomplete="current-password"
              />
            </>
          )}
          <CheckField
            label="Stay signed in on this device"
            checked={isKept}
            onChange={setKept}
            hint="Keeps the credential in this browser until you sign out. Otherwise it is kept until you close the tab."
          />
          {error && <ErrorNote error={error} />}
          <button type="submit" class="button primary" disabled={busy}>
            {busy ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
        <p class="quiet small">The first start of the server prints an administrator's credentials. Administrators issue further ones.</p>
        <details class="small">
          <summary>Lost the key?</summary>
          <p class="quiet">
            On the server's machine, run <code>npx tributary credentials create --kind api-key --role admin --label mine</code>. It prints a
            new key.
          </p>
        </details>
      </div>
    </main>
  );
};
