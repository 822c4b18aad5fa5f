import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { Tail } from '../../stores/log/tail.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Progressed } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';

/** Number of events in a page and in a batch. */
export const PAGE_EVENTS = 500;
/** Number of events at the log's end that are kept in memory; there may be twice as many for a while. */
const TAIL_EVENTS = 200;
const CACHED_PAGES = 4;
/** Stored text of a page. */
const PAGE_BYTES = 1_048_576;
/** Gathering ends after this time without an event, or after the second one. The events of one small upload follow each other within the first. */
const [QUIET_MILLISECONDS, GATHERING_MILLISECONDS] = [25, 100];

export interface FeedDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The log as all projections of a process share it: each event is read and decoded once, not once per projection.
 *
 * - Behind the head, `read` fetches pages of the log and caches the latest ones for projections at the same place.
 * - At the head, one subscription fills the tail (the last events): `read` answers from it, and `wait` wakes on it.
 *
 * The subscription never waits for a projection: a projection that falls behind the tail reads pages again.
 */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #pages = new Map<Position | '', Promise<readonly RecordedEvent[]>>();
  readonly #changes: Notifier;
  #tail: Tail<RecordedEvent> | null = null;
  #ringing = false;
  /** The projections know of the events up to here. */
  #announced: Position | null = null;
  /** Requests wait until the projections have handled these. */
  readonly #wishes = new Set<{ readonly position: Position }>();
  /** When the last event arrived, by the monotonic clock. */
  #arrived = 0;
  /** Ends the gathering of events. */
  readonly #wanted: Notifier;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#changes = new Notifier(deps.clock);
    this.#wanted = new Notifier(deps.clock);
  }

  /** Position of the last event that has arrived; `null` before it follows the log. */
  get end(): Position | null {
    return this.#tail?.end ?? null;
  }

  /** Follows the head until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'projections cannot read the log; retrying');
    await supervise((progressed) => this.#follow(signal, progressed), { clock, signal, onFailure });
    this.#changes.notify();
  }

  async #follow(signal: AbortSignal, progressed: Progressed): Promise<void> {
    if (!this.#tail) {
      this.#tail = new Tail(await this.#deps.log.head(), { items: TAIL_EVENTS });
      this.#announced = this.#tail.end;
      this.#changes.notify();
    }
    const tail = this.#tail;
    for await (const item of this.#deps.log.subscribe({ after: tail.end, signal })) {
      progressed();
      if (item.kind === 'event') this.#push(tail, item.event);
    }
  }

  /** Drops all cached events. Their decryption keys may have been destroyed since. */
  forget(): void {
    this.#pages.clear();
    this.#tail?.clear();
  }

  /** The events after `after`, at most a page. Empty at the head. */
  async read(after: Position | null): Promise<readonly RecordedEvent[]> {
    const held = this.#tail?.after(after, PAGE_EVENTS);
    // Events that are still being gathered come with the next wake-up.
    if (held) return this.#isAnnounced(after) ? held : [];
    // The embedded store reads without waiting, and a read model may have no event of many pages.
    await setImmediate();
    const page = await this.#page(after ?? '');
    // Prefetch the next page while this one is written.
    const last = page.at(-1);
    const floor = this.#tail?.floor ?? null;
    if (last && (floor === null || last.position < floor)) this.#page(last.position).catch(() => undefined);
    return page;
  }

  /** Resolves when there may be events after `after`, after `milliseconds`, or when the signal aborts. Never rejects. */
  async wait(after: Position | null, signal: AbortSignal, milliseconds?: number): Promise<void> {
    if (this.#isAnnounced(after)) return;
    await this.#changes.wait({ signal, milliseconds });
  }

  /**
   * Gathers no events until the projections know of this position, since a request waits for it. Call the returned function when the request no
   * longer waits: the position may never come.
   */
  prioritize(position: Position): () => void {
    const wish = { position };
    this.#wishes.add(wish);
    if (this.#isWanted) this.#wanted.notify();
    return () => this.#wishes.delete(wish);
  }

  /** Whether the projections know of events after `after`. */
  #isAnnounced(after: Position | null): boolean {
    return (this.#announced ?? '') > (after ?? '');
  }

  get #isWanted(): boolean {
    for (const { position } of this.#wishes) if (position > (this.#announced ?? '')) return true;
    return false;
  }

  #push(tail: Tail<RecordedEvent>, event: RecordedEvent): void {
    tail.add([event]);
    this.#arrived = this.#deps.clock.monotonic();
    if (this.#ringing) return;
    this.#ringing = true;
    void this.#ring(tail);
  }

  async #ring(tail: Tail<RecordedEvent>): Promise<void> {
    await this.#gather();
    // Deferred, so that events that arrive together are handled together.
    await setImmediate();
    this.#ringing = false;
    this.#announced = tail.end;
    this.#changes.notify();
  }

  /** Waits for events that follow closely, so that they are handled together. Ends at once if a request waits for one of them. */
  async #gather(): Promise<void> {
    const { clock } = this.#deps;
    const most = clock.monotonic() + GATHERING_MILLISECONDS;
    while (!this.#isWanted) {
      const left = Math.min(this.#arrived + QUIET_MILLISECONDS, most) - clock.monotonic();
      if (left <= 0) return;
      await this.#wanted.wait({ milliseconds: left });
    }
  }

  #page(from: Position | ''): Promise<readonly RecordedEvent[]> {
    const cached = this.#pages.get(from);
    if (cached) return cached;
    const page = this.#deps.log.readAll({ after: from || null, limit: PAGE_EVENTS, maxBytes: PAGE_BYTES });
    this.#pages.set(from, page);
    const forget = () => {
      if (this.#pages.get(from) === page) this.#pages.delete(from);
    };
    // Do not cache an empty page or a failed read.
    page.then((events) => events.length === 0 && forget(), forget);
    const oldest = this.#pages.keys().next().value;
    if (this.#pages.size > CACHED_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }
}
