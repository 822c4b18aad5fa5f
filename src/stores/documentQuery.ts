import type { JsonObject } from '../json.ts';
import type { AllOf, CollectionSpec, Condition, FullText, Scalar, SearchOptions, TextRange } from './documents.ts';

/** Checks shared by all documents adapters. Names become part of queries, so only safe characters are allowed. */

const COLLECTION = /^[A-Za-z][A-Za-z0-9_.@/-]{0,99}$/;
const MEMBER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Throws on an invalid collection name. */
export const collectionName = (name: string): string => {
  if (!COLLECTION.test(name)) throw new Error(`not a collection name: ${JSON.stringify(name)}`);
  return name;
};

export const isMemberName = (name: string): boolean => MEMBER.test(name);

/** Throws on an invalid name of an indexed member. */
export const memberName = (name: string): string => {
  if (!isMemberName(name)) throw new Error(`not a member name: ${JSON.stringify(name)}`);
  return name;
};

/** Throws on a member without an index. */
export const indexedMember = (spec: CollectionSpec, member: string): string => {
  if (spec.indexes.some((members) => members.includes(member))) return member;
  throw new Error(`collection ${spec.name} has no index on ${JSON.stringify(member)}`);
};

/** `value`, if it is a valid page bound. */
export const wholeNumber = (name: string, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} must be a whole number, not ${value}`);
  return value;
};

export const isList = (condition: Condition): condition is readonly Scalar[] => Array.isArray(condition);

export const isAllOf = (condition: Condition): condition is AllOf =>
  typeof condition === 'object' && condition !== null && 'all' in condition;

export const isRange = (condition: Condition): condition is TextRange =>
  typeof condition === 'object' && condition !== null && !isList(condition) && !isAllOf(condition);

/** How a collection is declared, as text. */
export const declarationOf = ({ indexes, fullText }: CollectionSpec): string => JSON.stringify(fullText ? { indexes, fullText } : indexes);

/** Only `declarationOf` wrote the text. */
export const specOf = (name: string, declaration: string): CollectionSpec => {
  const declared = JSON.parse(declaration);
  return Array.isArray(declared) ? { name, indexes: declared } : { name, ...declared };
};

/** Throws if the collection has no full text, or the search names no owner. */
export const searched = ({ name, fullText }: CollectionSpec, { where }: Pick<SearchOptions, 'where'>): FullText & { value: string } => {
  if (!fullText) throw new Error(`collection ${name} has no full text`);
  const value = where[fullText.owner];
  if (typeof value !== 'string') throw new Error(`a search of ${name} must name its ${fullText.owner}`);
  return { ...fullText, value };
};

/** Texts of the passages of a document. */
export const passageTexts = (body: JsonObject, { passages }: FullText): string[] => {
  const listed = body[passages];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((passage) => (isObject(passage) && typeof passage.text === 'string' ? [passage.text] : []));
};

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
