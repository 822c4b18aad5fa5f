import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { limitReached, Problem } from '../../domain/problem.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import type { LogUsage } from '../../stores/log/logUsage.ts';
import type { Route } from './route.ts';

/** Throws a `Problem` if the caller's commands are not accepted now. */
export type AdmitCommand = (caller: Caller) => void;

/** Throws 503 if the disk has no room for `bytes` more. */
export const checkRoom = (disk: Pick<DiskSpace, 'shortage'>, bytes = 0, what: 'uploads' | 'changes' = 'uploads'): void => {
  if (disk.shortage(bytes) !== null)
    throw new Problem('GENERAL_INTERNAL_ERROR', `The server has no disk space for ${what} at the moment. Try again later.`, {
      statusCode: 503,
      title: 'Unavailable',
      headers: { 'Retry-After': '30' },
    });
};

/**
 * Refuses a user's commands with 503 below the disk's watermark, and with 429 above the user's bytes in the log for this UTC day. The room below the
 * watermark is reserved for administrators, erasure, retention and the platform's own events.
 */
export const commandAdmission =
  ({ disk, logUsage }: { readonly disk: Pick<DiskSpace, 'shortage'>; readonly logUsage: Pick<LogUsage, 'retryAfter'> }): AdmitCommand =>
  (caller) => {
    if (hasRole(caller, 'admin')) return;
    checkRoom(disk, 0, 'changes');
    const untilTomorrow = logUsage.retryAfter(caller.subject);
    if (untilTomorrow !== null)
      throw limitReached('Your changes have reached the bytes that one user may write in a day. Try again tomorrow.', untilTomorrow);
  };

/** Whether a route may add to the disk. A deletion or cancellation happens once per resource, and frees more than it writes. */
export const isCommand = ({ method, allowedOnFullDisk }: Pick<Route, 'method' | 'allowedOnFullDisk'>): boolean =>
  method !== 'GET' && method !== 'DELETE' && allowedOnFullDisk !== true;
