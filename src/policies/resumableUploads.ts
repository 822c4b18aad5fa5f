import type { Clock } from '../clock.ts';
import type { ResumableUploads } from '../commands/resumableUploads.ts';
import type { Logger } from '../logger.ts';
import type { Leases } from '../stores/leases/leases.ts';
import { underLease } from '../supervision/underLease.ts';

export interface ResumableUploadsPolicyDeps {
  readonly resumableUploads: ResumableUploads;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
}

const LONGEST_LOOK_MILLISECONDS = 60_000;

/** Discards resumable uploads whose time is over, within a minute. Runs on one node at a time until the signal aborts. Never rejects. */
export const runResumableUploadsPolicy = async (deps: ResumableUploadsPolicyDeps, signal: AbortSignal): Promise<void> => {
  const { resumableUploads: uploads, leases, clock, logger } = deps;
  const milliseconds = Math.min(LONGEST_LOOK_MILLISECONDS, uploads.expireMilliseconds / 4);
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'expiring resumable uploads failed; retrying');
  const expire = async (held: AbortSignal, progressed: () => void): Promise<void> => {
    while (!held.aborted) {
      const expired = await uploads.expire();
      if (expired > 0) logger.info({ uploads: expired }, 'unfinished resumable uploads expired');
      progressed();
      await clock.pause(milliseconds, held);
    }
  };
  await underLease((holding) => expire(holding.signal, holding.progressed), {
    leases,
    name: 'policy/resumableUploads',
    clock,
    signal,
    onFailure,
  });
};
