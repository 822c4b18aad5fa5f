import { type Clock, DAY_MILLISECONDS } from '../../clock.ts';
import { timeOf } from '../../domain/parseTime.ts';
import type { PriceList } from '../../domain/usage/pricing.ts';
import {
  GRANULARITIES,
  type Granularity,
  type Interval,
  reportInterval,
  type UsageAggregates,
  UsageReport,
} from '../../domain/usage/usageReport.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type UsageRecordDocument, usageRecordsProjection } from '../../projections/usageRecords.ts';
import * as s from '../../schema.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { pages } from '../../stores/pages.ts';
import { behindHead } from '../answers/consistency.ts';
import { requestedSubject } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryParameters, type QueryValues, type Route } from '../route/route.ts';
import { OPERATION_TYPE } from '../streams/streamSchemas.ts';
import { amountsIn } from './currency.ts';

export interface UsageReportDeps {
  readonly log: Pick<EventLog, 'head'>;
  readonly readModels: ReadModels;
  readonly clock: Clock;
  readonly priceList: PriceList;
}

/** The public answer. */
export interface UsageReportAnswer extends UsageAggregates {
  startTimestamp: string;
  endTimestamp: string;
  granularity: Granularity;
  /** Currency of the amounts in `credits`; `null`: credits. */
  currency: string | null;
}

const PAGE = 100;
/** Oldest first, so runs that end meanwhile do not move others between pages. */
const BY_END = [{ member: 'endedTimestamp', direction: 'asc' }] as const;

const TIME = { type: 'string', maxLength: 40 } as const;
const AGGREGATE = s.named(
  'UsageAggregate',
  s.resource({
    credits: s.described(s.text, 'A decimal number, in credits or in the currency asked for.'),
    startTimestamp: s.time,
    endTimestamp: s.time,
    streamsCount: s.count,
    operationType: s.nullable(OPERATION_TYPE),
    streamConfigurationTemplateId: s.nullable(s.text),
    measurements: s.map(s.number),
  }),
);
const GRANULARITY = { title: 'UsageGranularity', type: 'string', enum: GRANULARITIES, default: 'DAYS' } as const;
const REPORT_SCHEMA = s.named(
  'UsageReport',
  s.resource({
    startTimestamp: s.time,
    endTimestamp: s.time,
    granularity: GRANULARITY,
    currency: s.described(s.nullable(s.text), 'Currency of the amounts in `credits`. Null if they are credits.'),
    totalMeasurements: AGGREGATE,
    aggregatedMeasurements: s.list(AGGREGATE),
    operationTypeAggregatedMeasurements: s.list(AGGREGATE),
    streamConfigurationTemplateIdAggregatedMeasurements: s.list(AGGREGATE),
  }),
);

const PARAMETERS = {
  start: { schema: TIME, description: 'Start of the interval, ISO 8601, UTC without an offset. Default: the first of the month.' },
  end: { schema: TIME, description: 'End of the interval, ISO 8601, exclusive. Default: now.' },
  granularity: { schema: GRANULARITY, description: 'Length of the periods, in UTC.' },
  currency: { schema: { type: 'string' }, description: 'Currency of the amounts, such as USD or EUR. Default: credits.' },
  subject: {
    schema: { type: 'string', maxLength: 255 },
    isId: true,
    description: 'Subject whose usage is reported, for admins. Default: the caller.',
  },
} as const satisfies QueryParameters;

type ReportRequest = ApiRequest<unknown, QueryValues<typeof PARAMETERS>>;

/** A user's usage over time (`docs/guides/cost.md`). */
export const usageReportRoute = (deps: UsageReportDeps): Route =>
  defineRoute({
    operationId: 'findUsageReport',
    tag: 'Usage',
    method: 'GET',
    path: '/usage-service/api/v1/usage/report',
    summary: 'Reports usage and cost of an interval: in total, by period, by operation type and by template.',
    description: 'The interval covers 1 to 1,000 periods of the granularity. A run counts in the period in which it ended.',
    access: 'authenticated',
    reads: [usageRecordsProjection.name],
    query: PARAMETERS,
    responses: { 200: { description: 'The report.', schema: REPORT_SCHEMA } },
    handle: (request) => report(deps, request),
  });

const report = async (deps: UsageReportDeps, request: ReportRequest): Promise<ApiResponse> => {
  const subject = requestedSubject(request.caller, request.query.subject, 'Only an admin can see the usage of others.');
  const { currency: wanted = null, granularity, start, end } = request.query;
  const { currency, amount } = amountsIn(deps.priceList, wanted);
  const bounds = {
    start: start === undefined ? undefined : Date.parse(timeOf(start, 'start')),
    end: end === undefined ? undefined : Date.parse(timeOf(end, 'end')),
  };
  const interval = reportInterval(bounds, granularity, deps.clock.now());
  // Includes everything that ended before the request, or all that the read model has if it does not catch up in time.
  await behindHead(deps, [usageRecordsProjection.name]);
  const sums = new UsageReport(interval, granularity);
  for await (const records of recordPages(deps.readModels, subject, daysIn(interval))) {
    request.signal.throwIfAborted();
    for (const { endedTimestamp, quantities, credits, ...record } of records)
      if (endedTimestamp !== null && quantities && credits !== null)
        sums.add({ ...record, ended: Date.parse(endedTimestamp), quantities, amount: amount(credits) });
  }
  const [startTimestamp, endTimestamp] = [new Date(interval.start).toISOString(), new Date(interval.end).toISOString()];
  const body: UsageReportAnswer = { startTimestamp, endTimestamp, granularity, currency, ...sums.aggregates() };
  return { status: 200, body };
};

/** The first and last UTC day of an interval, counted from the epoch. */
interface Days {
  readonly first: number;
  readonly last: number;
}

const daysIn = ({ start, end }: Interval): Days => ({
  first: Math.floor(start / DAY_MILLISECONDS),
  last: Math.ceil(end / DAY_MILLISECONDS) - 1,
});

const dayText = (day: number): string => new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10);

/** Reads sparse days together. Splits by halves where there is more than a page (counting is cheap), and reads a single day page by page. */
async function* recordPages(
  readModels: ReadModels,
  subject: string,
  { first, last }: Days,
): AsyncGenerator<readonly UsageRecordDocument[], void, undefined> {
  if (first === last) {
    yield* pagesOfDay(readModels, subject, dayText(first));
    return;
  }
  const where = { subject, day: { from: dayText(first), to: dayText(last) } };
  const count = await readModels.count(usageRecordsProjection, where);
  if (count > PAGE) {
    const middle = Math.floor((first + last) / 2);
    yield* recordPages(readModels, subject, { first, last: middle });
    yield* recordPages(readModels, subject, { first: middle + 1, last });
  } else if (count > 0) yield await readModels.find(usageRecordsProjection, { where, orderBy: BY_END, limit: PAGE });
}

/** Start of a page: an end time, and how many records with that time have been read. */
interface Place {
  readonly from: string;
  readonly skip: number;
}

const pagesOfDay = (readModels: ReadModels, subject: string, day: string): AsyncIterable<readonly UsageRecordDocument[]> => {
  let place: Place = { from: '', skip: 0 };
  return pages(async () => {
    const { from, skip } = place;
    const where = { subject, day, endedTimestamp: { from } };
    const page = await readModels.find(usageRecordsProjection, { where, orderBy: BY_END, skip, limit: PAGE });
    place = placeAfter(page, place);
    return page;
  }, PAGE);
};

const placeAfter = (page: readonly UsageRecordDocument[], before: Place): Place => {
  const from = page.at(-1)?.endedTimestamp ?? before.from;
  const sameTime = page.filter(({ endedTimestamp }) => endedTimestamp === from).length;
  return { from, skip: sameTime + (from === before.from ? before.skip : 0) };
};
