import { chmodSync, closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** A statement that returns each row as a list of its columns, in their order. */
export interface RowStatement {
  get(...values: SQLInputValue[]): unknown;
  all(...values: SQLInputValue[]): unknown[];
  iterate(...values: SQLInputValue[]): Iterable<unknown>;
  run(...values: SQLInputValue[]): { readonly changes: number | bigint };
}

export const prepareRows = (database: DatabaseSync, sql: string): RowStatement => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
};

/** Bounded, because a list in a query may have many lengths. */
const MAX_STATEMENTS = 500;

/** Prepared statements of a database, by their SQL. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new LRUCache<string, RowStatement>({ max: MAX_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): RowStatement {
    const prepared = this.#prepared.get(sql);
    if (prepared) return prepared;
    const statement = prepareRows(this.#database, sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** A connection that cannot write. */
export const openForReading = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  database.exec('PRAGMA query_only = ON');
  return database;
};

export interface StoreFile {
  readonly file: string;
  /** `user_version` of the tables. A file with a higher one was written by a newer Tributary. */
  readonly format: number;
  readonly pragmas: string;
  readonly tables: string;
  /** What to do about a damaged file: a sentence. */
  readonly remedy: string;
}

/** Opens a store's file for writing, creating it if it is missing (mode 0600). Throws an error whose message is for the operator. */
export const openStoreFile = ({ file, format, pragmas, tables, remedy }: StoreFile): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    makePrivate(file);
    database = new DatabaseSync(file, { timeout: 1_000 });
    const version = versionOf(database);
    if (version !== 0 && version !== format) throw new Error(otherFormat(version, format));
    database.exec(pragmas);
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${tables} PRAGMA user_version = ${format}; COMMIT`);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw cannotOpen(file, error, remedy);
  }
};

/** `user_version`: 0 in a new file. */
export const versionOf = (database: DatabaseSync): number => Number(database.prepare('PRAGMA user_version').get()?.user_version);

export const pageSizeOf = (database: DatabaseSync): number => Number(database.prepare('PRAGMA page_size').get()?.page_size);

const otherFormat = (version: number, format: number): string =>
  version > format
    ? `it was written by a newer version of Tributary (format ${version}, this one knows ${format}). Start that version, or a newer one.`
    : `it has the earlier format ${version} and was not upgraded to ${format}`;

export const cannotOpen = (file: string, error: unknown, remedy: string): Error => {
  const reason = `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  return new Error(isDamage(error) ? `${reason}. ${remedy}` : reason, { cause: error });
};

/** An existing file is never opened here: closing it again would drop the locks of all connections of this process (POSIX). */
const makePrivate = (file: string): void => {
  if (!existsSync(file)) {
    // A write-ahead log without its file is left over from a deleted one.
    for (const rest of ['-wal', '-shm']) rmSync(file + rest, { force: true });
    closeSync(openSync(file, 'ax', 0o600));
  }
  chmodSync(file, 0o600);
};

/** A lock or a failing disk does not mean that the file is damaged. */
const isDamage = (error: unknown): boolean => ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(sqliteCode(error) ?? '');

/** Moves the write-ahead log into the file and truncates it. `false` if it is in use, or the disk is full. */
export const emptyWal = (database: DatabaseSync): boolean => {
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch {
    return false;
  }
};

/** SQLite's result codes that get a name in messages or an answer of their own. */
const NAMES = new Map([
  [1, 'SQLITE_ERROR'],
  [5, 'SQLITE_BUSY'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
]);

/** The name of SQLite's result code, such as `SQLITE_BUSY`; `null` if the error is not SQLite's. */
export const sqliteCode = (error: unknown): string | null => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  // The lowest byte is the code; the others say more.
  return NAMES.get(error.errcode & 0xff) ?? `SQLITE_${error.errcode}`;
};
