import type { Clock } from '../../clock.ts';
import type { AppendContext, DomainEvent, EventLog } from './eventLog.ts';
import { observedLog } from './observedLog.ts';

/** Approximate bytes of one event's metadata, ids, hashes and store overhead. */
const EVENT_OVERHEAD_BYTES = 600;
const DAY_MILLISECONDS = 86_400_000;

/** Credentials are UUIDs, outside issuers `jwt:<issuer>`; actors of the platform have names in other forms. */
const CALLER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|jwt:)/i;

/** Whether an actor is a user, not the platform. */
export const isCaller = (actor: string): boolean => CALLER.test(actor);

const textSizes = new WeakMap<object, number>();

/** Bytes of data as JSON text. Remembered, since pace and usage ask for the same data. */
export const textBytes = (data: object): number => {
  const known = textSizes.get(data);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(data));
  textSizes.set(data, bytes);
  return bytes;
};

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

  count({ subject, actor }: AppendContext, events: readonly DomainEvent[]): void {
    if (this.#limit === 0 || !isCaller(actor)) return;
    this.#turnDay();
    let bytes = this.#bytes.get(subject) ?? 0;
    for (const { data } of events) bytes += textBytes(data) + EVENT_OVERHEAD_BYTES;
    this.#bytes.set(subject, bytes);
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

/** The log, with the bytes of users' commands counted. */
export const countedLog = (log: EventLog, usage: LogUsage): EventLog =>
  observedLog(log, async (appends, append) => {
    const appended = await append();
    for (const { context, events } of appends) usage.count(context, events);
    return appended;
  });
