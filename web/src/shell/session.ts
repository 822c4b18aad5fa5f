import { computed, signal } from '@preact/signals';
import { ApiError, errorOf, reach } from '../api/errors.ts';
import type { Caller, Role } from '../api/types.ts';

/** The credential of the session. */
export type Credential =
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'api-key'; readonly key: string };

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

/** Throws `ApiError` when the credential is not accepted. */
export const signIn = async (credential: Credential, storage: Storage = sessionStorage): Promise<void> => {
  token = null;
  const response = await reach('/credential-service/api/v1/credentials/self', {
    headers: { Authorization: await authorizationOf(credential) },
  });
  if (!response.ok) throw await errorOf(response);
  const caller: Caller = await response.json();
  forgetCredential();
  storage.setItem(KEY, JSON.stringify(credential));
  signedOutBecause.value = null;
  session.value = { credential, caller };
};

export const signOut = (because: string | null = null): void => {
  token = null;
  forgetCredential();
  signedOutBecause.value = because;
  session.value = null;
};

const forgetCredential = (): void => {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(KEY);
};

const keptIn = (): Storage | undefined => [sessionStorage, localStorage].find((one) => one.getItem(KEY) !== null);

/** The credential stored for this tab or device. */
export const keptCredential = (): Credential | null => {
  // Only `signIn` writes it.
  return JSON.parse(keptIn()?.getItem(KEY) ?? 'null') as Credential | null;
};

/** Signs in again with the credential stored for this tab or device. */
export const resumeSession = async (): Promise<void> => {
  const credential = keptCredential();
  if (!credential) return;
  try {
    await signIn(credential, keptIn());
  } catch (error) {
    const because = error instanceof ApiError ? error.message : 'You have been signed out.';
    if (isRefusal(error)) signOut(because);
    // An unreachable server does not make the credential wrong, so it is kept for the next reload.
    else signedOutBecause.value = `${because} Reload the page when it is back, or sign in again.`;
  }
};

/** Whether the server has refused the credential. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** The `Authorization` header of a request made now. */
export const authorization = (): Promise<string> => {
  if (!session.value) throw new Error('not signed in');
  return authorizationOf(session.value.credential);
};

/** Drops a token that the server has refused. */
export const forgetToken = (): void => {
  token = null;
};

let token: Promise<{ text: string; until: number }> | null = null;

const authorizationOf = async (credential: Credential): Promise<string> => {
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
