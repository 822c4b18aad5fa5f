import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** A statement that returns each row as a list of its columns, in their order. */
export interface RowStatement {
  get(...values: SQLInputValue[]): unknown;
  all(...values: SQLInputValue[]): unknown[];
  run(...values: SQLInputValue[]): { readonly changes: number | bigint };
}

export const prepareRows = (database: DatabaseSync, sql: string): RowStatement => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
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
