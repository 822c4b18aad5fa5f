import { createHash } from 'node:crypto';
import type { RunMemory } from '../processor.ts';

/**
 * Names a request of a run, the same when it is made again: servers that know `Idempotency-Key` then neither work nor bill twice.
 * `null` outside of a run.
 */
export const requestKey = (memory: RunMemory | undefined, request: string): string | null =>
  memory ? createHash('sha256').update(memory.key).update('\n').update(request).digest('hex') : null;
