import { forgetToken, isRefusal, proof, session, signOut } from '../shell/session.ts';
import { addressOf, type Query } from './address.ts';
import { errorOf, reach } from './errors.ts';

export interface RequestOptions {
  /** Empty members are left out; a list is repeated. */
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as plain text, in place of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The JSON of an answer. Throws `ApiError`, or the signal's reason. */
export const getJson = async <T>(path: string, options: RequestOptions = {}): Promise<T> => (await ask('GET', path, options)).json();

/** Like `getJson`, for changes; `undefined` if the answer has no body. */
export const send = async <T>(method: 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, options: RequestOptions = {}): Promise<T> => {
  const response = await ask(method, path, options);
  const text = await response.text();
  // The API's documents define the answers of operations.
  return (text === '' ? undefined : JSON.parse(text)) as T;
};

/** The successful answer itself, for headers and for content other than JSON. */
export const ask = async (method: string, path: string, options: RequestOptions = {}): Promise<Response> => {
  const response = await attempt(method, path, options);
  if (response.status !== 401) return checked(response);
  // A new token may be accepted, for instance after the server's keys were rotated.
  forgetToken();
  const again = session.value?.credential.kind === 'client' ? await attempt(method, path, options) : response;
  if (again.status === 401) signOut(session.value?.credential.kind === 'session' ? SESSION_ENDED : NOT_ACCEPTED);
  return checked(again);
};

const NOT_ACCEPTED = 'Your credential is no longer accepted: it was revoked, was rotated or has expired.';
const SESSION_ENDED = 'Your session has ended. Sign in again.';

/** A token that is due for renewal may also be refused: then the credential is invalid. */
const currentProof = async (): ReturnType<typeof proof> => {
  try {
    return await proof();
  } catch (error) {
    if (isRefusal(error)) signOut(NOT_ACCEPTED);
    throw error;
  }
};

const checked = async (response: Response): Promise<Response> => {
  if (!response.ok) throw await errorOf(response);
  notePosition(response);
  return response;
};

const attempt = async (method: string, path: string, { query, body, text, headers, signal }: RequestOptions): Promise<Response> => {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const current = await currentProof();
  const init: RequestInit = {
    method,
    credentials: current.credentials,
    headers: {
      ...current.headers,
      ...(content === undefined ? {} : { 'Content-Type': text === undefined ? 'application/json' : 'text/plain; charset=utf-8' }),
      ...(method === 'GET' ? waitingFor() : {}),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
    ...(signal ? { signal } : {}),
  };
  return reach(addressOf(path, query), init);
};

const PENDING_MILLISECONDS = 10_000;
let pending: { position: string; until: number } | null = null;

/** A change that the views did not show yet when it was answered: later reads wait for it. */
const notePosition = (response: Response): void => {
  const position = response.headers.get('Tributary-Position');
  if (response.headers.get('Tributary-Consistency') === 'pending' && position !== null)
    pending = { position, until: performance.now() + PENDING_MILLISECONDS };
};

const waitingFor = (): Record<string, string> => {
  if (pending && pending.until < performance.now()) pending = null;
  return pending ? { 'Tributary-After': pending.position } : {};
};
