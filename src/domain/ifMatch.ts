import { conflict } from './problem.ts';

/** The entity tags of an `If-Match` header without quotes, `*` for any, or `null` if the header is missing. */
export type IfMatch = readonly string[] | '*' | null;

/** Parses the header. A weak tag counts as its strong one: all our tags are strong, and proxies that compress make them weak. */
export const parseIfMatch = (header: string | undefined): IfMatch => {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const opaque = (item: string): string[] => /^(?:W\/)?"([^"]*)"$/.exec(item.trim())?.slice(1) ?? [];
  return header.split(',').flatMap(opaque);
};

/** Throws 409 if the header does not name `tag`, the tag of the current state (`null` if the resource does not exist). */
export const checkIfMatch = (wanted: IfMatch, tag: string | null): void => {
  if (wanted === null) return;
  if (tag !== null && (wanted === '*' || wanted.includes(tag))) return;
  throw conflict('The resource has changed since the state in If-Match. Read it again and retry.');
};
