import { LRUCache } from 'lru-cache';
import type { Keys } from '../stores/keys/openKeys.ts';

const REMEMBERED = 10_000;
const remembered = new WeakMap<Pick<Keys, 'derive'>, LRUCache<string, string>>();

/** The secret for a purpose, `whsec_<base64>` of 32 bytes (Standard Webhooks). Derived from the master key and not stored; deriving takes 0.2 ms. */
export const signingSecret = (keys: Pick<Keys, 'derive'>, purpose: string): string => {
  const known = remembered.get(keys) ?? new LRUCache<string, string>({ max: REMEMBERED });
  remembered.set(keys, known);
  const secret = known.get(purpose) ?? `whsec_${keys.derive(purpose).toString('base64')}`;
  known.set(purpose, secret);
  return secret;
};
