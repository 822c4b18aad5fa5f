import { readFileSync } from 'node:fs';

/**
 * Milliseconds of CPU that a thread has used, by `/proc/<task>/schedstat` (Linux); `null` where that cannot be read. Time on the wall would
 * blame a schema for a busy machine.
 */
export const threadCpu = (task: string | null): number | null => {
  if (task === null) return null;
  try {
    const nanoseconds = Number(readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
    return Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : null;
  } catch {
    return null;
  }
};
