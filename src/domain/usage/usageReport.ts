import { Big } from 'big.js';
import { DAY_MILLISECONDS } from '../../clock.ts';
import { Problem } from '../problem.ts';
import type { OperationType, Quantities } from '../stream/streamConfiguration.ts';
import { QUANTITY_KINDS } from './pricing.ts';

/** Usage over time. All times are UTC. Periods follow the calendar; the first and last are cut to the interval. */

export const GRANULARITIES = ['HOURS', 'DAYS', 'MONTHS'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** From `start` (inclusive) to `end` (exclusive), milliseconds since the epoch, negative before it. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

const HOUR = 3_600_000;
const MAX_PERIODS = 1_000;

/** The first day of the month, `months` later, at 00:00. */
const monthStart = (time: number, months = 0): number => {
  const date = new Date(time);
  // Unlike `Date.UTC`, this accepts years before 100.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
};

/** Start of the hour or day, also before the epoch. */
const startOf = (unit: number, time: number): number => Math.floor(time / unit) * unit;

const periodStart = (time: number, granularity: Granularity): number =>
  granularity === 'MONTHS' ? monthStart(time) : startOf(granularity === 'HOURS' ? HOUR : DAY_MILLISECONDS, time);

const nextPeriod = (start: number, granularity: Granularity): number =>
  granularity === 'MONTHS' ? monthStart(start, 1) : start + (granularity === 'HOURS' ? HOUR : DAY_MILLISECONDS);

/** A number of periods later. A month after the 31st is the last day of a shorter month. */
const later = (time: number, periods: number, granularity: Granularity): number => {
  if (granularity !== 'MONTHS') return time + periods * (granularity === 'HOURS' ? HOUR : DAY_MILLISECONDS);
  const first = monthStart(time, periods);
  return Math.min(first + (time - monthStart(time)), monthStart(first, 1) - DAY_MILLISECONDS + (time - startOf(DAY_MILLISECONDS, time)));
};

/**
 * The interval of a report, by default from the first of the month to now. The default start never exceeds the end: for a past end it is the first
 * of the month that this end closes. Throws USAGE_INTERVAL_TOO_LONG above 1,000 periods and USAGE_INTERVAL_TOO_SHORT under one.
 */
export const reportInterval = (
  { start, end }: { start?: number | undefined; end?: number | undefined },
  granularity: Granularity,
  now: number,
): Interval => {
  const until = end ?? now;
  const from = start ?? monthStart(Math.min(now, until - 1));
  if (until <= from || (start !== undefined && until < later(from, 1, granularity)))
    throw new Problem('USAGE_INTERVAL_TOO_SHORT', `The interval must cover at least one period of ${granularity}.`);
  if (until > later(from, MAX_PERIODS, granularity))
    throw new Problem('USAGE_INTERVAL_TOO_LONG', `The interval must cover at most ${MAX_PERIODS} periods of ${granularity}.`);
  return { start: from, end: until };
};

/** One ended run. */
export interface UsageRecord {
  readonly streamId: string;
  readonly operationType: OperationType;
  readonly streamConfigurationTemplateId: string;
  /** Milliseconds since the epoch. */
  readonly ended: number;
  readonly quantities: Quantities;
  /** Decimal text, in credits or in the report's currency. */
  readonly amount: string;
}

/** Sums. A quantity that no run has is 0. */
export type Measurements = { [quantity in keyof Quantities]: number };

/** The public item of a report. */
export interface UsageAggregate {
  /** Decimal text. */
  credits: string;
  startTimestamp: string;
  endTimestamp: string;
  /** Number of distinct streams. */
  streamsCount: number;
  /** `null` in a total over all operations. */
  operationType: OperationType | null;
  /** `null` in a total over all templates. */
  streamConfigurationTemplateId: string | null;
  measurements: Measurements;
}

class Sum {
  readonly #streams = new Set<string>();
  readonly #measurements = Object.fromEntries(Object.keys(QUANTITY_KINDS).map((quantity) => [quantity, 0])) as Measurements;
  #amount = new Big(0);

  add({ streamId, quantities, amount }: UsageRecord): void {
    this.#streams.add(streamId);
    if (amount !== '0') this.#amount = this.#amount.plus(amount);
    const sums = this.#measurements;
    for (const quantity of Object.keys(sums) as (keyof Quantities)[]) sums[quantity] += quantities[quantity] ?? 0;
  }

  aggregate(
    { start, end }: Interval,
    of: Partial<Pick<UsageAggregate, 'operationType' | 'streamConfigurationTemplateId'>>,
  ): UsageAggregate {
    return {
      credits: this.#amount.toFixed(),
      startTimestamp: new Date(start).toISOString(),
      endTimestamp: new Date(end).toISOString(),
      streamsCount: this.#streams.size,
      operationType: of.operationType ?? null,
      streamConfigurationTemplateId: of.streamConfigurationTemplateId ?? null,
      measurements: this.#measurements,
    };
  }
}

/** One period: its total, and the shares of each operation type and template. */
class Period {
  readonly #all = new Sum();
  readonly #operations = new Map<OperationType, Sum>();
  readonly #templates = new Map<string, Sum>();
  readonly #interval: Interval;

  constructor(interval: Interval) {
    this.#interval = interval;
  }

  add(record: UsageRecord): void {
    this.#all.add(record);
    sumOf(this.#operations, record.operationType).add(record);
    sumOf(this.#templates, record.streamConfigurationTemplateId).add(record);
  }

  all(): UsageAggregate {
    return this.#all.aggregate(this.#interval, {});
  }

  byOperation(): UsageAggregate[] {
    return sortByKey(this.#operations).map(([operationType, sum]) => sum.aggregate(this.#interval, { operationType }));
  }

  byTemplate(): UsageAggregate[] {
    return sortByKey(this.#templates).map(([id, sum]) => sum.aggregate(this.#interval, { streamConfigurationTemplateId: id }));
  }
}

const sumOf = <Key>(sums: Map<Key, Sum>, key: Key): Sum => {
  const sum = sums.get(key) ?? new Sum();
  sums.set(key, sum);
  return sum;
};

const sortByKey = <Key extends string>(sums: ReadonlyMap<Key, Sum>): [Key, Sum][] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

/** The public answer, without user and currency. */
export interface UsageAggregates {
  /** Total of the interval. */
  totalMeasurements: UsageAggregate;
  /** One item per period, including empty ones. */
  aggregatedMeasurements: UsageAggregate[];
  /** One item per period and operation type used in it. */
  operationTypeAggregatedMeasurements: UsageAggregate[];
  /** One item per period and template used in it. */
  streamConfigurationTemplateIdAggregatedMeasurements: UsageAggregate[];
}

/** Sums the usage of runs by their end. Ignores runs that ended outside the interval. */
export class UsageReport {
  readonly #total = new Sum();
  /** By start of the calendar period, in order. */
  readonly #periods = new Map<number, Period>();
  readonly #interval: Interval;
  readonly #granularity: Granularity;

  constructor(interval: Interval, granularity: Granularity) {
    this.#interval = interval;
    this.#granularity = granularity;
    const { start, end } = interval;
    for (let from = periodStart(start, granularity); from < end; from = nextPeriod(from, granularity)) {
      this.#periods.set(from, new Period({ start: Math.max(from, start), end: Math.min(nextPeriod(from, granularity), end) }));
    }
  }

  add(record: UsageRecord): void {
    if (record.ended < this.#interval.start || record.ended >= this.#interval.end) return;
    this.#total.add(record);
    this.#periods.get(periodStart(record.ended, this.#granularity))?.add(record);
  }

  aggregates(): UsageAggregates {
    const periods = [...this.#periods.values()];
    return {
      totalMeasurements: this.#total.aggregate(this.#interval, {}),
      aggregatedMeasurements: periods.map((period) => period.all()),
      operationTypeAggregatedMeasurements: periods.flatMap((period) => period.byOperation()),
      streamConfigurationTemplateIdAggregatedMeasurements: periods.flatMap((period) => period.byTemplate()),
    };
  }
}
