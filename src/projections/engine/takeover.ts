import type { Clock } from '../../clock.ts';
import { type Position, StoreUnavailable } from '../../stores/eventStore.ts';
import { retrying } from '../../supervision/retrying.ts';
import type { Builds } from './builds.ts';
import type { BuildUpdater } from './buildUpdater.ts';

/** What a build that is whole needs before it takes over from the one that is served: one step for readers, and never back in time. */
export interface TakeoverDeps {
  readonly builds: Builds;
  readonly clock: Clock;
  /** No other process reads or builds these read models. */
  readonly alone: boolean;
}

const LOOK_MILLISECONDS = 500;

/**
 * Makes its indexes. A node that serves (until `signal` aborts) waits for a store that is away: nobody would take it over to the new build later,
 * and the old one is dropped. Elsewhere (`null`) rejects with `StoreUnavailable`.
 */
export const indexed = async (
  { builds, clock }: TakeoverDeps,
  { build, projection }: BuildUpdater,
  signal: AbortSignal | null,
): Promise<void> => {
  const retryIf = (error: unknown): boolean => error instanceof StoreUnavailable && signal !== null;
  await retrying(() => builds.index(build, projection), { clock, signal: signal ?? undefined, retryIf });
};

/** Until the new build has handled what the old one has; for one that stops or ends, and when the signal aborts, it is not waited. */
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

/** As far as readers of a build may have seen; `null` for one that nobody keeps up to date. */
const cameTo = async (old: BuildUpdater, { alone }: TakeoverDeps): Promise<Position | null> => {
  if (old.state === 'live' || old.state === 'catching-up') return old.handled;
  return old.state === 'standby' && !alone ? old.look() : null;
};
