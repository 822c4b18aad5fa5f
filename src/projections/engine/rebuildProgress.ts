import type { Clock } from '../../clock.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { every } from '../../supervision/every.ts';
import type { BuildUpdater } from './buildUpdater.ts';
import { shareOf } from './lag.ts';
import type { RebuildOptions } from './projectionEngine.ts';

export interface ProgressDeps {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'head'>;
}

const TELL_MILLISECONDS = 500;

/** Runs the work and reports its progress twice a second and once at the end. */
export const reported = async (
  deps: ProgressDeps,
  updater: BuildUpdater,
  onProgress: RebuildOptions['onProgress'],
  work: () => Promise<void>,
): Promise<void> => {
  const over = new AbortController();
  const reporting = onProgress ? report(deps, updater, onProgress, over.signal) : Promise.resolve();
  try {
    await work();
  } finally {
    over.abort();
    await reporting;
  }
};

const report = async (
  { clock, log }: ProgressDeps,
  updater: BuildUpdater,
  onProgress: NonNullable<RebuildOptions['onProgress']>,
  signal: AbortSignal,
): Promise<void> => {
  const began = clock.monotonic();
  const tell = async () => {
    const share = shareOf(null, updater.handled, await log.head());
    const seconds = (clock.monotonic() - began) / 1_000;
    const secondsLeft = share ? (seconds / share) * (1 - share) : null;
    const { total: events } = updater.rate;
    const read = events > 0 ? { events, perSecond: updater.rate.perSecond() } : null;
    onProgress({ name: updater.projection.name, share, read, secondsLeft });
  };
  await every(tell, { clock, milliseconds: TELL_MILLISECONDS, signal });
  // Report the final state.
  await tell().catch(() => undefined);
};
