import type { SQLInputValue } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { specOf } from '../documentQuery.ts';
import type { Expected, FullText } from '../documents.ts';
import * as sql from './documentSql.ts';
import * as fullTextSql from './fullTextSql.ts';
import { inWriterThread, type StoreWriter, serveWriter } from './serveWriter.ts';
import { emptyWal, openStoreFile, Statements } from './sqlite.ts';

export interface DocumentsWriterData {
  readonly file: string;
  /** `FULL` syncs every write before it is answered; `NORMAL` may lose the last ones in a power cut, but never their order. */
  readonly durability: 'FULL' | 'NORMAL';
}

/**
 * The only writer of a file of documents. `writes` is flat, `[id, position, body, id, ...]` with bodies as JSON text: threads exchange strings quickly
 * and object graphs slowly.
 */
export type DocumentsCall =
  | {
      readonly kind: 'writeBatch';
      readonly collection: string;
      readonly writes: readonly (string | null)[];
      readonly checkpoint: { readonly name: string; readonly position: string | null; readonly epoch: number };
    }
  | { readonly kind: 'create'; readonly collection: string; readonly id: string; readonly body: string }
  | { readonly kind: 'replace'; readonly collection: string; readonly id: string; readonly body: string; readonly where: Expected }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly where: Expected }
  | { readonly kind: 'deleteCheckpoint'; readonly name: string }
  | { readonly kind: 'ensureCollection'; readonly collection: string; readonly declaration: string }
  | { readonly kind: 'dropCollection'; readonly collection: string };

/** Whether anything changed. */
export type DocumentsResult = boolean | 'stale epoch';

/** Largest write-ahead log of `NORMAL` files, 32 MiB: changed pages, such as those of an index, are copied into the file less often. */
const CHECKPOINT_PAGES = 8_192;

/** Of `NORMAL` files. Deliveries have ten indexes: with SQLite's own 2 MB, most of their pages are read and written again for each batch. */
const CACHE_KIB = 32_768;

/** Freed pages of a `NORMAL` file keep their bytes until `purge` or reuse: overwriting them would take a sixth of a rebuild. */
const PRAGMAS = {
  FULL: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
  NORMAL: `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KIB};`,
};

const REMEDY = {
  FULL: 'Restore it from a backup.',
  NORMAL: 'Its content can be rebuilt: delete the file and start again.',
};

class DocumentsWriter implements StoreWriter<DocumentsCall, DocumentsResult> {
  readonly database;
  readonly #durability: DocumentsWriterData['durability'];
  readonly #statements: Statements;
  /** The write-ahead log may have a secret that was replaced or removed. */
  #keepsSecret = false;

  constructor({ file, durability }: DocumentsWriterData) {
    this.#durability = durability;
    this.database = openStoreFile({
      file,
      format: sql.FORMAT,
      pragmas: PRAGMAS[durability],
      tables: sql.SCHEMA,
      remedy: REMEDY[durability],
    });
    this.#statements = new Statements(this.database);
  }

  run(call: DocumentsCall): DocumentsResult {
    switch (call.kind) {
      case 'writeBatch':
        return this.#writeBatch(call);
      case 'create':
        return this.#change(sql.create(call.collection), call.id, call.body);
      case 'replace':
        this.#keepsSecret = true;
        return this.#change(sql.replace(call.collection, Object.keys(call.where)), call.body, call.id, ...Object.values(call.where));
      case 'remove':
        this.#keepsSecret = true;
        return this.#change(sql.remove(call.collection, Object.keys(call.where)), call.id, ...Object.values(call.where));
      case 'deleteCheckpoint':
        return this.#change(sql.DELETE_CHECKPOINT, call.name);
      case 'ensureCollection':
        return this.#ensureCollection(call);
      case 'dropCollection':
        return this.#dropCollection(call.collection);
    }
  }

  /** If it fails, it is tried again after the next call. */
  committed(): void {
    if (this.#durability === 'FULL' && this.#keepsSecret) this.#keepsSecret = !emptyWal(this.database);
  }

  /** Rewrites the file page by page: rebalanced pages may keep pieces of deleted rows, even with `secure_delete`. */
  purge(): boolean {
    try {
      for (const collection of this.#searched()) this.database.exec(fullTextSql.forgetWords(collection));
      this.database.exec('VACUUM');
    } catch {
      return false;
    }
    return emptyWal(this.database);
  }

  #writeBatch({ collection, writes, checkpoint }: Extract<DocumentsCall, { kind: 'writeBatch' }>): DocumentsResult {
    const stored = this.#statements.get(sql.READ_CHECKPOINT).get(checkpoint.name);
    if (Array.isArray(stored) && stored[1] > checkpoint.epoch) return 'stale epoch';
    if (writes.length > 0) this.#write(collection, writes);
    return this.#change(sql.WRITE_CHECKPOINT, checkpoint.name, checkpoint.position, checkpoint.epoch);
  }

  #write(collection: string, writes: readonly (string | null)[]): void {
    const fullText = this.#fullText(collection);
    const statement = this.#statements.get(sql.write(collection));
    for (let at = 0; at < writes.length; at += 3) {
      const [id = null, position = null, body = null] = writes.slice(at, at + 3);
      if (fullText) this.#writeWithWords(collection, fullText, { id, position, body });
      else statement.run(id, position, body);
    }
  }

  #writeWithWords(collection: string, fullText: FullText, { id, position, body }: Record<'id' | 'position' | 'body', string | null>): void {
    const parts = body === null ? null : fullTextSql.storedParts(JSON.parse(body), fullText);
    const written = this.#statements
      .get(fullTextSql.writeWithPassages(collection))
      .get(id, position, parts?.body ?? null, parts?.newest ?? null, parts?.passages ?? null);
    if (!Array.isArray(written)) return;
    const [number] = written;
    this.#change(fullTextSql.removeWords(collection), number);
    if (parts) this.#change(fullTextSql.addWords(collection), number, parts.words, parts.owner);
  }

  #fullText(collection: string): FullText | undefined {
    const stored = this.#statements.get(sql.READ_COLLECTION).get(collection);
    return Array.isArray(stored) ? specOf(collection, stored[0]).fullText : undefined;
  }

  #searched(): string[] {
    const names = this.#statements.get(sql.LIST_COLLECTIONS).all('').flat().map(String);
    return names.filter((name) => this.#fullText(name));
  }

  #ensureCollection({ collection, declaration }: Extract<DocumentsCall, { kind: 'ensureCollection' }>): DocumentsResult {
    const stored = this.#statements.get(sql.READ_COLLECTION).get(collection);
    if (Array.isArray(stored) && stored[0] === declaration) return false;
    const spec = specOf(collection, declaration);
    const earlier = Array.isArray(stored) ? specOf(collection, stored[0]).indexes : [];
    for (const statement of [...sql.dropIndexes(spec, earlier), ...sql.createCollection(spec)]) this.database.exec(statement);
    return this.#change(sql.WRITE_COLLECTION, collection, declaration);
  }

  #dropCollection(collection: string): DocumentsResult {
    this.database.exec(sql.dropCollection(collection));
    this.database.exec(fullTextSql.dropWords(collection));
    return this.#change(sql.DELETE_COLLECTION, collection);
  }

  #change(text: string, ...values: SQLInputValue[]): DocumentsResult {
    return this.#statements.get(text).run(...values).changes > 0;
  }
}

/** Opens the file, then performs and answers the calls that arrive at `port`. */
export const serveDocuments = (port: MessagePort, data: DocumentsWriterData): void =>
  serveWriter(port, () => ({ writer: new DocumentsWriter(data), opened: null }));

inWriterThread(serveDocuments);
