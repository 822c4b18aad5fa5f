import { Problem } from '../../domain/problem.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';

/** Throws 503 if the disk has no room for `bytes` more: uploads stop before everything else. */
export const checkRoom = (disk: DiskSpace, bytes = 0): void => {
  if (disk.shortage(bytes) === null) return;
  throw new Problem('GENERAL_INTERNAL_ERROR', 'The server has no disk space for uploads at the moment. Try again later.', {
    statusCode: 503,
    title: 'Unavailable',
    headers: { 'Retry-After': '30' },
  });
};
