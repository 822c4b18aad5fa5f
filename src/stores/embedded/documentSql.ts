import { collectionName, indexedMember, isAllOf, isList, isRange, memberName, wholeNumber } from '../documentQuery.ts';
import type { CollectionSpec, Condition, FindOptions, TextRange } from '../documents.ts';
import { createFullText } from './fullTextSql.ts';

/** The SQL of the embedded documents. Names become part of SQL text only through the checks here; values are always bound. */

export const FORMAT = 1;

export const SCHEMA = `
CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, indexes TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, position TEXT, epoch INTEGER NOT NULL) WITHOUT ROWID;`;

/** Throws on an invalid collection name. */
export const tableOf = (collection: string): string => `"doc:${collectionName(collection)}"`;

const extracted = (member: string): string => `json_extract(body, '$.${memberName(member)}')`;

const indexName = (collection: string, members: readonly string[]): string => `doc:${collection}:${members.join(',')}`;

/** Tombstones have no body and stay out of the indexes. */
const createIndex = (collection: string, members: readonly string[]): string =>
  `CREATE INDEX IF NOT EXISTS "${indexName(collection, members)}" ON ${tableOf(collection)} (${[...members.map(extracted), 'id'].join(', ')}) WHERE body IS NOT NULL`;

export const createCollection = (spec: CollectionSpec): string[] => [
  ...(spec.fullText
    ? createFullText(spec.name)
    : [`CREATE TABLE IF NOT EXISTS ${tableOf(spec.name)} (id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, body TEXT)`]),
  ...spec.indexes.map((members) => createIndex(spec.name, members)),
];

/** Indexes of an earlier declaration that this one lacks. */
export const dropIndexes = (spec: CollectionSpec, earlier: CollectionSpec['indexes']): string[] => {
  const kept = new Set(spec.indexes.map((members) => indexName(spec.name, members)));
  return earlier
    .map((members) => indexName(spec.name, members))
    .filter((name) => !kept.has(name))
    .map((name) => `DROP INDEX IF EXISTS "${name}"`);
};

export const dropCollection = (collection: string): string => `DROP TABLE IF EXISTS ${tableOf(collection)}`;

const bodyColumns = ({ fullText }: CollectionSpec): string => (fullText ? 'body, passages' : 'body');

export const getById = (spec: CollectionSpec): string =>
  `SELECT position, ${bodyColumns(spec)} FROM ${tableOf(spec.name)} WHERE id = ? AND body IS NOT NULL`;

export const getByIds = (spec: CollectionSpec): string =>
  `SELECT id, position, ${bodyColumns(spec)} FROM ${tableOf(spec.name)} WHERE id IN (SELECT value FROM json_each(?)) AND body IS NOT NULL`;

/** Replaces only an older document; a tombstone is a row without a body. */
export const write = (collection: string): string => {
  const table = tableOf(collection);
  return `INSERT INTO ${table} (id, position, body) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET position = excluded.position, body = excluded.body WHERE ${table}.position < excluded.position`;
};

export const create = (collection: string): string =>
  `INSERT INTO ${tableOf(collection)} (id, position, body) VALUES (?, '', ?) ON CONFLICT (id) DO NOTHING`;
/** A document made by `create` whose members have the bound values. */
const expected = (members: readonly string[]): string =>
  ["id = ? AND position = ''", ...members.map((member) => `${extracted(member)} = ?`)].join(' AND ');

export const replace = (collection: string, members: readonly string[]): string =>
  `UPDATE ${tableOf(collection)} SET body = ? WHERE ${expected(members)}`;
export const remove = (collection: string, members: readonly string[]): string =>
  `DELETE FROM ${tableOf(collection)} WHERE ${expected(members)}`;

export const READ_CHECKPOINT = 'SELECT position, epoch FROM checkpoints WHERE name = ?';
export const WRITE_CHECKPOINT = 'INSERT OR REPLACE INTO checkpoints (name, position, epoch) VALUES (?, ?, ?)';
export const DELETE_CHECKPOINT = 'DELETE FROM checkpoints WHERE name = ?';
export const READ_COLLECTION = 'SELECT indexes FROM collections WHERE name = ?';
export const WRITE_COLLECTION = 'INSERT OR REPLACE INTO collections (name, indexes) VALUES (?, ?)';
export const DELETE_COLLECTION = 'DELETE FROM collections WHERE name = ?';
export const LIST_COLLECTIONS = 'SELECT name FROM collections WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name';

export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export type Values = (string | number)[];

/** SQLite's `json_extract` returns JSON's true and false as 1 and 0. */
const bound = (value: string | number | boolean): string | number => (typeof value === 'boolean' ? Number(value) : value);

/**
 * A range contains only texts: SQLite sorts numbers before the empty text, and `json_extract` gives no blobs, which come after all texts. A check with
 * `typeof` would parse every document that the index finds.
 */
const inRange = (expression: string, { from = '', to }: TextRange, values: Values): string => {
  values.push(from);
  if (to === undefined) return `${expression} >= ?`;
  values.push(to);
  return `${expression} >= ? AND ${expression} <= ?`;
};

/** The list comes from the index, as JSON. */
const containsAll = (expression: string, all: readonly string[], values: Values): string => {
  values.push(...all);
  const contains = `EXISTS (SELECT 1 FROM json_each(${expression}) WHERE json_each.value = ?)`;
  return `(${all.map(() => contains).join(' AND ')})`;
};

const condition = (member: string, wanted: Condition, values: Values): string => {
  const expression = extracted(member);
  if (isRange(wanted)) return inRange(expression, wanted, values);
  if (isAllOf(wanted)) return containsAll(expression, wanted.all, values);
  const list = isList(wanted) ? wanted : [wanted];
  const present = list.filter((value) => value !== null);
  for (const value of present) values.push(bound(value));
  const some = present.length === 1 ? `${expression} = ?` : `${expression} IN (${present.map(() => '?').join(', ')})`;
  if (present.length === list.length) return some;
  return present.length === 0 ? `${expression} IS NULL` : `(${some} OR ${expression} IS NULL)`;
};

type Where = NonNullable<FindOptions['where']>;

export const conditions = (spec: CollectionSpec, where: Where = {}, values: Values): string =>
  ['body IS NOT NULL', ...Object.entries(where).map(([member, value]) => condition(indexedMember(spec, member), value, values))].join(
    ' AND ',
  );

const laterThan = (position: FindOptions['changedAfter'], values: Values): string[] => {
  if (position === undefined) return [];
  values.push(position);
  return ['position > ?'];
};

/** `columns` are the columns of the result: `id`, or those of whole documents. */
export const findQuery = (
  spec: CollectionSpec,
  { where, changedAfter, orderBy = [], skip = 0, limit }: FindOptions,
  columns = `id, position, ${bodyColumns(spec)}`,
): Query => {
  const values: Values = [];
  const matching = [conditions(spec, where, values), ...laterThan(changedAfter, values)].join(' AND ');
  const order = orderBy.map(
    ({ member, direction }) => `${extracted(indexedMember(spec, member))} ${direction === 'desc' ? 'DESC' : 'ASC'}`,
  );
  const down = orderBy.at(-1)?.direction === 'desc';
  values.push(wholeNumber('limit', limit), wholeNumber('skip', skip));
  const sql = `SELECT ${columns} FROM ${tableOf(spec.name)} WHERE ${matching} ORDER BY ${[...order, `id ${down ? 'DESC' : 'ASC'}`].join(', ')} LIMIT ? OFFSET ?`;
  return { sql, values };
};

export const countQuery = (spec: CollectionSpec, where: FindOptions['where']): Query => {
  const values: Values = [];
  return { sql: `SELECT count(*) FROM ${tableOf(spec.name)} WHERE ${conditions(spec, where, values)}`, values };
};

/** Ordered like the index, so that SQLite groups as it reads. */
export const sumsByQuery = (spec: CollectionSpec, by: string, member: string, where: FindOptions['where']): Query => {
  const values: Values = [];
  const [key, value] = [by, member].map((name) => extracted(indexedMember(spec, name)));
  const found = `SELECT ${key} AS key, ${value} AS value FROM ${tableOf(spec.name)} WHERE ${conditions(spec, where, values)} ORDER BY ${key} LIMIT -1`;
  return { sql: `SELECT key, count(*), total(value) FROM (${found}) GROUP BY key`, values };
};

/** In a query of its own, a newer SQLite reads the member from the index. Otherwise it would parse every document. */
export const sumQuery = (spec: CollectionSpec, member: string, where: FindOptions['where']): Query => {
  const values: Values = [];
  const found = `SELECT ${extracted(indexedMember(spec, member))} AS value FROM ${tableOf(spec.name)} WHERE ${conditions(spec, where, values)}`;
  return { sql: `SELECT total(value) FROM (${found} LIMIT -1)`, values };
};
