import { conflict } from './problem.ts';

/** Of a request under an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
type Idempotency = { keyId: string; fingerprint: string } | null;

/** The result of an earlier request with the same key; `null` if there is none. Throws 409 if the key was used with another body. */
export const earlierOf = <Made extends { idempotency: Idempotency }>(made: readonly Made[], idempotency: Idempotency): Made | null => {
  const earlier = idempotency && made.find((one) => one.idempotency?.keyId === idempotency.keyId);
  if (!earlier) return null;
  if (earlier.idempotency?.fingerprint === idempotency.fingerprint) return earlier;
  throw conflict('This Idempotency-Key was used with another body. Use a new key.');
};
