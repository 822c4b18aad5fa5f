import type { WebhookEvent } from './types.ts';

export interface ReceivedWebhook {
  /** Headers of the request, with names in any case; also a `Headers` object. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as received, byte for byte. Do not parse and serialize it before. */
  readonly body: string | Uint8Array;
  /** Secret of the endpoint, or of the account for dynamic webhooks: `whsec_...`. Several during a rotation. */
  readonly secret: string | readonly string[];
  /** How many seconds its time may differ from now. Default: 300. */
  readonly tolerance?: number;
}

/** The request is not from the server, is too old, or was changed on the way. Answer 400 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Verifies a webhook as Standard Webhooks specifies, and returns its event. Rejects with a `WebhookVerificationError`. Ignore an `id` that you have already handled. */
export const verifyWebhook = async ({ headers, body, secret, tolerance = 300 }: ReceivedWebhook): Promise<WebhookEvent> => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('It has no signature.');
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  // Negated, so that NaN is refused too.
  if (!(age <= tolerance)) throw new WebhookVerificationError('Its time is too far from now.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
  for (const one of [secret].flat())
    if (await isSignedBy(one, signed, given)) return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  throw new WebhookVerificationError('Its signature does not fit.');
};

const headerOf = (headers: ReceivedWebhook['headers'], name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
};

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(first.byteLength + second.byteLength);
  bytes.set(first);
  bytes.set(second, first.byteLength);
  return bytes;
};

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** `verify` compares in constant time. */
const isSignedBy = async (secret: string, signed: Uint8Array<ArrayBuffer>, signatures: readonly string[]): Promise<boolean> => {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), HMAC, false, ['verify']);
  for (const one of signatures) if (await crypto.subtle.verify(HMAC, key, bytesOf(one), signed)) return true;
  return false;
};

/** Decodes base64. Returns empty bytes for anything else, which match no signature. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};
