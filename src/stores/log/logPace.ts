import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { AppendContext, DomainEvent, EventLog } from './eventLog.ts';
import { isCaller, textBytes } from './logUsage.ts';
import { observedLog } from './observedLog.ts';

/** Smaller appends are never slowed down and do not count. */
const LARGE_BYTES = 16_384;
const BURST_BYTES = 4_194_304;
const BYTES_PER_SECOND = 2_097_152;
/** A user this far ahead gets 429 at the next command. */
const MOST_SECONDS = 4;
const REMEMBERED_USERS = 10_000;

/**
 * Slows a user's large events to 2 MiB a second after a burst of 4 MiB. Every append is synced together with all waiting ones: without this limit,
 * one user's template patches of 240 KB delayed the uploads of all other users.
 */
export class LogPace {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #users = new LRUCache<string, { readonly ahead: number; readonly at: number }>({ max: REMEMBERED_USERS });

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>) {
    this.#clock = clock;
  }

  /** Resolves when the append may start. Counts it at once, so that parallel appends wait for each other. */
  async wait({ subject, actor }: AppendContext, bytes: number): Promise<void> {
    if (bytes < LARGE_BYTES || !isCaller(actor)) return;
    const ahead = this.#aheadOf(subject);
    this.#users.set(subject, { ahead: ahead + bytes, at: this.#clock.monotonic() });
    const seconds = (ahead - BURST_BYTES) / BYTES_PER_SECOND;
    if (seconds > 0) await this.#clock.pause(seconds * 1_000);
  }

  /** Seconds until the user's next command is accepted; `null` if it is accepted now. */
  retryAfter(subject: string): number | null {
    const seconds = (this.#aheadOf(subject) - BURST_BYTES) / BYTES_PER_SECOND;
    return seconds > MOST_SECONDS ? Math.ceil(seconds) : null;
  }

  #aheadOf(subject: string): number {
    const known = this.#users.get(subject);
    if (!known) return 0;
    return Math.max(0, known.ahead - ((this.#clock.monotonic() - known.at) / 1_000) * BYTES_PER_SECOND);
  }
}

/** The log, with users' large events slowed down. */
export const pacedLog = (log: EventLog, pace: LogPace): EventLog =>
  observedLog(log, async (appends, append) => {
    for (const { context, events } of appends) if (isCaller(context.actor)) await pace.wait(context, sizeOf(events));
    return append();
  });

const sizeOf = (events: readonly DomainEvent[]): number => events.reduce((sum, { data }) => sum + textBytes(data), 0);
