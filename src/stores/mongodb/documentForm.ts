import { createHash } from 'node:crypto';
import type { Filter, IndexDescription, Sort } from 'mongodb';
import type { JsonObject } from '../../json.ts';
import { indexedMember, isAllOf, isList, isMemberName, isRange, memberName, passageTexts, wholeNumber } from '../documentQuery.ts';
import type { CollectionSpec, DocumentWrite, Expected, FindOptions, FullText, Scalar, StoredDocument } from '../documents.ts';
import type { Position } from '../eventStore.ts';
import { foldedWords } from '../fullText/words.ts';

/**
 * A document as stored in MongoDB. The body is JSON text, so that it is returned unchanged: BSON has no unpaired surrogates and no depth over 100,
 * and servers differ about `$` and `.` in names. `keys` contains the top-level scalars that `find` may use, also those without an index, so that an
 * index can be added later. Lists of texts are in it too.
 */
export interface DocumentRecord {
  readonly _id: string;
  /** The empty string for one made by `create`. */
  readonly position: string;
  /** `null`: a tombstone. */
  readonly body: string | null;
  readonly keys: Readonly<Record<string, Scalar | readonly string[]>>;
  /** `true` for a tombstone, counted by an index. Absent otherwise. */
  readonly gone?: true;
  /** Of a collection with full text: each word of its passages once, as many as fit. */
  readonly words?: readonly string[];
  /** Random, of a document made by `create`: tells its creator whether it is its own. */
  readonly maker?: string;
}

const isScalar = (value: unknown): value is Exclude<Scalar, null> =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** MongoDB indexes each text of a list. */
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item.length <= LONGEST_KEY);

/** A document may take 16 MiB, including its body. */
const LONGEST_KEY = 1_024;
const KEPT_OF_LONG_KEY = 256;
/** Of the words of a document: some 200,000 words. */
const MOST_WORD_BYTES = 4_000_000;
/** What BSON stores beside each item of a list. */
const BYTES_BESIDE_WORD = 14;

/** A long text becomes its beginning and its digest: equal texts stay equal, and different beginnings keep their order. */
const keyed = (value: Exclude<Scalar, null>): Exclude<Scalar, null> => {
  if (typeof value !== 'string' || value.length <= LONGEST_KEY) return value;
  return `${value.slice(0, KEPT_OF_LONG_KEY)}${createHash('sha256').update(value).digest('hex')}`;
};

/** A null member is left out, since a missing one matches null too. */
const keysOf = (body: JsonObject): DocumentRecord['keys'] => {
  const keys: Record<string, Scalar | readonly string[]> = {};
  for (const name in body) {
    const value = body[name];
    if (!isMemberName(name)) continue;
    if (isScalar(value)) keys[name] = keyed(value);
    else if (isTexts(value)) keys[name] = value;
  }
  return keys;
};

/** Each word once, as many as fit. */
const storedWords = (texts: readonly string[]): string[] => {
  const words = new Set<string>();
  let left = MOST_WORD_BYTES;
  for (const text of texts)
    for (const word of foldedWords(text)) {
      if (words.has(word)) continue;
      left -= Buffer.byteLength(word) + BYTES_BESIDE_WORD;
      if (left < 0) return [...words];
      words.add(word);
    }
  return [...words];
};

/** Without its id, which the filter of a write has. */
export const recordOf = (position: Position | '', body: JsonObject | null, fullText?: FullText): Omit<DocumentRecord, '_id'> => {
  if (body === null) return { position, body, keys: {}, gone: true };
  const words = fullText && storedWords(passageTexts(body, fullText));
  return { position, body: JSON.stringify(body), keys: keysOf(body), ...(words && { words }) };
};

/** `null` for a tombstone. Only this adapter writes the records, so a body is a JSON object. */
export const documentOf = ({ _id, position, body }: DocumentRecord): StoredDocument | null =>
  body === null ? null : { id: _id, position: position as Position | '', body: JSON.parse(body) };

/** The newest of several writes to one id in a batch. */
export const newestOfEach = (writes: readonly DocumentWrite[]): DocumentWrite[] => {
  const newest = new Map<string, DocumentWrite>();
  for (const write of writes) {
    const other = newest.get(write.id);
    if (!other || other.position < write.position) newest.set(write.id, write);
  }
  return [...newest.values()];
};

export const keyOf = (member: string): string => `keys.${member}`;

/** Throws on a member without an index. A tombstone has no keys, so only conditions that a missing member meets must exclude it. */
export const filterOf = (
  spec: CollectionSpec,
  { where = {}, changedAfter }: Pick<FindOptions, 'where' | 'changedAfter'>,
): Filter<DocumentRecord> => {
  const conditions: Record<string, unknown> = changedAfter ? { position: { $gt: changedAfter } } : {};
  let leavesOutTombstones = false;
  for (const [member, wanted] of Object.entries(where)) {
    if (isRange(wanted)) {
      const { from, to } = wanted;
      conditions[keyOf(indexedMember(spec, member))] = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) };
      leavesOutTombstones = true;
      continue;
    }
    if (isAllOf(wanted)) {
      conditions[keyOf(indexedMember(spec, member))] = { $all: wanted.all };
      leavesOutTombstones = true;
      continue;
    }
    const values = (isList(wanted) ? wanted : [wanted]).map((value) => (value === null ? value : keyed(value)));
    conditions[keyOf(indexedMember(spec, member))] = values.length === 1 ? { $eq: values[0] } : { $in: values };
    leavesOutTombstones ||= !values.includes(null);
  }
  return leavesOutTombstones ? conditions : { ...conditions, body: { $ne: null } };
};

/** One document made by `create`, while its members have these values: no index is needed. */
export const createdAs = (id: string, where: Expected = {}): Filter<DocumentRecord> & { readonly _id: string } => ({
  ...Object.fromEntries(Object.entries(where).map(([member, value]) => [keyOf(memberName(member)), { $eq: keyed(value) }])),
  _id: id,
  position: '',
});

/** Throws on a member without an index, and on invalid paging. */
export const pageOf = (
  spec: CollectionSpec,
  { orderBy = [], skip = 0, limit }: FindOptions,
): { sort: Sort; skip: number; limit: number } => {
  const order = orderBy.map(({ member, direction }) => [keyOf(indexedMember(spec, member)), direction] as const);
  return {
    sort: new Map<string, 'asc' | 'desc'>([...order, ['_id', orderBy.at(-1)?.direction ?? 'asc']]),
    skip: wholeNumber('skip', skip),
    limit: wholeNumber('limit', limit),
  };
};

/** Whether this adapter created it: operators' indexes are left alone. */
export const isOwnIndex = (name: string): boolean => name.startsWith('by ');

/** Finds the tombstones, so that `count` reads no bodies. */
const TOMBSTONES: IndexDescription = { name: 'by gone', key: { gone: 1 }, sparse: true };

/** Each list of members ascending. A page that shows the newest first orders the ids descending too, so it reads the same index from its end. */
export const indexesOf = ({ indexes, fullText }: CollectionSpec): IndexDescription[] => [
  ...indexes.map(indexOf),
  TOMBSTONES,
  ...(fullText ? [{ name: 'by words', key: new Map([[keyOf(memberName(fullText.owner)), 1] as const, ['words', 1]]) }] : []),
];

const indexOf = (members: readonly string[]): IndexDescription => {
  const names = members.map(memberName);
  return { name: `by ${names.join(', ')}`, key: new Map([...names.map((name) => [keyOf(name), 1] as const), ['_id', 1]]) };
};
