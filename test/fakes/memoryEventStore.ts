import { canonicalJson } from '../../src/stores/canonicalJson.ts';
import {
  type Appended,
  type EventStore,
  type EventText,
  type ExpectedRevision,
  type Hiding,
  type NewStoredEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscribeOptions,
  type SubscriptionItem,
  WrongExpectedRevision,
} from '../../src/stores/eventStore.ts';
import { matches } from '../../src/stores/log/eventFilter.ts';

/** The port in memory, for unit tests: stored events pass through JSON, and a repeated append is recognised by its ids. */
export class MemoryEventStore implements EventStore {
  /** In the order of the log. Tests may change them, like a tamperer. */
  events: StoredEvent[] = [];
  /** Runs before each append; throw to refuse it. What it returns runs after the append: throw to lose the answer. */
  beforeAppend: (eventStream: string) => undefined | (() => void) = () => undefined;
  reads = 0;
  readonly repeatsAppends: boolean = false;
  readonly keepsTopics: boolean = false;

  async append(eventStream: string, expected: ExpectedRevision, events: readonly NewStoredEvent[]): Promise<Appended> {
    const after = this.beforeAppend(eventStream);
    const own = this.#of(eventStream);
    const start = expected === 'no stream' ? 0 : Number(expected) + 1;
    const repeated = own.slice(start, start + events.length);
    const last = repeated.at(-1);
    if (last && repeated.length === events.length && events.every(({ id }, i) => repeated[i]?.id === id)) return last;
    if (own.length !== start) throw new WrongExpectedRevision(eventStream, expected, own.at(-1)?.revision ?? 'no stream');
    const stored = events.map((event, i) => ({
      ...(JSON.parse(JSON.stringify(event)) as NewStoredEvent),
      eventStream,
      revision: BigInt(start + i),
      position: String(this.events.length + i).padStart(20, '0') as Position,
    }));
    this.events.push(...stored);
    after?.();
    return stored.at(-1) as StoredEvent;
  }

  async readStream(eventStream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const { from, limit = Number.POSITIVE_INFINITY, direction = 'forwards' } = options;
    this.reads++;
    const own = this.#of(eventStream);
    const wanted =
      direction === 'forwards'
        ? own.filter(({ revision }) => revision >= (from ?? 0n))
        : own.filter(({ revision }) => from === undefined || revision <= from).reverse();
    return wanted.slice(0, limit);
  }

  async readAll({ after, limit, direction = 'forwards', where = {} }: ReadAllOptions): Promise<StoredEvent[]> {
    const ordered = direction === 'forwards' ? this.events : [...this.events].reverse();
    const beyond = ({ position }: StoredEvent) => after === null || (direction === 'forwards' ? position > after : position < after);
    return ordered.filter((event) => beyond(event) && matches(where, event)).slice(0, limit);
  }

  async readTexts(options: Pick<ReadAllOptions, 'after' | 'limit'>): Promise<EventText[]> {
    const texts = ({ data, metadata }: StoredEvent) => ({ data: canonicalJson(data), metadata: canonicalJson(metadata) });
    return (await this.readAll(options)).map((event) => ({ ...event, ...texts(event) }));
  }

  async hidings(): Promise<readonly Hiding[]> {
    return [];
  }

  async rightsWarnings(): Promise<string[]> {
    return [];
  }

  async head(): Promise<Position | null> {
    return this.events.at(-1)?.position ?? null;
  }

  async *subscribe({ after }: SubscribeOptions): AsyncIterable<SubscriptionItem> {
    for (const event of await this.readAll({ after, limit: this.events.length })) yield { kind: 'event', event };
    yield { kind: 'caughtUp', position: await this.head() };
  }

  async setRetention(): Promise<void> {}
  async close(): Promise<void> {}

  #of(eventStream: string): StoredEvent[] {
    return this.events.filter((event) => event.eventStream === eventStream);
  }
}
