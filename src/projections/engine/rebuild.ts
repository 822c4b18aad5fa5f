import type { Clock } from '../../clock.ts';
import { Problem, unavailable } from '../../domain/problem.ts';
import type { EventLog } from '../../stores/eventLog.ts';
import type { Leases } from '../../stores/leases.ts';
import { type Build, type Builds, leaseOf } from './builds.ts';
import { shareOf } from './lag.ts';
import type { RebuildOptions } from './projectionEngine.ts';
import type { Runner } from './runner.ts';

export interface RebuildDeps {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'head'>;
  readonly builds: Builds;
  readonly leases: Leases;
}

const LOOK_MILLISECONDS = 500;
/** A rebuild that was asked for is begun elsewhere within so long (nodes look every second), or nobody is there to do it. */
const UNTAKEN_MILLISECONDS = 5_000;

/** Whether another node has begun a build that was asked for; `false` when none has in time. */
export const isTakenUp = async (
  { clock, leases, builds }: RebuildDeps,
  build: Build,
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  const until = clock.monotonic() + UNTAKEN_MILLISECONDS;
  while (clock.monotonic() < until) {
    await clock.sleep(LOOK_MILLISECONDS, signal);
    if ((await leases.list()).some(({ name }) => name === leaseOf(build))) return true;
    if ((await builds.get(build.collection))?.phase !== 'building') return true;
  }
  return false;
};

/** Until another node has built it whole. Rejects when it stops, and gives it up then. */
export const builtElsewhere = async ({ clock, builds }: RebuildDeps, runner: Runner, signal: AbortSignal | undefined): Promise<void> => {
  for (;;) {
    const record = await builds.get(runner.build.collection);
    if (record?.phase === 'active') return;
    if (!record || record.phase === 'retired') throw unavailable('The rebuild was given up.');
    if (record.stopped) {
      // Whoever builds it sees this, and drops it.
      await builds.save({ ...record, phase: 'retired' });
      throw notBuilt(record);
    }
    await runner.look();
    await clock.sleep(LOOK_MILLISECONDS, signal);
  }
};

/** Why a build never became whole. */
export const notBuilt = ({ name, stopped }: Build): Error => {
  if (!stopped) return unavailable('The rebuild was ended before it was done.');
  const { position, eventType, reason } = stopped;
  return new Problem(
    'GENERAL_CONFLICT_ERROR',
    `The rebuild of ${name} stopped at position ${position} (${eventType}): ${reason}. The old documents are still served.`,
  );
};

/** Does the work, and tells twice a second and once at the end how far it is. */
export const reported = async (
  deps: RebuildDeps,
  runner: Runner,
  onProgress: RebuildOptions['onProgress'],
  work: () => Promise<void>,
): Promise<void> => {
  const over = new AbortController();
  const reporting = onProgress ? report(deps, runner, onProgress, over.signal) : Promise.resolve();
  try {
    await work();
  } finally {
    over.abort();
    await reporting;
  }
};

const report = async (
  { clock, log }: RebuildDeps,
  runner: Runner,
  onProgress: NonNullable<RebuildOptions['onProgress']>,
  signal: AbortSignal,
): Promise<void> => {
  const began = clock.monotonic();
  const tell = async () => {
    const share = shareOf(null, runner.handled, await log.head());
    const seconds = (clock.monotonic() - began) / 1_000;
    const secondsLeft = share ? (seconds / share) * (1 - share) : null;
    const { total: events } = runner.rate;
    const read = events > 0 ? { events, perSecond: runner.rate.perSecond() } : null;
    onProgress({ name: runner.projection.name, share, read, secondsLeft });
  };
  while (!signal.aborted) {
    await clock.sleep(LOOK_MILLISECONDS, signal).catch(() => undefined);
    await tell().catch(() => undefined);
  }
};
