import { conflict, notFound, Problem } from '../problem.ts';
import type { StreamEvent } from './events.ts';
import type { StreamAggregate } from './state.ts';

/** How long data stay after their retention time starts, in milliseconds. */
export interface RetentionPeriods {
  readonly ephemeral: number;
  /** Of persistent streams. 0: until they are deleted. */
  readonly persistent: number;
}

export interface RetentionLimits extends RetentionPeriods {
  /** The longest time after a stream's end that its owner may keep its data, milliseconds. 0: no bound. */
  readonly longest: number;
}

/** Streams that expire sooner than this cannot be kept, since their deletion may have begun. */
const TOO_LATE_MILLISECONDS = 2_000;
/** Default of the versions whose streams do not say how long they are kept. */
const FORMER_MILLISECONDS = 10_800_000;

/** How long the data of new persistent streams are kept, seconds; 0: until they are deleted, which a bound does not allow. */
export const newPeriodSeconds = ({ persistent, longest }: Pick<RetentionLimits, 'persistent' | 'longest'>): number =>
  Math.ceil((persistent || longest) / 1_000);

/** Period of persistent streams of earlier versions, whose events do not say it, milliseconds. */
export const formerPeriod = ({ persistent }: RetentionPeriods): number => persistent || FORMER_MILLISECONDS;

/** `null`: until the data are deleted. */
const ownPeriod = ({ persist, keepSeconds }: StreamAggregate, periods: RetentionPeriods): number | null => {
  if (keepSeconds !== undefined) return keepSeconds === 0 ? null : keepSeconds * 1_000;
  return persist ? formerPeriod(periods) : periods.ephemeral;
};

/** When the retention time starts: at the end of the stream, or now if it is still running. Milliseconds since the epoch. */
const beginOf = ({ stream }: StreamAggregate, now: number): number =>
  stream.state === 'READY' || stream.finalizedTimestamp === null ? now : Date.parse(stream.finalizedTimestamp);

/** Whether the stream itself says how long its data are kept, and not only the settings of the server. */
export const hasOwnRetention = ({ keepSeconds, keptUntil, retainedUntil }: StreamAggregate): boolean =>
  keepSeconds !== undefined || keptUntil !== undefined || retainedUntil !== undefined;

/**
 * When the data are deleted; for a running stream, as if it ended now. `null`: only when someone deletes them. Live readers may keep ephemeral data longer.
 * Milliseconds since the epoch.
 */
export const expiryOf = (stream: StreamAggregate, periods: RetentionPeriods, now: number): number | null => {
  const { retainedUntil, keptUntil } = stream;
  if (retainedUntil !== undefined) return retainedUntil === null ? null : Date.parse(retainedUntil);
  const period = ownPeriod(stream, periods);
  return period === null ? null : Math.max(beginOf(stream, now) + period, keptUntil === undefined ? 0 : Date.parse(keptUntil));
};

/** The latest time until which the owner may keep the data, milliseconds since the epoch. `null`: no bound. */
export const latestExpiryOf = (stream: StreamAggregate, { longest }: RetentionLimits, now: number): number | null =>
  longest === 0 ? null : beginOf(stream, now) + longest;

const iso = (time: number): string => new Date(time).toISOString();

/**
 * Keeps the data until a time; `null` until someone deletes them. Refuses an EXPIRED stream (409), and a time that has passed or is beyond the bound
 * (400). Nothing for the current time.
 */
export const keepStream = (
  stream: StreamAggregate | null,
  { until, now, limits }: { until: number | null; now: number; limits: RetentionLimits },
): readonly StreamEvent[] => {
  if (!stream) throw notFound('stream');
  const expiry = expiryOf(stream, limits, now);
  if (stream.stream.state === 'EXPIRED' || (expiry !== null && expiry < now + TOO_LATE_MILLISECONDS))
    throw conflict('The stream has expired: its data are deleted. Upload again to keep the results.');
  const latest = latestExpiryOf(stream, limits, now);
  if (latest !== null && (until === null || until > latest))
    throw new Problem('GENERAL_VALIDATION_ERROR', `until is too late. This server keeps these data until ${iso(latest)} at the latest.`);
  if (until !== null && until < now)
    throw new Problem('GENERAL_VALIDATION_ERROR', 'until has passed. Give a later time, or delete the stream.');
  const retainedUntil = until === null ? null : iso(until);
  if (stream.retainedUntil === retainedUntil || (stream.retainedUntil === undefined && expiry === until)) return [];
  return [{ type: 'RetentionSet', data: { until: retainedUntil } }];
};
