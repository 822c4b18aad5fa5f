import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { type Logger, silentLogger } from '../../logger.ts';
import {
  type Appended,
  DamagedEventStream,
  type EventStore,
  type EventText,
  type ExpectedRevision,
  type Hiding,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  StoreUnavailable,
  type SubscribeOptions,
  type SubscriptionItem,
  type WrittenEvent,
} from '../eventStore.ts';
import { isFollowed } from '../log/eventFilter.ts';
import { checkedName, checkedRevision, serialise } from '../log/serialise.ts';
import { Serial } from '../serial.ts';
import { type AppendWork, appendedBy, appendRequest } from './appendRequest.ts';
import { Appends } from './appends.ts';
import { Connection } from './connection.ts';
import { connectionStringProblem, type ServerAddress, serverAddress } from './connectionString.ts';
import { Deadlines } from './deadlines.ts';
import { type Driver, loadDriver } from './driver.ts';
import { readHidings } from './hidings.ts';
import { LogReading } from './logReading.ts';
import { LogTail } from './logTail.ts';
import { fromPosition } from './position.ts';
import { readPage, wakeUp } from './readPage.ts';
import { allPage, allSubscription } from './readRequest.ts';
import { ConnectionStringRefused, RefusalFinder } from './refusal.ts';
import { rightsWarnings } from './rights.ts';
import type { Session } from './session.ts';

export interface EventStoreDbOptions {
  /** `esdb://` or `esdb+discover://`, with credentials and TLS as the client takes them. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Longest wait for an answer. Then the call is repeated on a new connection. Default 5 s. */
  readonly timeoutMilliseconds?: number;
  /** Ends the wait for a server that is away at the start. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_MILLISECONDS = 5_000;
/** Events that a subscription yields before other work can run. */
const BATCH = 500;

/**
 * Opens the log on an EventStoreDB. Waits until a server answers, without limit, and logs the reason. Rejects with `ConnectionStringRefused` if
 * waiting cannot help, and with the signal's reason.
 */
export const openEventStoreDb = async (options: EventStoreDbOptions): Promise<EventStore> => {
  const { url, clock, logger = silentLogger, timeoutMilliseconds = TIMEOUT_MILLISECONDS, signal } = options;
  const problem = connectionStringProblem(url);
  if (problem !== null) throw new ConnectionStringRefused(problem);
  const driver = await loadDriver();
  checkWithClient(driver, url);
  const address = serverAddress(url);
  const deadlines = new Deadlines(clock, timeoutMilliseconds);
  const connection = new Connection({ driver, address, clock, logger, deadlines, timeoutMilliseconds });
  const refusals = new RefusalFinder(address, clock, () => connection.members);
  try {
    const probe = (session: Session) => readPage(session, allPage(driver, null, 1, 'backwards'), deadlines);
    await connection.waitFor(probe, (failure) => refusals.find(failure), signal);
  } catch (error) {
    connection.beginClosing();
    connection.close();
    throw error;
  }
  return new EventStoreDbStore({ address, driver, connection, deadlines, clock, logger, timeoutMilliseconds });
};

const checkWithClient = ({ EventStoreDBClient }: Driver, url: string): void => {
  try {
    EventStoreDBClient.connectionString(url);
  } catch (error) {
    // The client's errors quote the string with its password.
    const quotes = !(error instanceof Error) || 'connectionString' in error;
    throw new ConnectionStringRefused(
      quotes ? 'it is not a valid connection string. Use the form esdb://user:password@host:2113?option=value' : error.message,
    );
  }
};

interface StoreDeps {
  readonly address: ServerAddress;
  readonly driver: Driver;
  readonly connection: Connection;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMilliseconds: number;
}

/**
 * The event log on EventStoreDB. Appends of unknown outcome are repeated with the same ids and expected revision, which returns the outcome.
 * `close` finishes running calls; afterwards everything rejects with `StoreUnavailable`.
 */
class EventStoreDbStore implements EventStore {
  readonly #deps: StoreDeps;
  readonly #appends: Appends;
  readonly #reading: LogReading;
  readonly #tail: LogTail;
  /** A server may leave the second of two identical appends in flight without an answer. */
  readonly #appending = new Serial();
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();
  readonly repeatsAppends = true;
  readonly keepsTopics = false;

  constructor(deps: StoreDeps) {
    const { driver, connection, deadlines, clock, logger, timeoutMilliseconds } = deps;
    this.#deps = deps;
    this.#appends = new Appends(driver, deadlines);
    this.#reading = new LogReading(driver, connection, deadlines);
    this.#tail = new LogTail({
      clock,
      logger,
      page: (after) => this.#reading.page(after),
      wakeUp: async (after, signal) => wakeUp(await connection.session(), allSubscription(driver, after), signal),
      patienceMilliseconds: timeoutMilliseconds,
      signal: this.#closing.signal,
    });
  }

  async append(eventStream: string, expected: ExpectedRevision, events: readonly WrittenEvent[]): Promise<Appended> {
    checkedRevision(expected);
    const work = { eventStream: checkedName(eventStream), expected, fields: serialise(events) };
    const appended = await this.#begun(() => this.#appending.run(eventStream, () => this.#append(work)));
    // The server continues a deleted event stream if none is expected. A read would have shown it.
    if (expected === 'no stream' && appended.revision !== BigInt(events.length) - 1n)
      throw new DamagedEventStream(eventStream, 'it was deleted in EventStoreDB, and new events were appended to it');
    return appended;
  }

  async readStream(eventStream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    return (await this.#begun(() => this.#reading.stream(eventStream, options))).map(({ event }) => event);
  }

  async readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    return (await this.#begun(() => this.#reading.all(options))).map(({ event }) => event);
  }

  async readTexts(options: Pick<ReadAllOptions, 'after' | 'limit' | 'maxBytes'>): Promise<EventText[]> {
    return (await this.#begun(() => this.#reading.all(options))).map(({ text }) => text);
  }

  hidings(): Promise<readonly Hiding[]> {
    return this.#begun(() => readHidings(this.#deps));
  }

  /** Never rejects: a user without access to `$settings` may still start and verify. */
  async rightsWarnings(): Promise<string[]> {
    try {
      return await this.#begun(() => rightsWarnings(this.#deps.address, this.#reading, this.#deps.clock));
    } catch (error) {
      return [`The rights in EventStoreDB could not be checked: ${error instanceof Error ? error.message : String(error)}`];
    }
  }

  head(): Promise<Position | null> {
    return this.#begun(() => this.#reading.head());
  }

  async *subscribe({ after, filter, signal }: SubscribeOptions): AsyncGenerator<SubscriptionItem, void, undefined> {
    if (after !== null) fromPosition(after);
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    /** How far the log was read, and the last of our events up to there. */
    let [read, at] = [after, after];
    let announced: Position | null | undefined;
    while (!signal.aborted) {
      this.#open();
      const held = this.#tail.after(read, BATCH);
      const page = held ? null : await this.#begun(() => this.#reading.page(read));
      const records = held ?? page?.records.filter(({ system }) => !system) ?? [];
      for (const record of records) {
        if (signal.aborted) return;
        read = at = record.position;
        if (isFollowed(record, filter)) yield { kind: 'event', event: record.event };
      }
      read = page?.records.at(-1)?.position ?? read;
      if (page?.last) this.#tail.start(read);
      const atHead = page ? page.last : records.length === 0 && this.#tail.atHead;
      if (atHead && at !== announced) {
        announced = at;
        yield { kind: 'caughtUp', position: at };
      } else if (held?.length === 0) await this.#tail.news(ended);
      else await setImmediate();
    }
  }

  async setRetention(eventStream: string, maxAgeSeconds: number): Promise<void> {
    if (!(maxAgeSeconds > 0)) throw new TypeError('A retention is a positive number of seconds.');
    const metadata = JSON.stringify({ $maxAge: Math.ceil(maxAgeSeconds) });
    const work: AppendWork = {
      eventStream: `$$${checkedName(eventStream)}`,
      expected: 'any',
      fields: [randomUUID(), '$metadata', '', metadata],
    };
    await this.#begun(() => this.#appending.run(work.eventStream, () => this.#append(work)));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#deps.connection.beginClosing();
    await Promise.allSettled(this.#pending);
    this.#deps.connection.close();
  }

  /** At least twice: the second try returns the outcome of the first. */
  #append(work: AppendWork): Promise<Appended> {
    return this.#deps.connection.run(async (session) => {
      const answer = await this.#appends.send(session, appendRequest(this.#deps.driver, work, this.#deps.clock.now()));
      return appendedBy(this.#deps.driver, work, answer);
    }, 2);
  }

  /** `close` waits for it. */
  async #begun<T>(begin: () => Promise<T>): Promise<T> {
    this.#open();
    const work = begin();
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  #open(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable('The event log is closed.');
  }
}
