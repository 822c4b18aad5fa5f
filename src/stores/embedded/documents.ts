import { chmodSync, closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../json.ts';
import { givingWay, ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { wholeNumber } from '../documentQuery.ts';
import {
  type Checkpoint,
  type CollectionSpec,
  type Documents,
  type DocumentWrite,
  type FindOptions,
  type ReplacedDocument,
  StaleEpoch,
  type StoredDocument,
} from '../documents.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import { DataDirectoryRefused } from './dataDirectory.ts';
import * as sql from './documentSql.ts';
import { DocumentsThread, type StartDocumentsWriter } from './documentsThread.ts';
import type { WriteCall, WriterSettings } from './documentsWriter.ts';
import { prepareRows, type RowStatement, sqliteCode } from './sqlite.ts';

/**
 * Documents in one SQLite file, created if missing (mode 0600). Reads run here on their own connection and take some microseconds; writes run in a
 * thread, so that no sync stalls the event loop. `FULL` syncs every write before it is answered; `NORMAL` may lose the last ones in a power cut,
 * but never their order. Rejects if a newer version wrote the file.
 */
export const openEmbeddedDocuments = async ({
  startWriter,
  ...settings
}: WriterSettings & { readonly startWriter?: StartDocumentsWriter }): Promise<EmbeddedDocuments> => {
  prepareFile(settings.file);
  refuseNewerFormat(settings);
  const writer = new DocumentsThread(settings, startWriter);
  await writer.open();
  try {
    return new EmbeddedDocuments(settings.file, writer);
  } catch (error) {
    // Its thread would keep the process alive.
    await writer.close();
    throw error;
  }
};

/** An existing file is never opened here: closing it again would drop the locks of all connections of this process (POSIX). */
const prepareFile = (file: string): void => {
  if (!existsSync(file)) {
    // A write-ahead log without its file is left over from a deleted one.
    for (const rest of ['-wal', '-shm']) rmSync(file + rest, { force: true });
    closeSync(openSync(file, 'ax', 0o600));
  }
  chmodSync(file, 0o600);
};

const refuseNewerFormat = (settings: WriterSettings): void => {
  const { file } = settings;
  const version = formatOf(settings);
  if (version > sql.FORMAT)
    throw new DataDirectoryRefused(`${file} was written by a newer version of Tributary (format ${version}). Start that version.`);
};

const formatOf = ({ file, durability }: WriterSettings): number => {
  try {
    const database = new DatabaseSync(file);
    try {
      return Number(database.prepare('PRAGMA user_version').get()?.user_version);
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    // Data that a power cut may lose can be rebuilt.
    const remedy = durability === 'NORMAL' ? 'Its content can be rebuilt: delete the file and start again.' : 'Restore it from a backup.';
    throw new DataDirectoryRefused(isDamage(error) ? `${reason}. ${remedy}` : reason, { cause: error });
  }
};

/** A lock or a failing disk does not mean that the file is damaged. */
const isDamage = (error: unknown): boolean => ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(sqliteCode(error) ?? '');

/** Documents looked at in one step of a scan. A step of large documents takes longer. */
const [SMALLEST_STEP, FIRST_STEP, LARGEST_STEP] = [4, 50, 2_000];
const [SHORT_STEP_MILLISECONDS, LONG_STEP_MILLISECONDS] = [2, 6];

class EmbeddedDocuments implements Documents {
  readonly #file: string;
  readonly #reader: DatabaseSync;
  readonly #writer: DocumentsThread;
  readonly #specs = new Map<string, CollectionSpec>();
  readonly #gets = new Map<string, RowStatement>();
  /** Bounded: `find` has few shapes, but lists of many lengths would fill the cache. */
  readonly #statements = new LRUCache<string, RowStatement>({ max: 500 });

  /** Of the thread that writes. */
  readonly utilization: typeof performance.eventLoopUtilization;

  constructor(file: string, writer: DocumentsThread) {
    this.utilization = writer.utilization;
    this.#file = file;
    this.#writer = writer;
    this.#reader = new DatabaseSync(file, { timeout: 1_000 });
    this.#reader.exec('PRAGMA query_only = ON');
  }

  async ensureCollection(spec: CollectionSpec): Promise<void> {
    sql.createCollection(spec); // refuse a bad name here, before it fails the transaction of others
    await this.#change({ kind: 'ensureCollection', collection: spec.name, indexes: JSON.stringify(spec.indexes) });
    this.#specs.set(spec.name, spec);
  }

  async dropCollection(name: string): Promise<void> {
    sql.tableOf(name);
    this.#specs.delete(name);
    this.#gets.delete(name);
    await this.#change({ kind: 'dropCollection', collection: name });
  }

  async listCollections(prefix: string): Promise<string[]> {
    return this.#rows(sql.LIST_COLLECTIONS, [prefix]).map(([name]) => String(name));
  }

  async get(collection: string, id: string): Promise<StoredDocument | null> {
    const row = this.#read(() => this.#getStatement(collection).get(id));
    return isRow(row) ? stored(id, row[0], row[1]) : null;
  }

  async getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]> {
    if (ids.length === 0) return [];
    this.#spec(collection);
    return parsed(this.#rows(sql.getByIds(collection), [JSON.stringify(ids)]));
  }

  async find(collection: string, options: FindOptions): Promise<StoredDocument[]> {
    const spec = this.#spec(collection);
    const scan = sql.findScan(spec, options);
    if (scan) {
      const ids = await this.#scannedIds(spec, scan, options);
      const found = new Map((await this.getMany(collection, ids)).map((document) => [document.id, document]));
      return ids.flatMap((id) => found.get(id) ?? []);
    }
    const query = sql.findQuery(spec, options);
    return parsed(this.#rows(query.sql, query.values));
  }

  async findIds(collection: string, options: FindOptions): Promise<string[]> {
    const spec = this.#spec(collection);
    const scan = sql.findScan(spec, options);
    if (scan) return this.#scannedIds(spec, scan, options);
    const query = sql.findQuery(spec, options, 'id');
    return this.#rows(query.sql, query.values).map(([id]) => String(id));
  }

  async count(collection: string, where?: FindOptions['where']): Promise<number> {
    const spec = this.#spec(collection);
    const scan = sql.countScan(spec, where);
    if (scan) return (await this.#scannedIds(spec, scan, { limit: Number.MAX_SAFE_INTEGER })).length;
    const query = sql.countQuery(spec, where);
    return Number(this.#rows(query.sql, query.values)[0]?.[0]);
  }

  async writeBatch(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint): Promise<boolean> {
    if (writes.length > 0) this.#spec(collection);
    const giveWay = givingWay();
    const flat: (string | null)[] = [];
    for (const { id, position, body } of writes) {
      await giveWay();
      flat.push(id, position, body && JSON.stringify(body));
    }
    await this.#change({ kind: 'writeBatch', collection, writes: flat, checkpoint });
    return true;
  }

  async readCheckpoint(name: string): Promise<Checkpoint | null> {
    const row = this.#rows(sql.READ_CHECKPOINT, [name])[0];
    if (!row) return null;
    return { name, position: row[0] === null ? null : (String(row[0]) as Position), epoch: Number(row[1]) };
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await this.#change({ kind: 'deleteCheckpoint', name });
  }

  async create(collection: string, id: string, body: JsonObject): Promise<boolean> {
    this.#spec(collection);
    return this.#change({ kind: 'create', collection, id, body: JSON.stringify(body) });
  }

  async replace(collection: string, id: string, body: JsonObject): Promise<boolean> {
    this.#spec(collection);
    return this.#change({ kind: 'replace', collection, id, body: JSON.stringify(body) });
  }

  async replaceMany(collection: string, documents: readonly ReplacedDocument[]): Promise<ReadonlySet<string>> {
    const replaced = await Promise.all(documents.map(({ id, body }) => this.replace(collection, id, body)));
    return new Set(documents.filter((_, n) => replaced[n]).map(({ id }) => id));
  }

  async remove(collection: string, id: string, where: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#spec(collection);
    sql.remove(collection, Object.keys(where)); // refuse a bad name here, before it fails the transaction of others
    await this.#change({ kind: 'remove', collection, id, where });
  }

  async purge(): Promise<void> {
    await this.#change({ kind: 'purge' });
  }

  async close(): Promise<void> {
    await this.#writer.close();
    if (this.#reader.isOpen) this.#reader.close();
  }

  async #change(call: WriteCall): Promise<boolean> {
    const outcome = await this.#writer.call(call);
    if (outcome.is === 'done') return outcome.changed;
    if (outcome.is === 'staleEpoch') throw new StaleEpoch(call.kind === 'writeBatch' ? call.checkpoint.name : '');
    throw this.#failed(outcome.code, outcome.message);
  }

  /** Declared by this or an earlier process. */
  #spec(collection: string): CollectionSpec {
    let spec = this.#specs.get(collection);
    if (!spec) {
      const row = this.#rows(sql.READ_COLLECTION, [collection])[0];
      if (!row) throw new Error(`collection ${JSON.stringify(collection)} has not been declared`);
      spec = { name: collection, indexes: JSON.parse(String(row[0])) };
      this.#specs.set(collection, spec);
    }
    return spec;
  }

  #getStatement(collection: string): RowStatement {
    let statement = this.#gets.get(collection);
    if (!statement) {
      this.#spec(collection);
      statement = prepareRows(this.#reader, sql.getById(collection));
      this.#gets.set(collection, statement);
    }
    return statement;
  }

  #rows(text: string, values: readonly (string | number)[]): Row[] {
    return this.#read(() => {
      let statement = this.#statements.get(text);
      if (!statement) {
        statement = prepareRows(this.#reader, text);
        this.#statements.set(text, statement);
      }
      return statement.all(...values).filter(isRow);
    });
  }

  /** Reads an index in short steps and gives way between them, however many documents it finds and however large they are. */
  async #scannedIds(spec: CollectionSpec, scan: sql.Scan, { skip = 0, limit }: Pick<FindOptions, 'skip' | 'limit'>): Promise<string[]> {
    const most = wholeNumber('skip', skip) + wholeNumber('limit', limit);
    const giveWay = givingWay();
    const ids: string[] = [];
    let after: sql.ScanPlace | null = null;
    for (let size = FIRST_STEP; ids.length < most; ) {
      await giveWay();
      const began = performance.now();
      const query = sql.stepQuery(spec, scan, after, size);
      const rows = this.#rows(query.sql, query.values);
      const took = performance.now() - began;
      for (const [id, , fits] of rows) if (fits === 1) ids.push(String(id));
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      // Every document of such a collection has the member.
      after = { value: last[1] as string | number, id: String(last[0]) };
      if (took < SHORT_STEP_MILLISECONDS) size = Math.min(size * 2, LARGEST_STEP);
      else if (took > LONG_STEP_MILLISECONDS) size = Math.max(size >> 1, SMALLEST_STEP);
    }
    return ids.slice(skip, most);
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const code = sqliteCode(error);
      throw code !== null && error instanceof Error ? this.#failed(code, error.message) : error;
    }
  }

  /** A malformed statement is a programming error; any other failure comes from the disk or the file. */
  #failed(code: string, message: string): Error {
    const isOurs = code === '' || code === 'SQLITE_ERROR';
    return isOurs ? new Error(message) : new StoreUnavailable(`${this.#file} cannot be used: ${message}`);
  }
}

type Row = readonly unknown[];
const isRow = (row: unknown): row is Row => Array.isArray(row);

/** Only our own writer writes the file: position and body are text, and the body is a JSON object. */
const stored = (id: string, position: unknown, body: unknown): StoredDocument => ({
  id,
  position: position as Position | '',
  body: JSON.parse(body as string),
});
const fromRow = ([id, position, body]: Row): StoredDocument => stored(String(id), position, body);

/** Lets other work run between documents, and after each large one: what its reader does with it takes as long again. */
const parsed = async (rows: readonly Row[]): Promise<StoredDocument[]> => {
  const giveWay = givingWay();
  const documents: StoredDocument[] = [];
  for (const row of rows) {
    await giveWay();
    documents.push(fromRow(row));
    if (String(row[2]).length > SMALL_STEP_BYTES) await ownTurn();
  }
  return documents;
};
