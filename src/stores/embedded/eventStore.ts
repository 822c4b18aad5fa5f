import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../clock.ts';
import { Notifier } from '../../supervision/notifier.ts';
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
  StoreUnavailable,
  type SubscribeOptions,
  type SubscriptionItem,
  type TopicBytes,
  type WrittenEvent,
  WrongExpectedRevision,
} from '../eventStore.ts';
import { isFollowed } from '../log/eventFilter.ts';
import { checkedName, checkedRevision, serialise } from '../log/serialise.ts';
import { Tail } from '../log/tail.ts';
import { TopicDamaged } from '../topics.ts';
import { type LoggedEvent, LogReader, type Range, toPosition, toRowid } from './logReader.ts';
import { type LogUpgrade, upgradeLog } from './logUpgrade.ts';
import type { AppendCall, LogCall, LogResult, LogWriterData, OpenedLog, Stored } from './logWriter.ts';
import { END, PAGE, PagedReads, WINDOW } from './pagedReads.ts';
import { Retention } from './retention.ts';
import type { TopicRows } from './topicRows.ts';
import { type StartWriter, threadOf, WriterThread } from './writerThread.ts';

/** Events kept for followers: those of 600 uploads with their webhooks, and at most this much text. */
const KEPT = { items: 4_000, bytes: 8 * 1_048_576, bytesOf: ({ bytes }: Followed) => bytes };
/** The revision of an event stream without events. */
const NOTHING = -1;
/** `log.db` never shrinks, so this bounds what bursts of small uploads leave behind: about 2.5 GiB. Further ones are files. */
const MAX_TOPIC_ROWS = 32_768;

export interface EmbeddedEventStoreOptions {
  /** Locked with `lockDataDirectory` first. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly startWriter?: StartWriter<LogWriterData>;
  /** How many small topics may lie beside the events. Default: 32,768. */
  readonly maxTopicRows?: number;
  /** Called for each step of an upgrade from an earlier version. */
  readonly onUpgrade?: (upgrade: LogUpgrade) => void;
}

/**
 * Opens (or creates) `log.db`, upgrading one of an earlier version. Rejects with `DataDirectoryRefused` if a newer version wrote it or it cannot be
 * used.
 */
export const openEmbeddedEventStore = async ({
  dataDir,
  clock,
  startWriter = threadOf('logWriter'),
  maxTopicRows = MAX_TOPIC_ROWS,
  onUpgrade,
}: EmbeddedEventStoreOptions): Promise<EventStore & { readonly topicRows: TopicRows }> => {
  const file = join(dataDir, 'log.db');
  await upgradeLog(file, onUpgrade);
  const store = new EmbeddedEventStore(file, clock, maxTopicRows, () => startWriter({ file }));
  await store.open();
  return store;
};

/**
 * The event log in SQLite. Writes run in the writer thread, with one transaction and one sync for all waiting appends; reads run here, page by
 * page. `close` finishes running calls; afterwards everything rejects with `StoreUnavailable`.
 */
class EmbeddedEventStore implements EventStore {
  readonly keepsTopics = true;
  readonly repeatsAppends = false;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #writer: WriterThread<LogCall, LogResult, OpenedLog>;
  readonly #news = new Notifier();
  /** The last events that this process wrote, so that followers need not read and parse them each. */
  #recent = new Tail<Followed>(null, KEPT);
  readonly #closing = new AbortController();
  readonly #retention: Retention;
  readonly #reads: PagedReads;
  readonly #maxTopicRows: number;
  /** Rows in `topics`, those being stored included. */
  #topicCount = 0;
  #reader: LogReader | null = null;
  /** Rowid of the last event; 0 for an empty log. */
  #head = 0;
  #sweeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | null = null;

  constructor(file: string, clock: Clock, maxTopicRows: number, start: () => Worker) {
    this.#file = file;
    this.#maxTopicRows = maxTopicRows;
    this.#clock = clock;
    this.#retention = new Retention(clock);
    this.#reads = new PagedReads((read) => this.#read(read), this.#retention);
    const onOpened = ({ head, retention }: OpenedLog): void => {
      for (const [eventStream, maxAge] of retention) this.#retention.set(eventStream, maxAge);
      this.#advance(head);
    };
    this.#writer = new WriterThread({ what: 'The event log', start, onOpened });
  }

  async open(): Promise<void> {
    await this.#writer.open();
    try {
      this.#reader = new LogReader(this.#file);
      this.#topicCount = this.#reader.countTopics();
    } catch (error) {
      // Its thread would keep the process alive.
      await this.#writer.close();
      throw new Error(`${this.#file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    this.#sweeping = this.#retention.sweepUntil(this.#closing.signal, (call) => this.#count(call));
  }

  async append(eventStream: string, expected: ExpectedRevision, events: readonly WrittenEvent[], topic?: TopicBytes): Promise<Appended> {
    const row = topic?.segment && ([topic.topic, topic.segment] as const);
    const call: AppendCall = ['append', checkedName(eventStream), checkedRevision(expected), this.#clock.now(), serialise(events), row];
    if (row) this.#topicCount += 1;
    const result = await this.#writer.call(call).catch((error: unknown) => {
      if (row) this.#topicCount -= 1;
      throw error;
    });
    if (typeof result === 'object' && 'position' in result) return this.#stored(call, events, result);
    if (row) this.#topicCount -= 1;
    const actual = typeof result === 'object' ? result.conflict : NOTHING;
    throw new WrongExpectedRevision(eventStream, expected, actual === NOTHING ? 'no stream' : BigInt(actual));
  }

  /** Small topics stored beside the events. */
  readonly topicRows: TopicRows = {
    hasRoom: () => this.#topicCount < this.#maxTopicRows,
    get: (topic) => this.#read((reader) => reader.topic(topic)),
    has: (topic) => this.#read((reader) => reader.hasTopic(topic)),
    after: (topic, limit) => this.#read((reader) => reader.topicsAfter(topic, limit)),
    drop: async (topic) => {
      this.#topicCount -= await this.#count(['dropTopic', topic]);
    },
    purge: () => this.#writer.purge(),
  };

  async readStream(eventStream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const { from, limit = END, direction = 'forwards' } = options;
    this.#open();
    const range = direction === 'forwards' ? { from: Number(from ?? 0), to: END } : { from: 0, to: Number(from ?? END) };
    return this.#reads.stream(eventStream, { ...range, limit, direction });
  }

  async readAll({ after, limit, maxBytes, direction = 'forwards', where }: ReadAllOptions): Promise<StoredEvent[]> {
    const bound = after === null ? null : toRowid(after);
    const range = direction === 'forwards' ? { from: (bound ?? 0) + 1, to: END } : { from: 0, to: (bound ?? END) - 1 };
    if (!where) return this.#reads.all({ ...range, limit, direction, maxBytes });
    return this.#reads.selected(where, { ...range, to: Math.min(range.to, this.#head), limit, direction, maxBytes });
  }

  async readTexts({ after, limit, maxBytes }: Pick<ReadAllOptions, 'after' | 'limit' | 'maxBytes'>): Promise<EventText[]> {
    const from = (after === null ? 0 : toRowid(after)) + 1;
    return this.#reads.texts({ from, to: END, limit, direction: 'forwards', maxBytes });
  }

  async hidings(): Promise<readonly Hiding[]> {
    return [];
  }

  async rightsWarnings(): Promise<string[]> {
    return [];
  }

  async head(): Promise<Position | null> {
    this.#open();
    return this.#head === 0 ? null : toPosition(this.#head);
  }

  async *subscribe({ after, filter, signal }: SubscribeOptions): AsyncGenerator<SubscriptionItem, void, undefined> {
    let at = after === null ? 0 : toRowid(after);
    let announced = -1;
    while (!signal.aborted) {
      const head = this.#head;
      this.#open();
      if (at < head) {
        const { logged, through } = this.#page(at, Math.min(head, at + WINDOW), filter);
        for (const one of logged) {
          if (signal.aborted) return;
          if (this.#retention.keeps(one.eventStream, one.recordedAt)) yield { kind: 'event', event: one.event };
        }
        at = through;
        await setImmediate();
      } else if (announced < at) {
        announced = at;
        yield { kind: 'caughtUp', position: at === 0 ? null : toPosition(at) };
      } else await this.#news.wait({ signal });
    }
  }

  async setRetention(eventStream: string, maxAgeSeconds: number): Promise<void> {
    const maxAge = Math.round(maxAgeSeconds * 1000);
    if (!(maxAge > 0)) throw new TypeError('A retention is a positive number of seconds.');
    await this.#count(['retain', checkedName(eventStream), maxAge]);
    this.#retention.set(eventStream, maxAge);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#news.notify();
    await this.#sweeping;
    await this.#writer.close();
    this.#reader?.close();
    this.#reader = null;
  }

  /** Keeps the stored events of an append for followers. */
  #stored([, eventStream, , recordedAt, texts]: AppendCall, events: readonly NewStoredEvent[], { revision, position }: Stored): Appended {
    const [firstRevision, firstRowid] = [revision - events.length + 1, position - events.length + 1];
    const bytes = texts.reduce((sum, text) => sum + text.length, 0) / events.length;
    const followed = events.map(({ id, type, data, metadata }, i): Followed => {
      const place = { eventStream, revision: firstRevision + i, rowid: firstRowid + i, recordedAt, bytes };
      const event = { id, type, data, metadata, eventStream, revision: BigInt(place.revision), position: toPosition(place.rowid) };
      return { ...place, position: event.position, event };
    });
    const before = toPosition(firstRowid - 1);
    // After a gap, it starts over: an append of unknown outcome may have been stored. A repeated append is already in it.
    if ((this.#recent.end ?? NOWHERE) < before) this.#recent = new Tail(before, KEPT);
    if ((this.#recent.end ?? NOWHERE) <= before) this.#recent.add(followed);
    this.#advance(position);
    return { revision: BigInt(revision), position: toPosition(position) };
  }

  #advance(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.#news.notify();
  }

  /** A call other than an append. */
  async #count(call: Exclude<LogCall, AppendCall>): Promise<number> {
    return Number(await this.#writer.call(call));
  }

  #open(): LogReader {
    if (!this.#reader || this.#closing.signal.aborted) throw closed();
    return this.#reader;
  }

  /** One page for a subscription, and the position it reaches. */
  #page(after: number, to: number, filter: SubscribeOptions['filter']): { logged: readonly LoggedEvent[]; through: number } {
    const range: Range = { from: after + 1, to, limit: PAGE, direction: 'forwards' };
    const recent = (this.#recent.end ?? NOWHERE) >= toPosition(to) ? this.#recent.after(toPosition(after), to - after) : null;
    if (recent) {
      const matching = recent.filter(({ event }) => isFollowed(event, filter)).slice(0, PAGE);
      return { logged: matching, through: matching[PAGE - 1]?.rowid ?? to };
    }
    const everything = !filter || (!filter.prefixes && !filter.types);
    const { rows, isLast } = this.#read((reader) => (everything ? reader.all(range) : reader.matching(filter, range)));
    return { logged: rows, through: isLast ? to : (rows.at(-1)?.rowid ?? to) };
  }

  #read<T>(read: (reader: LogReader) => T): T {
    const reader = this.#open();
    try {
      return read(reader);
    } catch (cause) {
      if (cause instanceof TopicDamaged) throw cause;
      throw new StoreUnavailable('The event log cannot be read at the moment. Try again.', { cause });
    }
  }
}

/** An event that this process wrote, with the length of its text. */
type Followed = LoggedEvent & { readonly position: Position; readonly bytes: number };

/** Before every position. */
const NOWHERE = toPosition(0);

const closed = (): StoreUnavailable => new StoreUnavailable('The event log is closed.');
