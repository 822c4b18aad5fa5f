import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { limitReached, Problem } from '../../domain/problem.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import type { LogUsage } from '../../stores/log/logUsage.ts';
import type { Route } from './route.ts';

/** Throws a `Problem` if the caller's commands are not accepted now. */
export type AdmitCommand = (caller: Caller) => void;

/** 429 for a user who has used up the share of a disk that is short. */
const diskShareUsed = (): Problem =>
  limitReached(
    "The server's disk is nearly full, and you have used your share of the space that is left. Delete streams that you no longer need, or try again later.",
    30,
  );

/** Throws 503 if the disk has no room for `bytes` more of anyone, and 429 if the user has no share left for them. */
export const checkRoom = (
  disk: Pick<DiskSpace, 'shortage' | 'exceedsShare'>,
  subject: string,
  bytes = 0,
  what: 'uploads' | 'changes' = 'uploads',
): void => {
  if (disk.shortage(bytes) !== null)
    throw new Problem('GENERAL_INTERNAL_ERROR', `The server has no disk space for ${what} at the moment. Try again later.`, {
      statusCode: 503,
      title: 'Unavailable',
      headers: { 'Retry-After': '30' },
    });
  if (disk.exceedsShare(subject, bytes)) throw diskShareUsed();
};

/**
 * Refuses a user's commands with 503 below the disk's watermark, and with 429 above the user's share of a disk that is short, or above the
 * user's bytes in the log for this UTC day. The room below the watermark is reserved for administrators, erasure, retention and the platform's own events.
 */
export const commandAdmission =
  ({
    disk,
    logUsage,
  }: {
    readonly disk: Pick<DiskSpace, 'shortage' | 'exceedsShare'>;
    readonly logUsage: Pick<LogUsage, 'retryAfter'>;
  }): AdmitCommand =>
  (caller) => {
    if (hasRole(caller, 'admin')) return;
    checkRoom(disk, caller.subject, 0, 'changes');
    const untilTomorrow = logUsage.retryAfter(caller.subject);
    if (untilTomorrow !== null)
      throw limitReached('Your changes have reached the bytes that one user may write in a day. Try again tomorrow.', untilTomorrow);
  };

/** Whether a route may add to the disk. A deletion or cancellation happens once per resource, and frees more than it writes. */
export const isCommand = ({ method, allowedOnFullDisk }: Pick<Route, 'method' | 'allowedOnFullDisk'>): boolean =>
  method !== 'GET' && method !== 'DELETE' && allowedOnFullDisk !== true;
