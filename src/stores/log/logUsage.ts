import { type Clock, DAY_MILLISECONDS } from '../../clock.ts';
import type { EventLog } from './eventLog.ts';
import { observedLog } from './observedLog.ts';

/** Credentials are UUIDs, outside issuers `jwt:<issuer>`; policies, processors and the platform itself have names of other forms. */
const CALLER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|jwt:)/i;

/** Bytes that each user's own commands have written to the log since the UTC day began. Counted by each node for itself, from its start. */
export class LogUsage {
  readonly #clock: Pick<Clock, 'now'>;
  /** LOG_BYTES_PER_USER_DAY; 0 is no limit. */
  readonly #limit: number;
  #day = 0;
  #bytes = new Map<string, number>();

  constructor(limit: number, clock: Pick<Clock, 'now'>) {
    this.#limit = limit;
    this.#clock = clock;
  }

  count(subject: string, bytes: number): void {
    if (this.#limit === 0) return;
    this.#turnDay();
    this.#bytes.set(subject, (this.#bytes.get(subject) ?? 0) + bytes);
  }

  /** Seconds until the user may write again; `null` if writing is allowed now. */
  retryAfter(subject: string): number | null {
    if (this.#limit === 0) return null;
    this.#turnDay();
    if ((this.#bytes.get(subject) ?? 0) < this.#limit) return null;
    return Math.ceil(((this.#day + 1) * DAY_MILLISECONDS - this.#clock.now()) / 1_000);
  }

  #turnDay(): void {
    const day = Math.floor(this.#clock.now() / DAY_MILLISECONDS);
    if (day === this.#day) return;
    this.#day = day;
    this.#bytes = new Map();
  }
}

/** The log, with the events of users' own commands counted. */
export const countedLog = (log: EventLog, usage: Pick<LogUsage, 'count'>): EventLog =>
  observedLog(log, async ({ context }, append) => {
    const appended = await append();
    if (CALLER.test(context.actor)) usage.count(context.subject, appended.bytes);
    return appended;
  });
