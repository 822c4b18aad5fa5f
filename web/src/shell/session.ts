import { computed, signal } from '@preact/signals';
import { ApiError, errorOf, reach } from '../api/errors.ts';
import type { Caller, Role } from '../api/types.ts';

/** The credential of the session. */
export type Credential =
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'api-key'; readonly key: string }
  /** The cookie of a person who signed in. */
  | { readonly kind: 'session' };

/** Kept by the browser. */
export type KeptCredential = Exclude<Credential, { kind: 'session' }>;

interface Session {
  readonly credential: Credential;
  readonly caller: Caller;
}

// Kept for this tab, or for this device if the user says so. web/README.md says why.
const KEY = 'tributary.credential';
// A token is renewed when it has less than this left.
const MARGIN_MILLISECONDS = 60_000;

export const session = signal<Session | null>(null);

/** Why a signed-in user sees the sign-in page. */
export const signedOutBecause = signal<string | null>(null);

export const hasRole = (...roles: readonly Role[]): boolean => session.value?.caller.roles.some((role) => roles.includes(role)) ?? false;
export const isAdmin = computed(() => hasRole('admin'));

/** Page of the identity provider where a person who has signed out here can sign out too. */
export const providerSignOut = signal<string | null>(null);

/** Throws `ApiError` when the credential is not accepted. */
export const signIn = async (credential: KeptCredential, storage: Storage = sessionStorage): Promise<void> => {
  token = null;
  const caller = await callerOf(credential);
  forgetCredential();
  storage.setItem(KEY, JSON.stringify(credential));
  begin(credential, caller);
};

const callerOf = async (credential: Credential): Promise<Caller> => {
  const response = await reach('/credential-service/api/v1/credentials/self', await proofOf(credential));
  if (!response.ok) throw await errorOf(response);
  return response.json();
};

const begin = (credential: Credential, caller: Caller): void => {
  signedOutBecause.value = null;
  providerSignOut.value = null;
  session.value = { credential, caller };
};

/** Uses up a sign-in link. Throws `ApiError` when it is not accepted. */
export const signInByLink = async (link: string): Promise<void> => {
  const { headers, credentials } = PROOF_OF_SESSION;
  const response = await reach('/sign-in/link', {
    method: 'POST',
    credentials,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: link }),
  });
  if (!response.ok) throw await errorOf(response);
  forgetCredential();
  begin(PERSON, await callerOf(PERSON));
};

/** Signs the user out. A session ends on the server, and lasts if that fails: its cookie can only be removed there. */
export const leave = async (): Promise<void> => {
  const own = session.value?.caller.session;
  if (!own) return signOut();
  const answer = await endSession(own.id);
  if (answer) signOut(null, answer);
  else signOut('The server could not end your session. Reload the page, and sign out again.');
};

/** `null` if the session may last. */
const endSession = async (sessionId: string): Promise<Response | null> => {
  try {
    const answer = await reach(`/credential-service/api/v1/sessions/${sessionId}`, { method: 'DELETE', ...PROOF_OF_SESSION });
    return answer.ok || answer.status === 401 ? answer : null;
  } catch {
    return null;
  }
};

/** `ended`: the server's answer to the end of the session. */
export const signOut = (because: string | null = null, ended?: Response): void => {
  token = null;
  forgetCredential();
  signedOutBecause.value = because;
  providerSignOut.value = ended?.headers.get('Tributary-Sign-Out') ?? null;
  session.value = null;
};

const forgetCredential = (): void => {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(KEY);
};

const keptIn = (): Storage | undefined => [sessionStorage, localStorage].find((one) => one.getItem(KEY) !== null);

/** The credential stored for this tab or device. */
export const keptCredential = (): KeptCredential | null => {
  // Only `signIn` writes it.
  return JSON.parse(keptIn()?.getItem(KEY) ?? 'null') as KeptCredential | null;
};

/** Signs in again with the credential stored for this tab or device, otherwise with the session's cookie. */
export const resumeSession = async (): Promise<void> => {
  const credential = keptCredential();
  try {
    if (credential) await signIn(credential, keptIn());
    else begin(PERSON, await callerOf(PERSON));
  } catch (error) {
    if (!credential && isRefusal(error)) return;
    const because = error instanceof ApiError ? error.message : 'You have been signed out.';
    if (isRefusal(error)) signOut(because);
    // An unreachable server does not make the credential wrong, so it is kept for the next reload.
    else signedOutBecause.value = `${because} Reload the page when it is back, or sign in again.`;
  }
};

/** Whether the server has refused the credential. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Proof of the sender of a request: a header, or the cookie that the browser adds. */
interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: RequestCredentials;
}

const PERSON: Credential = { kind: 'session' };
/** The server wants this header, which pages of other origins cannot send. */
export const PROOF_OF_SESSION: Proof = { headers: { 'X-Requested-With': 'Tributary' }, credentials: 'same-origin' };

/** The proof of a request made now. */
export const proof = (): Promise<Proof> => proofOf(present());

/** Scheme and value for a WebSocket's subprotocols; empty for a session, whose cookie the browser adds. */
export const socketProtocols = async (): Promise<string[]> => {
  const credential = present();
  return credential.kind === 'session' ? [] : (await authorizationOf(credential)).split(' ');
};

const present = (): Credential => {
  if (!session.value) throw new Error('not signed in');
  return session.value.credential;
};

const proofOf = async (credential: Credential): Promise<Proof> =>
  credential.kind === 'session' ? PROOF_OF_SESSION : { headers: { Authorization: await authorizationOf(credential) }, credentials: 'omit' };

/** Drops a token that the server has refused. */
export const forgetToken = (): void => {
  token = null;
};

let token: Promise<{ text: string; until: number }> | null = null;

const authorizationOf = async (credential: KeptCredential): Promise<string> => {
  if (credential.kind === 'api-key') return `Basic ${credential.key}`;
  if (token && (await token).until - MARGIN_MILLISECONDS < performance.now()) token = null;
  token ??= newToken(credential).catch((error: unknown) => {
    token = null;
    throw error;
  });
  return `Bearer ${(await token).text}`;
};

const realm = document.querySelector<HTMLMetaElement>('meta[name=tributary-realm]')?.content ?? 'tributary';

const newToken = async ({ clientId, clientSecret }: Extract<Credential, { kind: 'client' }>): Promise<{ text: string; until: number }> => {
  const asked = performance.now();
  const response = await reach(`/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
  });
  if (!response.ok) throw await errorOf(response);
  const { access_token: text, expires_in: seconds } = await response.json();
  return { text, until: asked + seconds * 1000 };
};
