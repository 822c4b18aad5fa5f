import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { TextField } from '../parts/Field.tsx';
import { ErrorNote, Note } from '../parts/Notes.tsx';
import { Brand } from './Brand.tsx';
import { type Credential, signedOutBecause, signIn } from './session.ts';

const KINDS = [
  ['api-key', 'API key'],
  ['client', 'Client credentials'],
] as const;

type Kind = Credential['kind'];

/** Asks for a credential. It stays in this tab: see `session.ts`. */
export const SignIn = () => {
  const [kind, setKind] = useState<Kind>('api-key');
  const [key, setKey] = useState('');
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  const { busy, error, run, clear } = useAction(signIn);
  const credential: Credential =
    kind === 'api-key' ? { kind, key: key.trim() } : { kind, clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  useEffect(() => {
    document.title = 'Sign in · Tributary';
  }, []);
  return (
    <main class="sign-in">
      <div class="card">
        <Brand />
        <h1>Sign in</h1>
        {signedOutBecause.value && !error && <Note tone="warn">{signedOutBecause.value}</Note>}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run(credential);
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
          {error && <ErrorNote error={error} />}
          <button type="submit" class="button primary" disabled={busy}>
            {busy ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
        <p class="quiet small">
          The first start of the server prints an administrator's credentials. Later ones are issued by an administrator, here or with{' '}
          <code>npx tributary credentials create</code>.
        </p>
      </div>
    </main>
  );
};
