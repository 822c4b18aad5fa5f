import { parseIfMatch } from '../../domain/ifMatch.ts';
import { conflict } from '../../domain/problem.ts';
import type { ApiResponse } from '../route/route.ts';

type Header = (name: string) => string | undefined;

/** Weak comparison: `W/"a"` and `"a"` are the same (RFC 9110, 8.8.3.2). */
const isAmong = (header: string, etag: string): boolean => {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => bare(tag) === bare(etag));
};

/**
 * Evaluates the preconditions of a read (RFC 9110, section 13.2.2): returns the 304 if `If-None-Match` names the present state, otherwise `null`. Throws
 * 412 if `If-Match` names another state. For commands `If-Match` gives 409 instead: `domain/ifMatch.ts`.
 */
export const preconditionAnswer = (header: Header, etag: string): ApiResponse | null => {
  const wanted = parseIfMatch(header('If-Match'));
  if (wanted !== null && wanted !== '*' && !wanted.some((tag) => `"${tag}"` === etag))
    throw conflict(`The state is ${etag} now; If-Match names another one. Read it again without If-Match.`, {
      statusCode: 412,
      title: 'Precondition failed',
    });
  const known = header('If-None-Match');
  return known !== undefined && isAmong(known, etag) ? { status: 304, headers: { ETag: etag } } : null;
};

/** The answer of a read, after its preconditions. */
export const withPreconditions = (header: Header, response: ApiResponse): ApiResponse => {
  const etag = response.headers?.ETag;
  return etag === undefined || response.status >= 300 ? response : (preconditionAnswer(header, etag) ?? response);
};
