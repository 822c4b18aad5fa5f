import { timeOf } from '../domain/parseTime.ts';

/** A moment in an event stream: a revision or a time (ISO 8601 with milliseconds, UTC). Both inclusive; `null` is now. */
export type Moment = { readonly revision: bigint } | { readonly time: string } | null;

const REVISION = /^\d{1,18}$/;

/** Throws 400 if the text is neither. Times without a zone are UTC. */
export const momentOf = (text: string | undefined, parameter: string): Moment => {
  if (text === undefined) return null;
  return REVISION.test(text) ? { revision: BigInt(text) } : { time: timeOf(text, parameter, 'neither a revision nor an ISO 8601 time') };
};
