import { createHash } from 'node:crypto';
import type { RunMemory } from '../processor.ts';

/**
 * Idempotency key of a request within a run, equal when the request is repeated: servers that know `Idempotency-Key` then neither work nor bill
 * twice. `null` outside a run.
 */
export const requestKey = (memory: RunMemory | undefined, request: string): string | null =>
  memory ? createHash('sha256').update(memory.key).update('\n').update(request).digest('hex') : null;
