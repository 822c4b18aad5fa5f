import { useEffect } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { ErrorNote } from '../parts/Notes.tsx';
import { Brand } from './Brand.tsx';
import { go } from './place.ts';
import { signInByLink } from './session.ts';

/** The page of a link from `tributary link`. Only the button uses the link up: programs that preview links do not. */
export const LinkSignIn = ({ token }: { readonly token: string }) => {
  const { busy, error, run } = useAction(async () => {
    await signInByLink(token);
    go([]);
  });
  useEffect(() => {
    document.title = 'Sign in · Tributary';
  }, []);
  return (
    <main class="sign-in">
      <div class="card">
        <Brand />
        <h1>Sign in</h1>
        <p>This link signs you in as an administrator. It works once, for 15 minutes.</p>
        {error && <ErrorNote error={error} />}
        <button type="button" class="button primary" disabled={busy} onClick={() => void run()}>
          {busy ? 'Signing in…' : 'Sign in as administrator'}
        </button>
        {error && <a href="#/">Sign in another way</a>}
      </div>
    </main>
  );
};
