import { createHash } from 'node:crypto';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { Json } from '../../json.ts';
import { canonicalJson } from '../../stores/canonicalJson.ts';

/** Distinguishes the keys of different owners and the bodies of different requests. `null` without an `Idempotency-Key`. */
export const idempotencyOf = (owner: string, key: string | null, request: Json) => {
  if (key === null) return null;
  return { keyId: uuidv5(owner, key), fingerprint: createHash('sha256').update(canonicalJson(request)).digest('hex') };
};
