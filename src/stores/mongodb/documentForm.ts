import type { Filter, IndexDescription, Sort } from 'mongodb';
import type { JsonObject } from '../../json.ts';
import { indexedMember, isList, isMemberName, isRange, memberName, wholeNumber } from '../documentQuery.ts';
import type { CollectionSpec, DocumentWrite, FindOptions, Scalar, StoredDocument } from '../documents.ts';
import type { Position } from '../eventStore.ts';

/**
 * How a document lies in MongoDB. The body is JSON text, so that it comes back as it went in: BSON knows no lone surrogates and no depth
 * over 100, and servers differ about `$` and `.` in names. What `find` may ask for stands beside it: the top-level members that are
 * scalars, whether an index names them or not, so that an index can be added to documents that are there.
 */
export interface DocumentRecord {
  readonly _id: string;
  /** The empty string for one made by `create`. */
  readonly position: string;
  /** `null`: a tombstone. */
  readonly body: string | null;
  readonly keys: Readonly<Record<string, Scalar>>;
}

const isScalar = (value: unknown): value is Exclude<Scalar, null> =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A member that is null is left out, since a missing one is found as null too. */
const keysOf = (body: JsonObject): Record<string, Scalar> => {
  const keys: Record<string, Scalar> = {};
  for (const name in body) {
    const value = body[name];
    if (isScalar(value) && isMemberName(name)) keys[name] = value;
  }
  return keys;
};

/** Without its id, which the filter of a write gives. */
export const recordOf = (position: Position | '', body: JsonObject | null): Omit<DocumentRecord, '_id'> =>
  body === null ? { position, body, keys: {} } : { position, body: JSON.stringify(body), keys: keysOf(body) };

/** Only this adapter writes the records: a body is a JSON object. `null` for a tombstone. */
export const documentOf = ({ _id, position, body }: DocumentRecord): StoredDocument | null =>
  body === null ? null : { id: _id, position: position as Position | '', body: JSON.parse(body) };

export const isDocument = (document: StoredDocument | null): document is StoredDocument => document !== null;

/** Of several writes to one id in a batch the newest. */
export const newestOfEach = (writes: readonly DocumentWrite[]): DocumentWrite[] => {
  const newest = new Map<string, DocumentWrite>();
  for (const write of writes) {
    const other = newest.get(write.id);
    if (!other || other.position < write.position) newest.set(write.id, write);
  }
  return [...newest.values()];
};

const keyOf = (member: string): string => `keys.${member}`;

/** Throws on a member that no index names. A tombstone has no keys: only conditions that a missing member meets must keep it out. */
export const filterOf = (spec: CollectionSpec, where: FindOptions['where'] = {}): Filter<DocumentRecord> => {
  const conditions: Record<string, unknown> = {};
  let leavesOutTombstones = false;
  for (const [member, wanted] of Object.entries(where)) {
    if (isRange(wanted)) {
      const { from, to } = wanted;
      conditions[keyOf(indexedMember(spec, member))] = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) };
      leavesOutTombstones = true;
      continue;
    }
    const values = isList(wanted) ? wanted : [wanted];
    conditions[keyOf(indexedMember(spec, member))] = values.length === 1 ? { $eq: values[0] } : { $in: values };
    leavesOutTombstones ||= !values.includes(null);
  }
  return leavesOutTombstones ? conditions : { ...conditions, body: { $ne: null } };
};

/** Of one document, which its id finds: no index is needed. */
export const textsOf = (where: Readonly<Record<string, string>>): Filter<DocumentRecord> =>
  Object.fromEntries(Object.entries(where).map(([member, text]) => [keyOf(memberName(member)), { $eq: text }]));

/** Throws on a member that no index names, and on bad paging. */
export const pageOf = (
  spec: CollectionSpec,
  { orderBy = [], skip = 0, limit }: FindOptions,
): { sort: Sort; skip: number; limit: number } => {
  const order = orderBy.map(({ member, direction }) => [keyOf(indexedMember(spec, member)), direction] as const);
  return {
    sort: new Map<string, 'asc' | 'desc'>([...order, ['_id', 'asc']]),
    skip: wholeNumber('skip', skip),
    limit: wholeNumber('limit', limit),
  };
};

/** Those of this adapter, so that an index which a person has made is left alone. */
export const isOwnIndex = (name: string): boolean => name.startsWith('by ');

/** Each list of members upwards, and once more with its last member downwards: a page that is newest first has its ids upwards all the same. */
export const indexesOf = ({ indexes }: CollectionSpec): IndexDescription[] => indexes.flatMap((members) => indexOf(members));

const indexOf = (members: readonly string[]): IndexDescription[] => {
  const names = members.map(memberName);
  const upwards = names.map((name) => [keyOf(name), 1] as const);
  const index = { name: `by ${names.join(', ')}`, key: new Map([...upwards, ['_id', 1]]) };
  if (names.length < 2) return [index];
  const downwards = upwards.map(([key], n) => [key, n === names.length - 1 ? -1 : 1] as const);
  return [index, { name: `${index.name} downwards`, key: new Map([...downwards, ['_id', 1]]) }];
};
