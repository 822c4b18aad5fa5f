import type { IncomingHttpHeaders } from 'node:http';
import type { RawQuery } from '../query/rawQuery.ts';

/** The credential that a caller presented, unverified. */
export type PresentedCredential =
  | { readonly form: 'none' }
  /** Not a possible credential. */
  | { readonly form: 'malformed' }
  | { readonly form: 'jwt'; readonly token: string }
  /** After `Basic `: an API key, or base64 of `client_id:client_secret`. */
  | { readonly form: 'basic'; readonly value: string }
  | { readonly form: 'pair'; readonly clientId: string; readonly clientSecret: string }
  | { readonly form: 'api-key'; readonly key: string }
  /** Accepted for realtime sessions only. */
  | { readonly form: 'client-secret'; readonly secret: string };

const NONE = { form: 'none' } as const;
const MALFORMED = { form: 'malformed' } as const;

/** Only the first one present counts: `Authorization`, then the `X-Client` headers, then the query. */
export const presentedCredential = (headers: IncomingHttpHeaders, rawQuery?: RawQuery): PresentedCredential => {
  if (headers.authorization !== undefined) return fromAuthorization(headers.authorization);
  const id = headers['x-client-id'];
  const secret = headers['x-client-secret'];
  if (id !== undefined || secret !== undefined) return pair(id, secret);
  return rawQuery === undefined || rawQuery.text === '' ? NONE : fromQuery(rawQuery);
};

/** `<scheme> <value>`, as in `Authorization` and a WebSocket's `Sec-WebSocket-Protocol`. The scheme is case-insensitive. */
export const fromAuthorization = (text: string): PresentedCredential => {
  const [, scheme = '', value = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(text) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { form: 'jwt', token: value };
    case 'basic':
      return { form: 'basic', value };
    default:
      return MALFORMED;
  }
};

export interface ClientPair {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The base64 pair after `Basic `; `null` if it is not a pair. */
export const decodePair = (value: string): ClientPair | null => {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // An API key in this alphabet decodes to noise, which is not a pair.
  return colon > 0 && !text.includes('\ufffd') ? { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) } : null;
};

const fromQuery = (rawQuery: RawQuery): PresentedCredential => {
  const [ids, secrets, tokens] = [rawQuery.valuesOf('client_id'), rawQuery.valuesOf('client_secret'), rawQuery.valuesOf('access_token')];
  if (ids.length > 0 || secrets.length > 0) return pair(ids, secrets);
  if (tokens.length === 0) return NONE;
  const token = single(tokens);
  if (!token) return MALFORMED;
  return keyOrToken({ form: 'jwt', token });
};

/** Accepts an API key as a bearer token: OpenAI's clients cannot send it in another way. */
export const keyOrToken = (presented: PresentedCredential): PresentedCredential =>
  presented.form === 'jwt' && !looksLikeJwt(presented.token) ? { form: 'api-key', key: presented.token } : presented;

type Given = string | readonly (string | null)[] | undefined;

const pair = (id: Given, secret: Given): PresentedCredential => {
  const clientId = single(id);
  const clientSecret = single(secret);
  return clientId && clientSecret ? { form: 'pair', clientId, clientSecret } : MALFORMED;
};

/** The only value. One that cannot be decoded is `null`, which is never accepted. */
const single = (value: Given): string | null | undefined =>
  typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined;

// A JOSE header is a JSON object, so its base64 begins with `e` and one of the encodings of a quote or a space.
const looksLikeJwt = (text: string): boolean => /^e[wy][\w-]+\.[\w-]+\.[\w-]*$/.test(text);
