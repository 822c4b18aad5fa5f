import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../src/domain/parseTime.ts';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import { isStreamEvent, type StreamEvent } from '../../../src/domain/stream/events.ts';
import type { OperationType, Quantities } from '../../../src/domain/stream/streamConfiguration.ts';
import { SHIPPED_PRICE_LIST } from '../../../src/domain/usage/priceList.ts';
import type { UsageAggregate } from '../../../src/domain/usage/usageReport.ts';
import type { UsageReportAnswer } from '../../../src/http/usage/usageReportRoute.ts';
import { usageRoutes } from '../../../src/http/usage/usageRoutes.ts';
import type { ReadModel } from '../../../src/projections/readModels.ts';
import { usageRecordsProjection } from '../../../src/projections/usageRecords.ts';
import type { FindOptions } from '../../../src/stores/documents.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { link, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { documentsAfter, recorded, writesOfReplay } from '../projections/given.ts';
import { bodyOf, OTHER, OWNER, served } from './served.ts';

const REPORT = '/usage-service/api/v1/usage/report';
const MINUTE = 60_000;

/** One run of one stream, as the log will tell it. */
interface Run {
  readonly operationType: OperationType;
  /** Milliseconds since the epoch. */
  readonly ended: number;
  readonly failed: boolean;
  readonly quantities: Quantities;
  /** Millionths of a credit. */
  readonly micros: number;
}

interface Story {
  readonly owner: string;
  readonly template: string;
  readonly runs: readonly Run[];
}

const creditsOf = (micros: bigint): string => {
  const [whole, part] = [micros / 1_000_000n, (micros % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')];
  return part === '' ? `${whole}` : `${whole}.${part}`;
};

const told = ({ owner, template, runs }: Story): { readonly at: number; readonly stream: string; readonly event: StreamEvent }[] => {
  const streamId = randomUUID();
  const chain = runs.map(({ operationType }, n) => ({ ...link(`p${n}`, null), operationType }));
  const { data } = streamCreated(chain, { streamId, creatorId: owner });
  const configuration = { ...data.configuration, streamConfigurationTemplateId: template };
  const stream = `stream-${streamId}`;
  const begun = Math.min(...runs.map(({ ended }) => ended)) - MINUTE;
  return [
    { at: begun, stream, event: { type: 'StreamCreated', data: { ...data, configuration } } },
    ...runs.map(({ ended, failed, quantities, micros }, n) => {
      const bill = { priceList: n % 2 === 0 ? '2026-1' : '2026-2', credits: creditsOf(BigInt(micros)), lines: [] };
      const run = { processorId: `p${n}`, attempt: 1, quantities, bill };
      const event: StreamEvent = failed
        ? { type: 'ProcessorFailed', data: { ...run, reason: 'no', errorName: 'PROCESSOR_GENERAL_ERROR' } }
        : { type: 'ProcessorCompleted', data: { ...run, description: null } };
      return { at: ended, stream, event };
    }),
  ];
};

/** The log of the stories, in the order of time. */
const logOf = (stories: readonly Story[]): RecordedEvent[] => {
  const story = stories.flatMap(told).sort((a, b) => a.at - b.at);
  return recorded(...story.map(({ stream, event }) => [stream, event] as const)).map((event, n) => ({
    ...event,
    metadata: { ...event.metadata, time: new Date(story[n]?.at ?? 0).toISOString() },
  }));
};

/** What the log says was used, added up as plainly as it can be: whole numbers of millionths, no decimals. */
const naive = (
  log: readonly RecordedEvent[],
  wanted: (run: { at: number; operation: string; template: string }) => boolean,
  owner = OWNER,
) => {
  const streams = new Map<string, Extract<StreamEvent, { type: 'StreamCreated' }>['data']>();
  const counted = new Set<string>();
  let micros = 0n;
  const measurements: Record<string, number> = {};
  for (const event of log) {
    if (!isStreamEvent(event)) continue;
    if (event.type === 'StreamCreated') streams.set(event.eventStream, event.data);
    if (event.type !== 'ProcessorCompleted' && event.type !== 'ProcessorFailed') continue;
    const { processorId, quantities, bill } = event.data;
    const stream = streams.get(event.eventStream);
    const operation = stream?.chain.find((one) => one.processorId === processorId)?.operationType ?? '';
    const template = stream?.configuration.streamConfigurationTemplateId ?? '';
    const at = Date.parse(event.metadata.time);
    if (stream?.creatorId !== owner || !wanted({ at, operation, template })) continue;
    counted.add(event.eventStream);
    const [whole = '0', part = ''] = bill.credits.split('.');
    micros += BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
    for (const [name, value] of Object.entries(quantities)) measurements[name] = (measurements[name] ?? 0) + (value ?? 0);
  }
  return { credits: creditsOf(micros), streamsCount: counted.size, measurements };
};

const NOTHING = {
  executionTime: 0,
  storageSize: 0,
  ingressSize: 0,
  egressSize: 0,
  processedAudioLength: 0,
  processedTokens: 0,
  processedInputTokens: 0,
  processedOutputTokens: 0,
};

const world = async (stories: readonly Story[], now = '2026-03-20T10:30:00Z') => {
  const clock = new ManualClock();
  await clock.advance(Date.parse(now) - clock.now());
  const readModels = new MemoryReadModels();
  const log = logOf(stories);
  for (const { id, body } of documentsAfter(usageRecordsProjection, log, 7).values()) readModels.put('usageRecords', id, body);
  const routes = usageRoutes({
    log: { head: async () => null },
    readModels,
    topics: new MemoryTopics(clock),
    clock,
    priceList: SHIPPED_PRICE_LIST,
  });
  const call = await served(routes, readModels, clock);
  const ends = (late: Story): void => {
    for (const { id, body } of documentsAfter(usageRecordsProjection, logOf([late]), 7).values()) readModels.put('usageRecords', id, body);
  };
  const report = (query = '') => bodyOf<UsageReportAnswer>(call(`${REPORT}${query}`));
  const refusal = async (query: string, as = 'owner') => {
    const response = await call(`${REPORT}${query}`, as);
    return [response.status, (await bodyOf<ErrorResponse>(response)).internalErrorName];
  };
  return { log, call, report, refusal, ends, readModels };
};

const run = (ended: string, changes: Partial<Run> = {}): Run => ({
  operationType: 'LLM_PROCESSING',
  ended: Date.parse(ended),
  failed: false,
  quantities: { ...NOTHING, executionTime: 10, processedAudioLength: null },
  micros: 500_000,
  ...changes,
});
const story = (...runs: Run[]): Story => ({ owner: OWNER, template: 'a', runs });

describe('the usage report', () => {
  test('covers the current month by day, in credits, by default', async () => {
    const { report } = await world([story(run('2026-02-28T23:59:59.999Z'), run('2026-03-01T00:00:00Z'), run('2026-03-20T10:29:59Z'))]);
    const answer = await report();
    expect(answer).toMatchObject({
      startTimestamp: '2026-03-01T00:00:00.000Z',
      endTimestamp: '2026-03-20T10:30:00.000Z',
      granularity: 'DAYS',
      currency: null,
      totalMeasurements: {
        credits: '1',
        startTimestamp: '2026-03-01T00:00:00.000Z',
        endTimestamp: '2026-03-20T10:30:00.000Z',
        streamsCount: 1,
        operationType: null,
        streamConfigurationTemplateId: null,
        measurements: { ...NOTHING, executionTime: 20 },
      },
    });
    expect(answer.aggregatedMeasurements).toHaveLength(20);
    expect(answer.aggregatedMeasurements[1]).toMatchObject({ credits: '0', streamsCount: 0, measurements: NOTHING });
  });

  test('counts a run once, even if others end while the report is read', async () => {
    // At the same time, and at times that a page divides.
    const times = Array.from({ length: 1_100 }, (_, n) => (n < 300 ? '09:00:00' : `09:0${n % 7}:${10 + (n % 43)}`));
    const day = times.map((time) => story(run(`2026-03-20T${time}Z`)));
    const { report, readModels, ends } = await world(day);
    const find = readModels.find.bind(readModels);
    readModels.find = async <Doc extends object>(model: ReadModel<Doc>, options: FindOptions) => {
      const page = await find(model, options);
      for (let n = 0; n < 30; n++) ends(story(run('2026-03-20T10:30:01Z')));
      return page;
    };
    expect((await report()).totalMeasurements).toMatchObject({
      credits: '550',
      streamsCount: 1_100,
      measurements: { executionTime: 11_000 },
    });
  });

  test('has exactly the documented members', async () => {
    const answer = await (await world([story(run('2026-03-02T00:00:00Z'))])).report();
    expect(Object.keys(answer)).toEqual([
      'startTimestamp',
      'endTimestamp',
      'granularity',
      'currency',
      'totalMeasurements',
      'aggregatedMeasurements',
      'operationTypeAggregatedMeasurements',
      'streamConfigurationTemplateIdAggregatedMeasurements',
    ]);
    const members = [
      'credits',
      'startTimestamp',
      'endTimestamp',
      'streamsCount',
      'operationType',
      'streamConfigurationTemplateId',
      'measurements',
    ];
    expect(Object.keys(answer.totalMeasurements)).toEqual(members);
    for (const list of [
      answer.aggregatedMeasurements,
      answer.operationTypeAggregatedMeasurements,
      answer.streamConfigurationTemplateIdAggregatedMeasurements,
    ])
      expect(Object.keys(list[0] ?? {})).toEqual(members);
    expect(answer.operationTypeAggregatedMeasurements).toMatchObject([
      { operationType: 'LLM_PROCESSING', streamConfigurationTemplateId: null },
    ]);
    expect(answer.streamConfigurationTemplateIdAggregatedMeasurements).toMatchObject([
      { operationType: null, streamConfigurationTemplateId: 'a' },
    ]);
  });

  test('adds up amounts without binary floating point, in a currency as each run shows it', async () => {
    const { report, refusal } = await world([story(...[1, 2, 3].map(() => run('2026-03-02T10:00:00Z', { micros: 100_000 })))]);
    expect((await report()).totalMeasurements.credits).toBe('0.3');
    const usd = await report('?currency=USD');
    expect([usd.currency, usd.totalMeasurements.credits]).toEqual(['USD', '0.003']);
    for (const currency of ['usd', 'XXX', '', '__proto__']) expect(await refusal(`?currency=${currency}`)).toEqual([400, 'CURRENCY_ERROR']);
  });

  test('counts a stream once in each sum', async () => {
    const { report } = await world([story(run('2026-03-02T10:00:00Z'), run('2026-03-02T11:00:00Z'), run('2026-03-03T10:00:00Z'))]);
    const answer = await report('?start=2026-03-02&end=2026-03-04');
    expect([answer.totalMeasurements.streamsCount, answer.aggregatedMeasurements.map(({ streamsCount }) => streamsCount)]).toEqual([
      1,
      [1, 1],
    ]);
  });

  test.each([
    ['HOURS', '2026-03-01T00:00Z', '2026-03-01T00:59:59.999Z', 'SHORT'],
    ['DAYS', '2026-03-01', '2026-03-01T23:59:59Z', 'SHORT'],
    ['MONTHS', '2026-02-01', '2026-02-28T23:59Z', 'SHORT'],
    ['MONTHS', '2026-01-31', '2026-02-27T23:59Z', 'SHORT'],
    ['HOURS', '2026-03-02', '2026-03-01', 'SHORT'],
    ['HOURS', '2026-03-02', '2026-03-02', 'SHORT'],
    ['HOURS', '2026-01-01T00:00Z', '2026-02-11T16:00:00.001Z', 'LONG'],
    ['DAYS', '2020-01-01', '2026-01-01', 'LONG'],
    ['MONTHS', '1970-01-01', '2053-05-01T00:00:00.001Z', 'LONG'],
    ['MONTHS', '1900-01-01', '2026-03-01', 'LONG'],
    ['MONTHS', '0050-01-01', '2026-03-01', 'LONG'],
  ])('by %s from %s to %s is too %s', async (granularity, start, end, how) => {
    const { refusal } = await world([]);
    expect(await refusal(`?granularity=${granularity}&start=${start}&end=${end}`)).toEqual([400, `USAGE_INTERVAL_TOO_${how}`]);
  });

  test.each([
    ['HOURS', '2026-03-01T00:00Z', '2026-03-01T01:00Z', 1],
    ['HOURS', '2026-03-01T00:30Z', '2026-03-01T01:30Z', 2],
    ['HOURS', '2026-01-01T00:00Z', '2026-02-11T16:00Z', 1000],
    ['DAYS', '2026-03-01', '2026-03-02', 1],
    ['MONTHS', '2026-02-01', '2026-03-01', 1],
    ['MONTHS', '2026-01-31', '2026-02-28', 2],
    ['MONTHS', '1970-01-01', '2053-05-01', 1000],
    ['MONTHS', '1969-12-31', '1970-01-31', 2],
    ['DAYS', '1969-12-30T12:00Z', '1970-01-01', 2],
    ['HOURS', '1969-12-31T22:30Z', '1970-01-01', 2],
  ])('by %s from %s to %s has %d periods', async (granularity, start, end, periods) => {
    const { report } = await world([]);
    expect((await report(`?granularity=${granularity}&start=${start}&end=${end}`)).aggregatedMeasurements).toHaveLength(periods);
  });

  test('has a valid default range by months, and in the first hour of a month', async () => {
    const { report } = await world([], '2026-03-01T00:10:00Z');
    expect((await report('?granularity=MONTHS')).aggregatedMeasurements).toHaveLength(1);
    expect((await report()).aggregatedMeasurements).toHaveLength(1);
  });

  test.each([
    ['2026-04-01', '2026-03-01'],
    ['2026-12-31', '2026-03-01'],
    ['2026-03-01', '2026-02-01'],
    ['2026-02-10', '2026-02-01'],
  ])('with only an end at %s starts at %s, in the middle of March', async (end, start) => {
    const { report } = await world([], '2026-03-15T12:00:00Z');
    expect((await report(`?end=${end}`)).startTimestamp).toBe(`${start}T00:00:00.000Z`);
  });

  test('uses UTC unless a time has an offset, and reads a raw plus', async () => {
    const { report } = await world([]);
    const starts = [
      '2026-03-01',
      '2026-03-01T00:00',
      '2026-03-01T02:00:00%2B02:00',
      '2026-03-01T02:00:00+02:00',
      '2026-02-28T22:00:00-0200',
    ];
    for (const start of starts) expect((await report(`?start=${start}&end=2026-03-10`)).startTimestamp).toBe('2026-03-01T00:00:00.000Z');
  });

  test('refuses invalid times, unknown granularities, and repeated parameters', async () => {
    const { refusal } = await world([]);
    const bad = [
      'start=yesterday',
      'end=2026-02-30',
      'end=2026-13-01',
      'start=',
      'granularity=YEARS',
      'granularity=DAY',
      'start=2026-01-01&start=2026-01-01',
    ];
    for (const query of bad) expect(await refusal(`?${query}`)).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
  });

  test("is the caller's own, unless an admin names a subject", async () => {
    const { call, report, refusal } = await world([{ ...story(run('2026-03-02T10:00:00Z')), owner: OTHER }]);
    expect((await report()).totalMeasurements.streamsCount).toBe(0);
    expect(await refusal(`?subject=${OTHER}`)).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
    const asAdmin = async (subject: string) =>
      (await bodyOf<UsageReportAnswer>(call(`${REPORT}?subject=${subject}`, 'admin'))).totalMeasurements.streamsCount;
    expect([await asAdmin(OTHER), await asAdmin(OWNER), await asAdmin('__proto__')]).toEqual([1, 0, 0]);
  });

  test('asks once for the days of a thousand months', async () => {
    const { report, readModels } = await world([story(run('2026-03-02T10:00:00Z')), story(run('1950-06-01T00:00:00Z'))]);
    const count = readModels.count.bind(readModels);
    let counts = 0;
    readModels.count = (...asked) => {
      counts += 1;
      return count(...asked);
    };
    const { totalMeasurements, aggregatedMeasurements } = await report('?granularity=MONTHS&start=1943-01-01&end=2026-05-01');
    expect([totalMeasurements.streamsCount, aggregatedMeasurements.length]).toEqual([2, 1_000]);
    expect(counts).toBe(1);
  });

  test('reads all pages of a busy day', async () => {
    const runs = Array.from({ length: 1_300 }, (_, n) => run(n % 13 === 0 ? '2026-03-03T10:00:00Z' : '2026-03-02T10:00:00Z'));
    const { report } = await world([story(...runs)]);
    const { aggregatedMeasurements, totalMeasurements } = await report('?start=2026-03-01&end=2026-03-05');
    expect([totalMeasurements.credits, aggregatedMeasurements.map(({ credits }) => credits)]).toEqual(['650', ['0', '600', '50', '0']]);
  });
});

describe('for any usage and any query', () => {
  const from = Date.parse('2026-01-01T00:00:00Z');
  const time = fc.oneof(
    fc.integer({ min: from, max: Date.parse('2026-04-05T00:00:00Z') }),
    // At the very edges of hours, days and months.
    fc
      .tuple(fc.integer({ min: 0, max: 94 }), fc.integer({ min: 0, max: 23 }), fc.constantFrom(-1, 0, 1))
      .map(([day, hour, off]) => from + (day * 24 + hour) * 60 * MINUTE + off),
  );
  const quantity = fc.option(fc.integer({ min: 0, max: 1_000_000 }));
  const someRun: fc.Arbitrary<Run> = fc.record({
    operationType: fc.constantFrom<OperationType>('BATCH_TRANSCRIPTION', 'LLM_PROCESSING', 'NO_OPERATION'),
    ended: time,
    failed: fc.boolean(),
    micros: fc.integer({ min: 0, max: 5_000_000 }),
    quantities: fc.record({
      executionTime: quantity,
      storageSize: quantity,
      ingressSize: quantity,
      egressSize: quantity,
      processedAudioLength: quantity,
      processedTokens: quantity,
      processedInputTokens: quantity,
      processedOutputTokens: quantity,
    }),
  });
  const someStory: fc.Arbitrary<Story> = fc.record({
    owner: fc.constantFrom(OWNER, OWNER, OTHER),
    template: fc.constantFrom('a', 'b'),
    runs: fc.array(someRun, { minLength: 1, maxLength: 4 }),
  });

  const sameAs = ({ credits, streamsCount, measurements }: UsageAggregate, expected: ReturnType<typeof naive>) =>
    expect({ credits, streamsCount, measurements }).toEqual({ ...expected, measurements: { ...NOTHING, ...expected.measurements } });
  const spanOf = ({ startTimestamp, endTimestamp }: { startTimestamp: string; endTimestamp: string }) => {
    const [start, end] = [Date.parse(startTimestamp), Date.parse(endTimestamp)];
    return { start, end, holds: (at: number) => at >= start && at < end };
  };
  const LENGTH = { HOURS: 13, DAYS: 10, MONTHS: 7 } as const;

  test('the report equals a plain sum over the log, by period, operation type and template', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someStory, { maxLength: 6 }),
        time,
        time,
        fc.constantFrom('HOURS', 'DAYS', 'MONTHS'),
        async (stories, a, b, granularity) => {
          const { log, call } = await world(stories);
          const asked = { start: new Date(Math.min(a, b)).toISOString(), end: new Date(Math.max(a, b)).toISOString() };
          const response = await call(`${REPORT}?${new URLSearchParams({ ...asked, granularity })}`);
          if (response.status === 400) {
            expect((await bodyOf<ErrorResponse>(response)).internalErrorName).toMatch(/^USAGE_INTERVAL_TOO_(LONG|SHORT)$/);
            return;
          }
          const answer = await bodyOf<UsageReportAnswer>(response);
          const all = spanOf(answer);
          sameAs(
            answer.totalMeasurements,
            naive(log, ({ at }) => all.holds(at)),
          );
          // The periods lie side by side, and begin where the calendar's do.
          const spans = answer.aggregatedMeasurements.map(spanOf);
          expect([spans[0]?.start, spans.at(-1)?.end]).toEqual([all.start, all.end]);
          spans.slice(1).forEach(({ start }, n) => {
            expect(start).toBe(spans[n]?.end);
            const text = new Date(start).toISOString();
            expect(text.slice(LENGTH[granularity as keyof typeof LENGTH])).toBe(
              '2026-01-01T00:00:00.000Z'.slice(LENGTH[granularity as keyof typeof LENGTH]),
            );
          });
          answer.aggregatedMeasurements.forEach((item, n) => {
            sameAs(
              item,
              naive(log, ({ at }) => spans[n]?.holds(at) ?? false),
            );
          });
          for (const item of answer.operationTypeAggregatedMeasurements)
            sameAs(
              item,
              naive(log, ({ at, operation }) => spanOf(item).holds(at) && operation === item.operationType),
            );
          for (const item of answer.streamConfigurationTemplateIdAggregatedMeasurements)
            sameAs(
              item,
              naive(log, ({ at, template }) => spanOf(item).holds(at) && template === item.streamConfigurationTemplateId),
            );
          // Nothing is left out of them.
          for (const list of [answer.operationTypeAggregatedMeasurements, answer.streamConfigurationTemplateIdAggregatedMeasurements])
            expect(list.reduce((sum, { measurements }) => sum + measurements.ingressSize, 0)).toBe(
              answer.totalMeasurements.measurements.ingressSize,
            );
        },
      ),
      { numRuns: 100 },
    );
  }, 30_000);

  test('a replay of the log changes nothing in the read model', () => {
    fc.assert(
      fc.property(fc.array(someStory, { maxLength: 6 }), (stories) => {
        const log = logOf(stories);
        expect(writesOfReplay(usageRecordsProjection, log)).toBe(0);
        expect(documentsAfter(usageRecordsProjection, log, 1)).toEqual(documentsAfter(usageRecordsProjection, log));
      }),
      { numRuns: 50 },
    );
  });

  test('a query is answered, or refused with a documented error', async () => {
    const { call } = await world([story(run('2026-03-02T10:00:00Z'))]);
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '2026-03-01',
        '+',
        '-',
        '\\',
        '__proto__',
        'HOURS',
        'USD',
        '9999-12-31T23:59:59Z',
        '275760-09-13',
        '1970-01-01',
        '0000-01-01',
      ),
    );
    const name = fc.oneof(fc.constantFrom('start', 'end', 'granularity', 'currency', '__proto__'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
        const query = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        const response = await call(`${REPORT}?${query}`);
        if (response.status === 200) return;
        expect(response.status).toBe(400);
        expect(['GENERAL_VALIDATION_ERROR', 'CURRENCY_ERROR', 'USAGE_INTERVAL_TOO_LONG', 'USAGE_INTERVAL_TOO_SHORT']).toContain(
          (await bodyOf<ErrorResponse>(response)).internalErrorName,
        );
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    '2026-01-31T14:30:00+02:00',
    '2026-01-31T14:30:00+0200',
    '2026-01-31T14:30+02',
    '2026-01-31T14:30 02',
    '2026-01-31T08:00-04:30',
  ])('reads %s as half past twelve in UTC', (text) => expect(parseTime(text)).toBe(Date.parse('2026-01-31T12:30:00Z')));

  test('every time that JavaScript writes can be read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') }), (at) => {
        expect(parseTime(new Date(at).toISOString())).toBe(at);
      }),
    );
  });
});
