import { Problem } from '../domain/problem.ts';

/** A moment of an event stream: a revision, or a time (ISO 8601 with milliseconds, UTC). Both inclusive; `null` is now. */
export type Moment = { readonly revision: bigint } | { readonly time: string } | null;

const REVISION = /^\d{1,18}$/;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Throws 400 for what is neither. A time without a zone is UTC. */
export const momentOf = (text: string | undefined, parameter: string): Moment => {
  if (text === undefined) return null;
  return REVISION.test(text) ? { revision: BigInt(text) } : { time: timeOf(text, parameter) };
};

/** In the form that events carry. A fraction finer than a millisecond is cut. Throws 400 for what is no time. */
export const timeOf = (text: string, parameter: string): string => {
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  // `+` in a query is a blank.
  const time = TIME.test(text) ? Date.parse(zoned) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  const nested = [new Problem('GENERAL_VALIDATION_ERROR', `${parameter}: is neither a revision nor an ISO 8601 time`)];
  throw new Problem('GENERAL_VALIDATION_ERROR', `The query is not valid: ${parameter}.`, { nested });
};
