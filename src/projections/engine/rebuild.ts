import type { Clock } from '../../clock.ts';
import { Problem, unavailable } from '../../domain/problem.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { type Build, type Builds, leaseOf } from './builds.ts';
import type { BuildUpdater } from './buildUpdater.ts';
import type { RebuildOptions } from './projectionEngine.ts';
import { reported } from './rebuildProgress.ts';
import type { RunningUpdaters } from './runningUpdaters.ts';

export interface RebuildDeps {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'head'>;
  readonly builds: Builds;
  readonly leases: Leases;
}

const LOOK_MILLISECONDS = 500;
/** A rebuild that was asked for is begun elsewhere within so long (nodes look every second), or nobody is there to do it. */
const UNTAKEN_MILLISECONDS = 5_000;

/** Until the build has been whole once; `false` when it ends before, or (if asked) stops. Rejects with the signal's reason. */
export const isBuilt = async (updater: BuildUpdater, signal: AbortSignal | undefined, orStopped = false): Promise<boolean> => {
  while (updater.build.phase !== 'active') {
    if (updater.state === 'ended' || (orStopped && updater.state === 'stopped')) return false;
    signal?.throwIfAborted();
    await updater.changed(signal);
  }
  return true;
};

/** The same; rejects with why it never became whole. */
export const whole = async (updater: BuildUpdater, signal: AbortSignal | undefined): Promise<void> => {
  if (!(await isBuilt(updater, signal, true))) throw notBuilt(updater.build);
};

/**
 * Of a build whose record has just been made: waits for the node that takes it up, and builds it here when none does. It does not take over here: who
 * serves sees it.
 */
export const builtByOthers = (
  deps: RebuildDeps,
  updater: BuildUpdater,
  { runs, stopping }: { readonly runs: RunningUpdaters; readonly stopping: AbortSignal | null },
  { signal, onProgress }: RebuildOptions,
): Promise<void> =>
  reported(deps, updater, onProgress, async () => {
    if (await isTakenUp(deps, updater.build, signal)) return builtElsewhere(deps, updater, signal);
    runs.begin(updater, stopping);
    try {
      await whole(updater, signal);
    } catch (error) {
      await givenUp(deps, updater, runs);
      throw error;
    }
    await runs.stop(updater);
  });

/** One that cannot be built is dropped. */
export const givenUp = async ({ builds }: Pick<RebuildDeps, 'builds'>, updater: BuildUpdater, runs: RunningUpdaters): Promise<void> => {
  await runs.stop(updater);
  await builds.drop(updater.build);
};

/** Whether another node has begun a build that was asked for; `false` when none has in time. */
const isTakenUp = async ({ clock, leases, builds }: RebuildDeps, build: Build, signal: AbortSignal | undefined): Promise<boolean> => {
  const until = clock.monotonic() + UNTAKEN_MILLISECONDS;
  while (clock.monotonic() < until) {
    await clock.pause(LOOK_MILLISECONDS, signal);
    signal?.throwIfAborted();
    if ((await leases.list()).some(({ name }) => name === leaseOf(build))) return true;
    if ((await builds.get(build.collection))?.phase !== 'building') return true;
  }
  return false;
};

/** Until another node has built it whole. Rejects when it stops, and gives it up then. */
const builtElsewhere = async ({ clock, builds }: RebuildDeps, updater: BuildUpdater, signal: AbortSignal | undefined): Promise<void> => {
  for (;;) {
    const record = await builds.get(updater.build.collection);
    if (record?.phase === 'active') return;
    if (!record || record.phase === 'retired') throw unavailable('The rebuild was canceled.');
    if (record.stopped) {
      // Whoever builds it sees this, and drops it.
      await builds.save({ ...record, phase: 'retired' });
      throw notBuilt(record);
    }
    await updater.look();
    await clock.pause(LOOK_MILLISECONDS, signal);
    signal?.throwIfAborted();
  }
};

/** Why a build never became whole. */
const notBuilt = ({ name, stopped }: Build): Error => {
  if (!stopped) return unavailable('The rebuild was stopped before it finished.');
  const { position, eventType, reason } = stopped;
  return new Problem(
    'GENERAL_CONFLICT_ERROR',
    `The rebuild of ${name} stopped at position ${position} (${eventType}): ${reason}. The old read model is still served.`,
  );
};
