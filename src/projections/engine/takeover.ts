import type { Clock } from '../../clock.ts';
import { type Position, StoreUnavailable } from '../../stores/eventStore.ts';
import { retrying } from '../../supervision/retrying.ts';
import type { Builds } from './builds.ts';
import type { BuildUpdater } from './buildUpdater.ts';

/** Steps of a complete build before it replaces the served one, so that readers switch in one step and never go back in time. */
export interface TakeoverDeps {
  readonly builds: Builds;
  readonly clock: Clock;
  /** Set when no other process reads or builds these read models. */
  readonly alone: boolean;
}

const LOOK_MILLISECONDS = 500;

/**
 * Creates the build's indexes. A serving node waits (until `signal` aborts) for an unavailable store, because no other node would finish the
 * switch, and the old build is dropped. Otherwise (`null`) rejects with `StoreUnavailable`.
 */
export const indexed = async (
  { builds, clock }: TakeoverDeps,
  { build, projection }: BuildUpdater,
  signal: AbortSignal | null,
): Promise<void> => {
  const retryIf = (error: unknown): boolean => error instanceof StoreUnavailable && signal !== null;
  await retrying(() => builds.index(build, projection), { clock, signal: signal ?? undefined, retryIf });
};

/** Resolves when the new build has handled what the old one has. Does not wait for an old build that stops or ends, nor after the signal aborts. */
export const caughtUp = async (
  deps: TakeoverDeps,
  updater: BuildUpdater,
  old: BuildUpdater | null,
  signal: AbortSignal | null,
): Promise<void> => {
  if (!old) return;
  const next = () => cameTo(old, deps);
  for (let target = await next(); target && !(updater.handled && updater.handled >= target); target = await next()) {
    const reached = await updater.reached(target, deps.clock.monotonic() + LOOK_MILLISECONDS);
    if (reached === 'stopped' || reached === 'ended' || signal?.aborted) return;
  }
};

/** The newest position that readers of a build may have seen; `null` if the build is not maintained. */
const cameTo = async (old: BuildUpdater, { alone }: TakeoverDeps): Promise<Position | null> => {
  if (old.state === 'live' || old.state === 'catching-up') return old.handled;
  return old.state === 'standby' && !alone ? old.look() : null;
};
