import { Problem } from '../../domain/problem.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { diskShareUsed } from '../server/admission.ts';

/** Throws 503 if the disk has no room for `bytes` more of anyone, and 429 if the user has no share left for them. */
export const checkRoom = (disk: DiskSpace, subject: string, bytes = 0): void => {
  if (disk.shortage(bytes) !== null)
    throw new Problem('GENERAL_INTERNAL_ERROR', 'The server has no disk space for uploads at the moment. Try again later.', {
      statusCode: 503,
      title: 'Unavailable',
      headers: { 'Retry-After': '30' },
    });
  if (disk.exceedsShare(subject, bytes)) throw diskShareUsed();
};
