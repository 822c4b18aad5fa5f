import { Problem } from './problem.ts';

/** What an `If-Match` header asks for: entity tags without their quotes, `*` for any, `null` when there is none. */
export type IfMatch = readonly string[] | '*' | null;

/** Reads the header. Weak tags never match, as RFC 9110 (13.1.1) has it: they are left out. */
export const parseIfMatch = (header: string | undefined): IfMatch => {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const strong = (item: string): string[] => /^"([^"]*)"$/.exec(item.trim())?.slice(1) ?? [];
  return header.split(',').flatMap(strong);
};

/** Throws 409 when the header names other states than `tag`, the present one; `null` when there is nothing yet. */
export const checkIfMatch = (wanted: IfMatch, tag: string | null): void => {
  if (wanted === null) return;
  if (tag !== null && (wanted === '*' || wanted.includes(tag))) return;
  throw new Problem('GENERAL_CONFLICT_ERROR', 'The resource has changed since the state in If-Match. Read it again and retry.');
};
