import type { Clock } from '../../clock.ts';
import type { PendingDelivery } from '../../domain/delivery/state.ts';
import type { Logger } from '../../logger.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import { NewerVersion } from '../../stores/log/eventLog.ts';
import { afterPreparingFailed, type RetryTimes } from '../retryRules.ts';

interface PreparingDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly schedule: RetryTimes;
  /** From 0 to 1: the jitter. */
  readonly random: () => number;
}

interface Streak {
  /** Milliseconds since the epoch. */
  readonly since: number;
  failures: number;
  unexpected: number;
}

/** Counts the errors on this side that prevented attempts, by delivery. A streak is logged once, and once more if it ends the delivery. */
export class PreparingFailures {
  readonly #deps: PreparingDeps;
  readonly #streaks = new WeakMap<PendingDelivery, Streak>();

  constructor(deps: PreparingDeps) {
    this.#deps = deps;
  }

  /** Notes one more error. Returns what follows. */
  note(pending: PendingDelivery, error: unknown): ReturnType<typeof afterPreparingFailed> {
    const { clock, logger, schedule, random } = this.#deps;
    const now = clock.now();
    const streak = this.#streaks.get(pending) ?? { since: now, failures: 0, unexpected: 0 };
    this.#streaks.set(pending, streak);
    streak.failures += 1;
    if (!(error instanceof StoreUnavailable || error instanceof NewerVersion)) streak.unexpected += 1;
    const { deadline } = pending.scheduling;
    const next = afterPreparingFailed(schedule, { error, ...streak, now, deadline, random: random() });
    const about = { err: error, deliveryId: pending.delivery.deliveryId };
    if (streak.failures === 1) logger.warn(about, 'preparing a webhook failed; retrying');
    if (next.retryIn === null)
      logger.error({ ...about, reason: next.end.reason, tries: streak.failures }, 'delivery ended: its webhook could not be prepared');
    return next;
  }

  /** An attempt could be prepared. */
  forget(pending: PendingDelivery): void {
    this.#streaks.delete(pending);
  }
}
