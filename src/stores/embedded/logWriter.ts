import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { MAX_WHOLE_BYTES } from '../topics.ts';
import { DROP_TOPIC, INSERT_EVENT, LOG_REMEDY, LOG_TABLES, LOG_VERSION, STORE_TOPIC, WRITER_PRAGMAS } from './logSchema.ts';
import { inWriterThread, type StoreWriter, serveWriter } from './serveWriter.ts';
import { emptyWal, openStoreFile, prepareRows } from './sqlite.ts';

/** The only writer of `log.db`. Calls are tuples, because they are copied for every append. */
export type LogCall =
  | AppendCall
  | readonly ['retain', eventStream: string, maxAgeMilliseconds: number]
  /** Deletes some events recorded before a time (milliseconds); returns their number, 0 when none are left. */
  | readonly ['sweep', eventStream: string, before: number]
  /** Returns 1 if the topic was stored, otherwise 0. */
  | readonly ['dropTopic', topic: string];

/**
 * `expected` and every other revision is -1 for "no stream". `events` is flat: id, type, metadata and data (JSON text) of each event. The topic is
 * stored with them.
 */
export type AppendCall = readonly [
  'append',
  eventStream: string,
  expected: number,
  recordedAt: number,
  events: readonly string[],
  topic: readonly [id: string, segment: Uint8Array] | undefined,
];

/** Of the last event of an append. */
export interface Stored {
  readonly revision: number;
  readonly position: number;
}

/** `conflict`: the actual revision. */
type AppendResult = Stored | { readonly conflict: number };
/** Every call but an append returns a number. */
export type LogResult = AppendResult | number;

export interface OpenedLog {
  /** The last position, 0 for an empty log. */
  readonly head: number;
  readonly retention: readonly (readonly [eventStream: string, maxAgeMilliseconds: number])[];
}

export interface LogWriterData {
  readonly file: string;
}

/** Cached ends of event streams. */
const MAX_HEADS = 20_000;
const SWEEP_PAGE = 500;
/** The WAL is moved into the file each time about this much has been written to it. */
const MOVED_BYTES = 16 * 1024 * 1024;
/** Bytes that an event adds to the WAL besides its text: parts of the pages of the table and its indexes. */
const EVENT_BYTES = 5_120;
/** A WAL larger than this is truncated even if readers must wait briefly. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;
/** Turns between two looks at its size. */
const LOOK_EVERY = 64;

class LogWriter implements StoreWriter<LogCall, LogResult> {
  readonly database;
  readonly #file: string;
  readonly #statements;
  /** Last revision of recently used event streams; this thread is the only writer, so it stays correct. */
  readonly #heads = new LRUCache<string, number>({ max: MAX_HEADS });
  #head: number;
  #turns = 0;
  /** About how many bytes were written to the WAL since it was last moved into the file. */
  #unmoved = 0;

  constructor(file: string) {
    this.#file = file;
    this.database = openStoreFile({ file, format: LOG_VERSION, pragmas: WRITER_PRAGMAS, tables: LOG_TABLES, remedy: LOG_REMEDY });
    const prepare = (sql: string) => prepareRows(this.database, sql);
    this.#statements = {
      insert: prepare(INSERT_EVENT),
      storeTopic: prepare(STORE_TOPIC),
      dropTopic: prepare(DROP_TOPIC),
      head: prepare('SELECT max(position) FROM events'),
      revision: prepare('SELECT max(revision) FROM events WHERE event_stream = ?'),
      ids: prepare('SELECT id, position FROM events WHERE event_stream = ? AND revision BETWEEN ? AND ? ORDER BY revision'),
      retain: prepare('INSERT INTO retention VALUES (?, ?) ON CONFLICT DO UPDATE SET max_age_ms = excluded.max_age_ms'),
      // Checks only the oldest. The last event of an event stream stays, since it holds the revision and possibly the log's last position.
      sweep: prepare(`DELETE FROM events WHERE position IN (
        SELECT position FROM (
          SELECT position, recorded_at FROM events WHERE event_stream = ?1
          AND revision < (SELECT max(revision) FROM events WHERE event_stream = ?1) ORDER BY revision LIMIT ${SWEEP_PAGE})
        WHERE recorded_at < ?2)`),
    };
    this.#head = this.#readHead();
  }

  get opened(): OpenedLog {
    const retention = prepareRows(this.database, 'SELECT event_stream, max_age_ms FROM retention').all();
    // STRICT tables guarantee the declared column types.
    return { head: this.#head, retention: retention as [string, number][] };
  }

  run(call: LogCall): LogResult {
    switch (call[0]) {
      case 'append':
        return this.#append(call);
      case 'retain':
        return Number(this.#statements.retain.run(call[1], call[2]).changes);
      case 'sweep':
        return Number(this.#statements.sweep.run(call[1], call[2]).changes);
      case 'dropTopic':
        return this.#drop(call[1]);
    }
  }

  rolledBack(): void {
    this.#heads.clear();
    this.#head = this.#readHead();
  }

  purge(): boolean {
    return emptyWal(this.database);
  }

  /** Moves the WAL into the file, and truncates it if readers kept it from starting over. */
  tidy(): void {
    this.#turns += 1;
    if (this.#unmoved >= MOVED_BYTES) this.#move();
    // On a full disk, or while readers stay, it is tried again later.
    if (this.#turns % LOOK_EVERY === 0 && statSync(`${this.#file}-wal`).size >= MAX_WAL_BYTES) emptyWal(this.database);
  }

  /** Beside readers. What cannot be moved now is moved next time. */
  #move(): void {
    this.#unmoved = 0;
    try {
      this.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // A full disk also fails the next commit, which reports it.
    }
  }

  #append(call: AppendCall): AppendResult {
    const [, eventStream, expected, recordedAt, events, topic] = call;
    const actual = this.#revisionOf(eventStream);
    if (expected !== actual) return expected < actual ? this.#repeated(eventStream, expected, events, actual) : { conflict: actual };
    if (topic) this.#store(...topic);
    let revision = actual;
    for (let i = 0; i < events.length; i += 4) {
      revision += 1;
      this.#head += 1;
      this.#unmoved += EVENT_BYTES + (events[i + 2]?.length ?? 0) + (events[i + 3]?.length ?? 0);
      this.#statements.insert.run(this.#head, eventStream, revision, recordedAt, ...events.slice(i, i + 4));
    }
    this.#heads.set(eventStream, revision);
    return { revision, position: this.#head };
  }

  #store(topic: string, segment: Uint8Array): void {
    this.#drop(topic);
    this.#statements.storeTopic.run(topic, segment);
    this.#unmoved += segment.length;
  }

  /** Returns 1 if the topic was stored, otherwise 0. */
  #drop(topic: string): number {
    const changes = Number(this.#statements.dropTopic.run(topic).changes);
    // Its pages are overwritten.
    this.#unmoved += changes * MAX_WHOLE_BYTES;
    return changes;
  }

  /** An append whose events already follow the expected revision, in this order, gets its first answer again. */
  #repeated(eventStream: string, expected: number, events: readonly string[], actual: number): AppendResult {
    const count = events.length / 4;
    const stored = this.#statements.ids.all(eventStream, expected + 1, expected + count) as [id: string, position: number][];
    const last = stored[count - 1];
    if (!last || stored.some(([id], i) => id !== events[i * 4])) return { conflict: actual };
    return { revision: expected + count, position: last[1] };
  }

  #revisionOf(eventStream: string): number {
    const known = this.#heads.get(eventStream);
    if (known !== undefined) return known;
    const [revision] = this.#statements.revision.get(eventStream) as [number | null];
    return revision ?? -1;
  }

  #readHead(): number {
    const [position] = this.#statements.head.get() as [number | null];
    return position ?? 0;
  }
}

/** Opens the log, then performs and answers the calls that arrive at `port`. */
export const serveLog = (port: MessagePort, { file }: LogWriterData): void =>
  serveWriter(port, () => {
    const writer = new LogWriter(file);
    return { writer, opened: writer.opened };
  });

inWriterThread(serveLog);
