import { expect, test } from 'vitest';
import { canKeepLonger } from '../../../web/src/pages/streams/keeping.ts';

const UNTIL = '2026-11-22T10:00:30.000Z';

test.each([
  ['2026-11-22T10:01:00.000Z', true],
  ['2026-11-22T10:00:59.000Z', false],
  [UNTIL, false],
  ['2026-11-22T09:00:00.000Z', false],
  [null, false],
])('a time at the latest of %s: longer retention is possible: %s', (latest, possible) => {
  expect(canKeepLonger({ until: UNTIL, latest })).toBe(possible);
});

test('a stream without a time can be kept', () => {
  expect(canKeepLonger({ until: null, latest: UNTIL })).toBe(true);
});
