import { conflict, notFound, Problem } from '../problem.ts';
import type { StreamEvent } from './events.ts';
import type { StreamAggregate } from './state.ts';

/** How long data stay after their retention time starts, in milliseconds. */
export interface RetentionPeriods {
  readonly ephemeral: number;
  readonly persistent: number;
}

export interface RetentionLimits extends RetentionPeriods {
  /** The longest time after a stream's end that its owner may keep its data, milliseconds. */
  readonly longest: number;
}

/** Streams that expire sooner than this cannot be kept, since their deletion may have begun. */
const TOO_LATE_MILLISECONDS = 2_000;

const ownPeriod = ({ persist }: StreamAggregate, periods: RetentionPeriods): number => (persist ? periods.persistent : periods.ephemeral);

/** When the retention time starts: at the end of the stream, or now if it is still running. Milliseconds since the epoch. */
const beginOf = ({ stream }: StreamAggregate, now: number): number =>
  stream.state === 'READY' || stream.finalizedTimestamp === null ? now : Date.parse(stream.finalizedTimestamp);

/** When the data are deleted; for a running stream, as if it ended now. Live readers may keep ephemeral data longer. Milliseconds since the epoch. */
export const expiryOf = (stream: StreamAggregate, periods: RetentionPeriods, now: number): number =>
  Math.max(beginOf(stream, now) + ownPeriod(stream, periods), stream.keptUntil === undefined ? 0 : Date.parse(stream.keptUntil));

/** The latest time until which the owner may keep the data, milliseconds since the epoch. */
export const latestExpiryOf = (stream: StreamAggregate, { longest }: RetentionLimits, now: number): number =>
  beginOf(stream, now) + longest;

const iso = (time: number): string => new Date(time).toISOString();

/**
 * Keeps the data until a later time. Refuses an EXPIRED stream (409), and a time that is not later or beyond the limit (400). Nothing for the
 * current time.
 */
export const keepStream = (
  stream: StreamAggregate | null,
  { until, now, limits }: { until: number; now: number; limits: RetentionLimits },
): readonly StreamEvent[] => {
  if (!stream) throw notFound('stream');
  const expiry = expiryOf(stream, limits, now);
  if (stream.stream.state === 'EXPIRED' || expiry < now + TOO_LATE_MILLISECONDS)
    throw conflict('The stream has expired: its data are deleted. Upload again to keep the results.');
  const latest = latestExpiryOf(stream, limits, now);
  if (until > latest)
    throw new Problem('GENERAL_VALIDATION_ERROR', `until is too late. This server keeps these data until ${iso(latest)} at the latest.`);
  if (stream.keptUntil === iso(until)) return [];
  if (until <= expiry)
    throw new Problem('GENERAL_VALIDATION_ERROR', `The data are already kept until ${iso(expiry)}. Give a later time in until.`);
  return [{ type: 'RetentionExtended', data: { until: iso(until) } }];
};
