import { expect, test } from 'vitest';
import type { Aggregate, Report } from '../../../web/src/pages/usage/aggregates.ts';
import { csvOf } from '../../../web/src/pages/usage/csv.ts';
import { amount } from '../../../web/src/parts/amounts.ts';

const aggregate = (id: string | null): Aggregate => ({
  credits: '0.000000123456789',
  startTimestamp: '2026-11-01T00:00:00Z',
  streamsCount: 2,
  operationType: null,
  streamConfigurationTemplateId: id,
  measurements: { executionTime: 12 },
});

const report: Report = {
  startTimestamp: '2026-11-01T00:00:00Z',
  endTimestamp: '2026-12-01T00:00:00Z',
  granularity: 'DAYS',
  currency: null,
  totalMeasurements: aggregate(null),
  aggregatedMeasurements: [],
  operationTypeAggregatedMeasurements: [],
  streamConfigurationTemplateIdAggregatedMeasurements: [aggregate('formula'), aggregate('quotes')],
};

const NAMES: Readonly<Record<string, string>> = { formula: '=HYPERLINK("http://example.org")', quotes: 'Calls, "urgent"\nones' };

test('writes all digits of a report as CSV, and neutralises formulas and line breaks in template names', () => {
  const text = csvOf(report, (id) => NAMES[id] ?? id);
  expect(text).toContain('total,,2026-11-01T00:00:00Z,2,0.000000123456789,credits,0,12,0,0,0\r\n');
  expect(text).toContain('template,"\'=HYPERLINK(""http://example.org"")",');
  expect(text).toContain('template,"Calls, ""urgent""\nones",');
});

test.each([
  ['0', '0.00 credits'],
  ['12.3456', '12.35 credits'],
  ['1234.5', '1,234.50 credits'],
  ['0.0042133', '0.00421 credits'],
  ['0.000000123', '<0.000001 credits'],
])('shows %s credits as %s', (credits, shown) => {
  expect(amount(credits, null)).toBe(shown);
});
