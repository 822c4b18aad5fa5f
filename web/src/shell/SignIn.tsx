import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { CheckField, TextField } from '../parts/Field.tsx';
import { ErrorNote, Note } from '../parts/Notes.tsx';
import { Brand } from './Brand.tsx';
import { place } from './place.ts';
import { refusalText } from './refusals.ts';
import { type KeptCredential, providerSignOut, signedOutBecause, signIn } from './session.ts';

const KINDS = [
  ['api-key', 'API key'],
  ['client', 'Client credentials'],
] as const;

type Kind = KeptCredential['kind'];

const byOrganisation = document.querySelector<HTMLMetaElement>('meta[name=tributary-sign-in]')?.content === 'organisation';

/** Signs in with the organisation's account where the server has an identity provider, otherwise with a key. */
export const SignIn = () => {
  useEffect(() => {
    document.title = 'Sign in · Tributary';
  }, []);
  const refusal = place.value.query.get('refused');
  return (
    <main class="sign-in">
      <div class="card">
        <Brand />
        <h1>Sign in</h1>
        {refusal !== null && <Note tone="warn">{refusalText(refusal)}</Note>}
        {signedOutBecause.value && <Note tone="warn">{signedOutBecause.value}</Note>}
        {providerSignOut.value && (
          <Note>
            You are signed out here. You may still be signed in to your organisation’s account.{' '}
            <a href={providerSignOut.value}>Sign out there too</a>
          </Note>
        )}
        {byOrganisation ? (
          <>
            <a class="button primary" href={`/sign-in/start?${new URLSearchParams({ to: returnPlace() })}`}>
              Sign in with your organisation
            </a>
            <details>
              <summary>Sign in with an API key</summary>
              <KeyForm />
            </details>
          </>
        ) : (
          <KeyForm />
        )}
      </div>
    </main>
  );
};

/** The place that a person wanted, to which they return from the provider. */
const returnPlace = (): string => (place.value.query.has('refused') ? '#/' : location.hash || '#/');

/** Asks for a credential, and whether this tab or this device keeps it: see `session.ts`. */
const KeyForm = () => {
  const [kind, setKind] = useState<Kind>('api-key');
  const [key, setKey] = useState('');
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  const [isKept, setKept] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { busy, error, run, clear } = useAction(signIn);
  const credential: KeptCredential =
    kind === 'api-key' ? { kind, key: key.trim() } : { kind, clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('input:not([type=radio])');
    if (!byOrganisation) field?.focus();
  }, [kind]);
  return (
    <>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          signedOutBecause.value = null;
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
          On the server's machine, run <code>npx tributary link</code>. It prints a link that signs you in as an administrator. Or run{' '}
          <code>npx tributary credentials create --kind api-key --role admin --label mine</code>, which prints a new key.
        </p>
      </details>
    </>
  );
};
