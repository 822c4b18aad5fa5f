import type { IncomingHttpHeaders } from 'node:http';
import { decode } from '../input/parameters.ts';

/** What a caller showed. Nothing of it has been checked. */
export type PresentedCredential =
  | { readonly form: 'none' }
  /** Something that can be no credential. */
  | { readonly form: 'malformed' }
  | { readonly form: 'jwt'; readonly token: string }
  /** Behind `Basic `: an API key as it stands, else base64 of `client_id:client_secret`. */
  | { readonly form: 'basic'; readonly value: string }
  | { readonly form: 'pair'; readonly clientId: string; readonly clientSecret: string }
  | { readonly form: 'api-key'; readonly key: string };

const NONE = { form: 'none' } as const;
const MALFORMED = { form: 'malformed' } as const;

/** The first form present decides, whatever the others say: `Authorization`, then the `X-Client` headers, then the query. */
export const presentedCredential = (headers: IncomingHttpHeaders, rawQuery: string): PresentedCredential => {
  if (headers.authorization !== undefined) return fromAuthorization(headers.authorization);
  const id = headers['x-client-id'];
  const secret = headers['x-client-secret'];
  if (id !== undefined || secret !== undefined) return pair(id, secret);
  return rawQuery === '' ? NONE : fromQuery(rawQuery);
};

/** `<scheme> <value>`, as in `Authorization` and in a WebSocket's `Sec-WebSocket-Protocol`. The scheme's case does not matter. */
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

/** The pair in base64 behind `Basic `; `null` when it is none. */
export const decodePair = (value: string): ClientPair | null => {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // A key in this alphabet decodes to noise, which is no pair.
  return colon > 0 && !text.includes('\ufffd') ? { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) } : null;
};

const fromQuery = (rawQuery: string): PresentedCredential => {
  // Most queries hold none: they are not taken apart for it.
  if (!MAY_HOLD_ONE.test(rawQuery)) return NONE;
  const given = new Map<string, string[]>();
  for (const part of rawQuery.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    // A value that cannot be decoded is there all the same: the empty one, which nothing accepts.
    if (name === null || !NAMES.has(name)) continue;
    const values = given.get(name) ?? [];
    values.push((equals < 0 ? '' : decode(part.slice(equals + 1))) ?? '');
    given.set(name, values);
  }
  const [ids, secrets, tokens] = [given.get('client_id'), given.get('client_secret'), given.get('access_token')];
  if (ids || secrets) return pair(ids, secrets);
  if (!tokens) return NONE;
  const token = single(tokens);
  if (!token) return MALFORMED;
  return keyOrToken({ form: 'jwt', token });
};

/** Where a bearer token may also be an API key: clients of OpenAI can send nothing else. */
export const keyOrToken = (presented: PresentedCredential): PresentedCredential =>
  presented.form === 'jwt' && !looksLikeJwt(presented.token) ? { form: 'api-key', key: presented.token } : presented;

const NAMES = new Set(['client_id', 'client_secret', 'access_token']);
// With any percent sign a name may be hidden behind its encoding.
const MAY_HOLD_ONE = /client_id|client_secret|access_token|%/;

const pair = (id: string | readonly string[] | undefined, secret: string | readonly string[] | undefined): PresentedCredential => {
  const clientId = single(id);
  const clientSecret = single(secret);
  return clientId && clientSecret ? { form: 'pair', clientId, clientSecret } : MALFORMED;
};

const single = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined;

// A JOSE header is a JSON object: its base64 begins with `e` and what a quote or a space makes of the next bits.
const looksLikeJwt = (text: string): boolean => /^e[wy][\w-]+\.[\w-]+\.[\w-]*$/.test(text);
