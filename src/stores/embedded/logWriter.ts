import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { MAX_WHOLE_BYTES } from '../topics.ts';
import type { Answer, AppendWork, FromWriter, ToWriter, Work, WriterData } from './logMessages.ts';
import { DROP_EXTENT, DROP_TOPIC, INSERT_EVENT, LOG_TABLES, LOG_VERSION, STORE_EXTENT, STORE_TOPIC, WRITER_PRAGMAS } from './logSchema.ts';
import { HEAD_BYTES } from './segment.ts';
import { prepareRows, sqliteCode } from './sqlite.ts';
import { extentFileOf, fitsExtent, TopicExtents } from './topicExtents.ts';

/**
 * The writer thread: the only writer of `log.db`. It puts all waiting work into one transaction with one sync, and answers each piece. If the
 * transaction fails, nothing of it is stored, every piece is answered `failed`, and the thread continues with the next one.
 */

/** Largest number of pieces in a transaction: while their callers continue, the next one is written. */
const ENOUGH = 128;
/** Fewest large topics of a commit that go into extents: for fewer, the sync of the extents takes longer than SQLite's writes. */
const MIN_EXTENTS = 4;
/** Cached ends of event streams. */
const MAX_HEADS = 20_000;
const SWEEP_PAGE = 500;
/** The WAL is moved into the file each time about this much has been written to it. */
const MOVED_BYTES = 16 * 1024 * 1024;
/** Bytes that an event adds to the WAL besides its text: parts of the pages of the table and its indexes. */
const EVENT_BYTES = 5_120;
/** A WAL larger than this is truncated even if readers must wait briefly. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

class LogWriter {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #statements;
  /** Last revision of recently used event streams; this thread is the only writer, so it stays correct. */
  readonly #heads = new LRUCache<string, number>({ max: MAX_HEADS });
  readonly #extents: TopicExtents;
  /** Topics of the transaction under way that fit an extent. */
  readonly #large = new Map<string, Uint8Array>();
  #head: number;
  #commits = 0;
  /** About how many bytes were written to the WAL since it was last moved into the file. */
  #unmoved = 0;

  constructor(file: string) {
    this.#file = file;
    // Created before SQLite opens it, so that only its owner can read it and the files beside it.
    if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600));
    this.#db = new DatabaseSync(file);
    const version = Number(this.#db.prepare('PRAGMA user_version').get()?.user_version);
    if (version > LOG_VERSION) throw new NewerLog(version);
    this.#db.exec(WRITER_PRAGMAS);
    if (version < LOG_VERSION) this.#db.exec(`BEGIN IMMEDIATE; ${LOG_TABLES} PRAGMA user_version = ${LOG_VERSION}; COMMIT`);
    const prepare = (sql: string) => prepareRows(this.#db, sql);
    this.#statements = {
      begin: this.#db.prepare('BEGIN IMMEDIATE'),
      commit: this.#db.prepare('COMMIT'),
      insert: this.#db.prepare(INSERT_EVENT),
      storeTopic: this.#db.prepare(STORE_TOPIC),
      storeExtent: this.#db.prepare(STORE_EXTENT),
      dropTopic: this.#db.prepare(DROP_TOPIC),
      dropExtent: prepare(DROP_EXTENT),
      head: prepare('SELECT max(position) FROM events'),
      revision: prepare('SELECT max(revision) FROM events WHERE event_stream = ?'),
      ids: prepare('SELECT id, position FROM events WHERE event_stream = ? AND revision BETWEEN ? AND ? ORDER BY revision'),
      retain: this.#db.prepare('INSERT INTO retention VALUES (?, ?) ON CONFLICT DO UPDATE SET max_age_ms = excluded.max_age_ms'),
      // Checks only the oldest. The last event of an event stream stays, since it holds the revision and possibly the log's last position.
      sweep: this.#db.prepare(`DELETE FROM events WHERE position IN (
        SELECT position FROM (
          SELECT position, recorded_at FROM events WHERE event_stream = ?1
          AND revision < (SELECT max(revision) FROM events WHERE event_stream = ?1) ORDER BY revision LIMIT ${SWEEP_PAGE})
        WHERE recorded_at < ?2)`),
    };
    this.#head = this.#readHead();
    const taken = prepare('SELECT extent FROM extents ORDER BY extent').all() as [extent: number][];
    this.#extents = new TopicExtents(
      extentFileOf(file),
      taken.map(([extent]) => extent),
    );
  }

  get head(): number {
    return this.#head;
  }

  /** Topics whose bytes were missing at the start. */
  get lostTopics(): number {
    return this.#extents.lost;
  }

  retention(): readonly (readonly [string, number])[] {
    return prepareRows(this.#db, 'SELECT event_stream, max_age_ms FROM retention').all() as [string, number][];
  }

  /**
   * One transaction of the given work and of `more`, which it calls until nothing is left or a limit is reached. Answers all of it. A failed
   * transaction does not throw, unless it cannot be rolled back: then the thread ends and a new one starts.
   */
  perform(first: readonly Work[], more: () => readonly Work[]): Answer[] {
    const head = this.#head;
    const answers: Answer[] = [];
    let taken = 0;
    let purges = false;
    try {
      this.#statements.begin.run();
      for (let batch = first; batch.length > 0; batch = answers.length < ENOUGH ? more() : []) {
        taken += batch.length;
        for (const work of batch) {
          answers.push(this.#one(work));
          purges ||= work[0] === 'purge';
        }
      }
      this.#storeLarge();
      this.#statements.commit.run();
      this.#extents.committed();
      return purges ? this.#purged(answers) : answers;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#extents.rolledBack();
      this.#large.clear();
      this.#heads.clear();
      this.#head = head;
      const { code, message } = describe(error);
      return Array.from({ length: taken }, () => ['failed', code, message]);
    }
  }

  /**
   * Moves the WAL into the file, truncates it if readers kept it from starting over, and overwrites dropped topics in their extents. Runs after the
   * answers, so that they do not wait for it.
   */
  tidy(): void {
    this.#commits += 1;
    this.tidyExtents();
    if (this.#unmoved >= MOVED_BYTES) this.#move();
    if (this.#commits % 64 !== 0 || statSync(`${this.#file}-wal`).size < MAX_WAL_BYTES) return;
    // The disk is full or readers stay: tried again 64 commits later.
    this.#emptyWal();
  }

  /** Beside readers. What cannot be moved now is moved next time. */
  #move(): void {
    this.#unmoved = 0;
    try {
      this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // A full disk also fails the next commit, which reports it.
    }
  }

  /** Overwrites some of the dropped topics. `false` if none are left, or it failed: then it is tried again after the next commit, and a purge reports it. */
  tidyExtents(): boolean {
    try {
      this.#extents.tidy();
      return this.#extents.isUntidy;
    } catch {
      return false;
    }
  }

  /** `false` if it failed. */
  #emptyWal(): boolean {
    try {
      this.#db.exec('PRAGMA busy_timeout = 2000');
      return this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
    } catch {
      return false;
    } finally {
      this.#db.exec('PRAGMA busy_timeout = 0');
    }
  }

  #purged(answers: readonly Answer[]): Answer[] {
    const failed = (code: string, message: string) =>
      answers.map((answer): Answer => (answer[0] === 'purged' ? ['failed', code, message] : answer));
    try {
      this.#extents.purge();
    } catch (error) {
      const { code, message } = describe(error);
      return failed(code, message);
    }
    return this.#emptyWal() ? [...answers] : failed('SQLITE_BUSY', 'the write-ahead log is being read');
  }

  close(): void {
    this.#extents.close();
    this.#db.close();
  }

  #one(work: Work): Answer {
    switch (work[0]) {
      case 'append':
        return this.#append(work);
      case 'retain':
        this.#statements.retain.run(work[1], work[2]);
        return ['done', 1];
      case 'sweep':
        return ['done', Number(this.#statements.sweep.run(work[1], work[2]).changes)];
      case 'dropTopic':
        return ['done', this.#drop(work[1])];
      case 'purge':
        // After the transaction: see `#purged`.
        return ['purged'];
    }
  }

  #append(work: AppendWork): Answer {
    const [, eventStream, expected, recordedAt, events, topic] = work;
    const actual = this.#revisionOf(eventStream);
    if (expected !== actual) return expected < actual ? this.#repeated(eventStream, expected, events, actual) : ['conflict', actual];
    if (topic) this.#store(...topic);
    let revision = actual;
    for (let i = 0; i < events.length; i += 4) {
      revision += 1;
      this.#head += 1;
      this.#unmoved += EVENT_BYTES + (events[i + 2]?.length ?? 0) + (events[i + 3]?.length ?? 0);
      this.#statements.insert.run(this.#head, eventStream, revision, recordedAt, ...events.slice(i, i + 4));
    }
    this.#heads.set(eventStream, revision);
    return ['stored', revision, this.#head];
  }

  #store(topic: string, segment: Uint8Array): void {
    this.#drop(topic);
    if (fitsExtent(segment)) this.#large.set(topic, segment);
    else this.#storeRow(topic, segment);
  }

  #storeRow(topic: string, segment: Uint8Array): void {
    this.#statements.storeTopic.run(topic, segment);
    this.#unmoved += segment.length;
  }

  /** At the end of the transaction, when their number is known. */
  #storeLarge(): void {
    const inExtents = this.#large.size >= MIN_EXTENTS;
    for (const [topic, segment] of this.#large) {
      if (inExtents) this.#statements.storeExtent.run(this.#extents.write(segment), topic, segment.length, segment.subarray(0, HEAD_BYTES));
      else this.#storeRow(topic, segment);
    }
    this.#large.clear();
    if (inExtents) this.#extents.sync();
  }

  /** Returns 1 if the topic was stored, otherwise 0. */
  #drop(topic: string): number {
    if (this.#large.delete(topic)) return 1;
    const [extent] = (this.#statements.dropExtent.get(topic) ?? []) as [extent?: number];
    if (extent !== undefined) {
      this.#extents.release(extent);
      return 1;
    }
    const changes = Number(this.#statements.dropTopic.run(topic).changes);
    // Its pages are overwritten.
    this.#unmoved += changes * MAX_WHOLE_BYTES;
    return changes;
  }

  /** An append whose events already follow the expected revision, in this order, gets its first answer again. */
  #repeated(eventStream: string, expected: number, events: readonly string[], actual: number): Answer {
    const count = events.length / 4;
    const stored = this.#statements.ids.all(eventStream, expected + 1, expected + count) as [id: string, position: number][];
    const last = stored[count - 1];
    if (!last || stored.some(([id], i) => id !== events[i * 4])) return ['conflict', actual];
    return ['stored', expected + count, last[1]];
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

const describe = (error: unknown): { code: string; message: string } =>
  error instanceof Error
    ? { code: sqliteCode(error) ?? ('code' in error ? String(error.code) : error.name), message: error.message }
    : { code: 'unknown', message: String(error) };

class NewerLog extends Error {
  constructor(version: number) {
    super(
      `it was written by a newer version of Tributary (log version ${version}, this one knows ${LOG_VERSION}). Start that version, or a newer one.`,
    );
  }
}

const openWriter = (file: string): LogWriter | Extract<FromWriter, { kind: 'refused' }> => {
  try {
    return new LogWriter(file);
  } catch (error) {
    const { code, message } = describe(error);
    if (error instanceof NewerLog) return { kind: 'refused', message: `${file} is refused: ${message}` };
    return { kind: 'refused', message: `${file} cannot be opened: ${message} (${code}). If it is damaged, restore a backup.` };
  }
};

/** Sleeps until a message is sent after `seen`. */
const awaitMessage = (sent: Int32Array, seen: number): number => {
  Atomics.wait(sent, 0, seen);
  return Atomics.load(sent, 0);
};

/** Opens the log and reports `ready` or `refused` at `port`. Returns `null` if refused. */
export const serveLog = (port: MessagePort, file: string) => {
  const writer = openWriter(file);
  const say = (message: FromWriter) => port.postMessage(message);
  if (!(writer instanceof LogWriter)) {
    say(writer);
    return null;
  }
  say({ kind: 'ready', head: writer.head, retention: writer.retention(), lostTopics: writer.lostTopics });
  let closing = false;
  const take = (): readonly Work[] => {
    const message: ToWriter | undefined = receiveMessageOnPort(port)?.message;
    if (message !== 'close') return message ?? [];
    closing = true;
    return [];
  };
  return {
    /** Does a little of what can wait; returns whether more is left. */
    tidy: () => writer.tidyExtents(),
    /** Performs and answers all that has arrived; returns whether the writer continues. */
    perform: (): boolean => {
      for (let work = take(); work.length > 0; work = take()) {
        const answers = writer.perform(work, take);
        say({ kind: 'answers', head: writer.head, answers });
        writer.tidy();
      }
      if (closing) writer.close();
      return !closing;
    },
  };
};

const run = (port: MessagePort, { file, sent }: WriterData): void => {
  const serving = serveLog(port, file);
  if (!serving) return;
  let seen = 0;
  do {
    while (Atomics.load(sent, 0) === seen && serving.tidy());
    seen = awaitMessage(sent, seen);
  } while (serving.perform());
};

// Passed by `WriterThread`.
if (parentPort) run(parentPort, workerData as WriterData);
