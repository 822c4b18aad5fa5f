import { createHmac } from 'node:crypto';

/** Headers that identify and sign an attempt: https://www.standardwebhooks.com. */
export interface SignedHeaders {
  'webhook-id': string;
  /** Seconds since the epoch. */
  'webhook-timestamp': string;
  'webhook-signature': string;
}

const PREFIX = 'whsec_';

/** The key in a secret of the form `whsec_<base64>`. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');

/**
 * Signs one attempt with every secret that is valid now, newest first: a receiver accepts it when any signature fits. `now` in milliseconds
 * since the epoch.
 */
export const sign = (id: string, now: number, body: string, secrets: readonly string[]): SignedHeaders => {
  const timestamp = String(Math.floor(now / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
};
