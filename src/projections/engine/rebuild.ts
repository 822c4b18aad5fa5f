import type { Clock } from '../../clock.ts';
import { conflict, unavailable } from '../../domain/problem.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { type Build, type Builds, leaseOf } from './builds.ts';
import type { BuildUpdater } from './buildUpdater.ts';
import { type RebuildOptions, reported } from './rebuildProgress.ts';
import type { RunningUpdaters } from './runningUpdaters.ts';

export interface RebuildDeps {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'length'>;
  readonly builds: Builds;
  readonly leases: Leases;
}

const LOOK_MILLISECONDS = 500;
/** How long to wait for another node to start a requested rebuild. Nodes look every two seconds. */
const UNTAKEN_MILLISECONDS = 5_000;

/** Resolves to `true` once the build is complete, to `false` when it ends before or (if asked) stops. Rejects with the signal's reason. */
export const isBuilt = async (updater: BuildUpdater, signal: AbortSignal | undefined, orStopped = false): Promise<boolean> => {
  while (updater.build.phase !== 'active') {
    if (updater.state === 'ended' || (orStopped && updater.state === 'stopped')) return false;
    signal?.throwIfAborted();
    await updater.changed(signal);
  }
  return true;
};

/** Like `isBuilt`, but rejects with the reason if the build ends incomplete. */
export const whole = async (updater: BuildUpdater, signal: AbortSignal | undefined): Promise<void> => {
  if (!(await isBuilt(updater, signal, true))) throw notBuilt(updater.build);
};

/**
 * Waits for another node to start the requested build, and builds it here if none does. Does not switch over to the build: the serving node
 * does that.
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

/** Drops a build that cannot be completed. */
export const givenUp = async ({ builds }: Pick<RebuildDeps, 'builds'>, updater: BuildUpdater, runs: RunningUpdaters): Promise<void> => {
  await runs.stop(updater);
  await builds.drop(updater.build);
};

/** Whether another node has started the requested build in time. */
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

/** Waits until another node has completed the build. Withdraws the request and rejects if the build stops. */
const builtElsewhere = async ({ clock, builds }: RebuildDeps, updater: BuildUpdater, signal: AbortSignal | undefined): Promise<void> => {
  for (;;) {
    const record = await builds.get(updater.build.collection);
    if (record?.phase === 'active') return;
    if (!record || record.phase === 'retired') throw unavailable('The rebuild was canceled.');
    if (record.stopped) {
      // The building node sees the withdrawal and drops the build.
      await builds.save({ ...record, phase: 'retired' });
      throw notBuilt(record);
    }
    await updater.look();
    await clock.pause(LOOK_MILLISECONDS, signal);
    signal?.throwIfAborted();
  }
};

/** Why the build ended incomplete. */
const notBuilt = ({ name, stopped }: Build): Error => {
  if (!stopped) return unavailable('The rebuild was stopped before it finished.');
  const { position, eventType, reason } = stopped;
  return conflict(`The rebuild of ${name} stopped at position ${position} (${eventType}): ${reason}. The old read model is still served.`);
};
