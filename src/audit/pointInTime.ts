import { parseTime } from '../domain/parseTime.ts';
import { Problem } from '../domain/problem.ts';

/** A moment in an event stream: a revision or a time (ISO 8601 with milliseconds, UTC). Both inclusive; `null` is now. */
export type Moment = { readonly revision: bigint } | { readonly time: string } | null;

const REVISION = /^\d{1,18}$/;

/** Throws 400 if the text is neither. Times without a zone are UTC. */
export const momentOf = (text: string | undefined, parameter: string): Moment => {
  if (text === undefined) return null;
  return REVISION.test(text) ? { revision: BigInt(text) } : { time: timeOf(text, parameter, 'neither a revision nor an ISO 8601 time') };
};

/** Converts to the form in events. Cuts fractions finer than a millisecond. Throws 400 for an invalid time. */
export const timeOf = (text: string, parameter: string, wrong = 'not an ISO 8601 time'): string => {
  const time = parseTime(text);
  if (time !== null) return new Date(time).toISOString();
  const nested = [new Problem('GENERAL_VALIDATION_ERROR', `${parameter}: is ${wrong}`)];
  throw new Problem('GENERAL_VALIDATION_ERROR', `The query is not valid: ${parameter} is ${wrong}.`, { nested });
};
