/**
 * The writer thread of the embedded documents: the only connection that writes the file. All calls waiting at the start of a turn become one
 * transaction with one sync; each call gets its own outcome.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import * as sql from './documentSql.ts';
import { prepareRows, type RowStatement, sqliteCode } from './sqlite.ts';

export interface WriterSettings {
  readonly file: string;
  readonly durability: 'FULL' | 'NORMAL';
}

/** `writes` is flat, `[id, position, body, id, ...]` with bodies as JSON text: threads exchange strings quickly and object graphs slowly. */
export type WriteCall =
  | {
      readonly kind: 'writeBatch';
      readonly collection: string;
      readonly writes: readonly (string | null)[];
      readonly checkpoint: { readonly name: string; readonly position: string | null; readonly epoch: number };
    }
  | { readonly kind: 'create' | 'replace'; readonly collection: string; readonly id: string; readonly body: string }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly where: Readonly<Record<string, string>> }
  | { readonly kind: 'deleteCheckpoint'; readonly name: string }
  | { readonly kind: 'ensureCollection'; readonly collection: string; readonly indexes: string }
  | { readonly kind: 'dropCollection'; readonly collection: string }
  | { readonly kind: 'purge' };

export type Outcome =
  | { readonly is: 'done'; readonly changed: boolean }
  | { readonly is: 'staleEpoch' }
  /** `code` is SQLite's; the writer continues. */
  | { readonly is: 'failed'; readonly code: string; readonly message: string };

/** Calls, or `close`, which is answered by the end of the thread. */
export type ToWriter = readonly WriteCall[] | 'close';
/** `ready` once; then, each turn, the outcomes of the calls it handled, in the order of the calls. */
export type FromWriter = { readonly ready: true } | { readonly outcomes: readonly Outcome[] };

/** 32 MiB. */
const CHECKPOINT_PAGES = 8_192;

const open = ({ file, durability }: WriterSettings): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${durability}`);
  // Freed pages of a read model keep their bytes until `purge` or reuse: overwriting them would take a sixth of a rebuild.
  database.exec(`PRAGMA secure_delete = ${durability === 'FULL' ? 'ON' : 'FAST'}`);
  // Copies frequently changed pages, such as those of an index, into the file less often.
  if (durability === 'NORMAL') database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec(sql.SCHEMA);
  return database;
};

const NOT_PURGED: Outcome = { is: 'failed', code: 'SQLITE_BUSY', message: 'the write-ahead log is being read: try again' };

const failure = (error: unknown): Outcome => ({
  is: 'failed',
  code: sqliteCode(error) ?? '',
  message: error instanceof Error ? error.message : String(error),
});

class Writer {
  readonly #database: DatabaseSync;
  readonly #durability: WriterSettings['durability'];
  readonly #statements = new Map<string, RowStatement>();
  #waiting: WriteCall[] = [];

  constructor(settings: WriterSettings) {
    this.#database = open(settings);
    this.#durability = settings.durability;
  }

  serve(port: MessagePort): void {
    const answer = (message: FromWriter) => port.postMessage(message);
    port.on('message', (message: ToWriter) => {
      if (message === 'close') {
        if (this.#waiting.length > 0) answer({ outcomes: this.#turn() });
        this.#database.close();
        port.close();
        return;
      }
      // The turn starts after all messages that have arrived are received.
      if (this.#waiting.length === 0) setImmediate(() => this.#waiting.length > 0 && answer({ outcomes: this.#turn() }));
      this.#waiting.push(...message);
    });
    answer({ ready: true });
  }

  #turn(): Outcome[] {
    const calls = this.#waiting;
    this.#waiting = [];
    const together = this.#transaction(calls);
    const outcomes = Array.isArray(together) ? together : calls.length === 1 ? [together] : calls.map((call) => this.#alone(call));
    // The write-ahead log must not keep an erased key.
    if (this.#durability === 'FULL' && calls.some(({ kind }) => kind === 'replace' || kind === 'remove')) this.#emptyLog();
    const inUse = calls.some(({ kind }) => kind === 'purge') && !this.#writeAnew();
    return calls.map(({ kind }, index) => (inUse && kind === 'purge' ? NOT_PURGED : (outcomes[index] ?? failure(new Error('no outcome')))));
  }

  #alone(call: WriteCall): Outcome {
    const result = this.#transaction([call]);
    return Array.isArray(result) ? (result[0] ?? failure(new Error('no outcome'))) : result;
  }

  /** One outcome per call, or the reason why the whole transaction failed. */
  #transaction(calls: readonly WriteCall[]): Outcome[] | Outcome {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const outcomes = calls.map((call) => this.#run(call));
      this.#database.exec('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.#database.isTransaction) this.#rollBack();
      return failure(error);
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
  }

  /** Rewrites the file page by page: rebalanced pages may keep pieces of deleted rows, even with `secure_delete`. */
  #writeAnew(): boolean {
    try {
      this.#database.exec('VACUUM');
      return this.#emptyLog();
    } catch {
      return false;
    }
  }

  /** `false` if it failed: the commit stays, and the next call empties the log. */
  #emptyLog(): boolean {
    try {
      const row = prepareRows(this.#database, 'PRAGMA wal_checkpoint(TRUNCATE)').get();
      return Array.isArray(row) && row[0] === 0;
    } catch {
      return false;
    }
  }

  #run(call: WriteCall): Outcome {
    switch (call.kind) {
      case 'writeBatch':
        return this.#writeBatch(call);
      case 'create':
        return this.#change(sql.create(call.collection), call.id, call.body);
      case 'replace':
        return this.#change(sql.replace(call.collection), call.body, call.id);
      case 'remove':
        return this.#change(sql.remove(call.collection, Object.keys(call.where)), call.id, ...Object.values(call.where));
      case 'deleteCheckpoint':
        return this.#change(sql.DELETE_CHECKPOINT, call.name);
      case 'ensureCollection':
        return this.#ensureCollection(call);
      case 'purge':
        // Outside a transaction: see `#turn`.
        return { is: 'done', changed: false };
      case 'dropCollection':
        return this.#dropCollection(call.collection);
    }
  }

  #writeBatch({ collection, writes, checkpoint }: Extract<WriteCall, { kind: 'writeBatch' }>): Outcome {
    const stored = this.#statement(sql.READ_CHECKPOINT).get(checkpoint.name);
    if (Array.isArray(stored) && stored[1] > checkpoint.epoch) return { is: 'staleEpoch' };
    if (writes.length > 0) {
      const statement = this.#statement(sql.write(collection));
      for (let at = 0; at < writes.length; at += 3) statement.run(...writes.slice(at, at + 3));
    }
    return this.#change(sql.WRITE_CHECKPOINT, checkpoint.name, checkpoint.position, checkpoint.epoch);
  }

  #ensureCollection({ collection, indexes }: Extract<WriteCall, { kind: 'ensureCollection' }>): Outcome {
    const stored = this.#statement(sql.READ_COLLECTION).get(collection);
    if (Array.isArray(stored) && stored[0] === indexes) return { is: 'done', changed: false };
    const spec = { name: collection, indexes: JSON.parse(indexes) };
    const earlier = Array.isArray(stored) ? JSON.parse(stored[0]) : [];
    for (const statement of [...sql.dropIndexes(spec, earlier), ...sql.createCollection(spec)]) this.#database.exec(statement);
    return this.#change(sql.WRITE_COLLECTION, collection, indexes);
  }

  #dropCollection(collection: string): Outcome {
    this.#database.exec(sql.dropCollection(collection));
    return this.#change(sql.DELETE_COLLECTION, collection);
  }

  #change(text: string, ...values: SQLInputValue[]): Outcome {
    return { is: 'done', changed: this.#statement(text).run(...values).changes > 0 };
  }

  /** Returns rows as lists of columns. Collections are few, so all statements are cached. */
  #statement(text: string): RowStatement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = prepareRows(this.#database, text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** Opens the file, then performs and answers the calls that arrive at `port`. */
export const serveDocuments = (port: MessagePort, settings: WriterSettings): void => new Writer(settings).serve(port);

if (parentPort) serveDocuments(parentPort, workerData);
