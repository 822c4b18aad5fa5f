import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../../json.ts';
import { declarationOf, specOf } from '../documentQuery.ts';
import {
  type Checkpoint,
  type CollectionSpec,
  type Documents,
  type DocumentWrite,
  type Expected,
  type FindOptions,
  type ReplacedDocument,
  type SearchOptions,
  StaleEpoch,
  type StoredDocument,
  type Sums,
} from '../documents.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import * as sql from './documentSql.ts';
import type { DocumentsCall, DocumentsResult, DocumentsWriterData } from './documentsWriter.ts';
import { joinedBody, searchQuery } from './fullTextSql.ts';
import { openForReading, Statements, sqliteCode } from './sqlite.ts';
import { type StartWriter, threadOf, WriterThread } from './writerThread.ts';

export interface EmbeddedDocumentsOptions extends DocumentsWriterData {
  readonly startWriter?: StartWriter<DocumentsWriterData>;
}

/**
 * Documents in one SQLite file, created if missing (mode 0600). Reads run here on their own connection and take some microseconds; writes run in a
 * thread, so that no sync stalls the event loop. Rejects with `DataDirectoryRefused` if the file cannot be used or a newer version wrote it.
 */
export const openEmbeddedDocuments = async ({
  startWriter = threadOf('documentsWriter'),
  ...data
}: EmbeddedDocumentsOptions): Promise<EmbeddedDocuments> => {
  const writer: DocumentsThread = new WriterThread({ what: data.file, start: () => startWriter(data) });
  await writer.open();
  try {
    return new EmbeddedDocuments(data.file, writer);
  } catch (error) {
    // Its thread would keep the process alive.
    await writer.close();
    throw error;
  }
};

type DocumentsThread = WriterThread<DocumentsCall, DocumentsResult>;

class EmbeddedDocuments implements Documents {
  readonly #file: string;
  readonly #reader: DatabaseSync;
  readonly #writer: DocumentsThread;
  readonly #specs = new Map<string, CollectionSpec>();
  readonly #statements: Statements;

  constructor(file: string, writer: DocumentsThread) {
    this.#file = file;
    this.#writer = writer;
    this.#reader = openForReading(file);
    this.#statements = new Statements(this.#reader);
  }

  async ensureCollection(spec: CollectionSpec): Promise<void> {
    sql.createCollection(spec); // refuse a bad name here, before it fails the transaction of others
    await this.#change({ kind: 'ensureCollection', collection: spec.name, declaration: declarationOf(spec) });
    this.#specs.set(spec.name, spec);
  }

  async dropCollection(name: string): Promise<void> {
    sql.tableOf(name);
    this.#specs.delete(name);
    await this.#change({ kind: 'dropCollection', collection: name });
  }

  async listCollections(prefix: string): Promise<string[]> {
    return this.#rows(sql.LIST_COLLECTIONS, [prefix]).map(([name]) => String(name));
  }

  async get(collection: string, id: string): Promise<StoredDocument | null> {
    const spec = this.#spec(collection);
    const row = this.#read(() => this.#statements.get(sql.getById(spec)).get(id));
    return isRow(row) ? stored(spec, [id, ...row]) : null;
  }

  async getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]> {
    if (ids.length === 0) return [];
    const spec = this.#spec(collection);
    return this.#rows(sql.getByIds(spec), [JSON.stringify(ids)]).map((row) => stored(spec, row));
  }

  async find(collection: string, options: FindOptions): Promise<StoredDocument[]> {
    const spec = this.#spec(collection);
    const query = sql.findQuery(spec, options);
    return this.#rows(query.sql, query.values).map((row) => stored(spec, row));
  }

  async findIds(collection: string, options: FindOptions): Promise<string[]> {
    const query = sql.findQuery(this.#spec(collection), options, 'id');
    return this.#rows(query.sql, query.values).map(([id]) => String(id));
  }

  async search(collection: string, options: SearchOptions): Promise<string[]> {
    const query = searchQuery(this.#spec(collection), options);
    return this.#rows(query.sql, query.values).map(([id]) => String(id));
  }

  async count(collection: string, where?: FindOptions['where']): Promise<number> {
    const query = sql.countQuery(this.#spec(collection), where);
    return Number(this.#rows(query.sql, query.values)[0]?.[0]);
  }

  async sum(collection: string, member: string, where: FindOptions['where']): Promise<number> {
    const query = sql.sumQuery(this.#spec(collection), member, where);
    return Number(this.#rows(query.sql, query.values)[0]?.[0]);
  }

  async sumsBy(collection: string, by: string, member: string, where: FindOptions['where']): Promise<Sums[]> {
    const query = sql.sumsByQuery(this.#spec(collection), by, member, where);
    return this.#rows(query.sql, query.values).map(([value, count, sum]) => ({
      value: String(value),
      count: Number(count),
      sum: Number(sum),
    }));
  }

  async writeBatch(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint): Promise<boolean> {
    if (writes.length > 0) this.#spec(collection);
    const flat = writes.flatMap(({ id, position, body }) => [id, position, body && JSON.stringify(body)]);
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

  async replace(collection: string, id: string, body: JsonObject, where: Expected = {}): Promise<boolean> {
    this.#spec(collection);
    sql.replace(collection, Object.keys(where)); // refuse a bad name here, before it fails the transaction of others
    return this.#change({ kind: 'replace', collection, id, body: JSON.stringify(body), where });
  }

  async replaceMany(collection: string, documents: readonly ReplacedDocument[]): Promise<ReadonlySet<string>> {
    const replaced = await Promise.all(documents.map(({ id, body, where }) => this.replace(collection, id, body, where)));
    return new Set(documents.filter((_, n) => replaced[n]).map(({ id }) => id));
  }

  async remove(collection: string, id: string, where: Expected = {}): Promise<void> {
    this.#spec(collection);
    sql.remove(collection, Object.keys(where)); // refuse a bad name here, before it fails the transaction of others
    await this.#change({ kind: 'remove', collection, id, where });
  }

  async purge(): Promise<void> {
    await this.#writer.purge();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    if (this.#reader.isOpen) this.#reader.close();
  }

  async #change(call: DocumentsCall): Promise<boolean> {
    const result = await this.#writer.call(call);
    if (result === 'stale epoch') throw new StaleEpoch(call.kind === 'writeBatch' ? call.checkpoint.name : '');
    return result;
  }

  /** Declared by this or an earlier process. */
  #spec(collection: string): CollectionSpec {
    let spec = this.#specs.get(collection);
    if (!spec) {
      const row = this.#rows(sql.READ_COLLECTION, [collection])[0];
      if (!row) throw new Error(`collection ${JSON.stringify(collection)} has not been declared`);
      spec = specOf(collection, String(row[0]));
      this.#specs.set(collection, spec);
    }
    return spec;
  }

  #rows(text: string, values: readonly (string | number)[]): Row[] {
    return this.#read(() =>
      this.#statements
        .get(text)
        .all(...values)
        .filter(isRow),
    );
  }

  /** A statement that SQLite does not understand is an error in the program. */
  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const code = sqliteCode(error);
      if (code === null || code === 'SQLITE_ERROR' || !(error instanceof Error)) throw error;
      throw new StoreUnavailable(`${this.#file} cannot be read at the moment: ${error.message} (${code}). Try again.`);
    }
  }
}

type Row = readonly unknown[];
const isRow = (row: unknown): row is Row => Array.isArray(row);

/** Only our own writer writes the file: position and body are text, and the body is a JSON object. Passages are bytes. */
const stored = ({ fullText }: CollectionSpec, [id, position, text, passages]: Row): StoredDocument => {
  const body = JSON.parse(text as string);
  return {
    id: String(id),
    position: position as Position | '',
    body: fullText && passages instanceof Uint8Array ? joinedBody(body, passages, fullText) : body,
  };
};
