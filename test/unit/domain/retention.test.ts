import { expect, test } from 'vitest';
import { keepForSeconds } from '../../../src/domain/stream/keepFor.ts';
import { newPeriodSeconds } from '../../../src/domain/stream/retention.ts';

const HOUR = 3_600_000;

test.each([
  ['until they are deleted, without a setting', { persistent: 0, longest: 0 }, 0],
  ['for the time of the server', { persistent: HOUR, longest: 24 * HOUR }, 3_600],
  ['for the bound, if the server would keep them longer', { persistent: 0, longest: 24 * HOUR }, 86_400],
])('results are kept %s', (_, settings, seconds) => {
  expect(newPeriodSeconds(settings)).toBe(seconds);
});

test.each([
  ['PT1H', 3_600],
  ['P30D', 2_592_000],
  ['P1W', 604_800],
  ['P1Y2M', 365 * 86_400 + 60 * 86_400],
  ['PT0.5S', 1],
])('keepFor=%s is %s seconds', (text, seconds) => {
  expect(keepForSeconds(text, { longest: 0 })).toBe(seconds);
});

test('a time beyond the bound is refused, and the bound itself is not', () => {
  expect(keepForSeconds('P1D', { longest: 24 * HOUR })).toBe(86_400);
  expect(() => keepForSeconds('P1DT1S', { longest: 24 * HOUR })).toThrow('at most 86400 seconds');
});
