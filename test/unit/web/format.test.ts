import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ago, duration } from '../../../web/src/parts/format.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [3_240, '3.2 s'],
  [9_960, '10 s'],
  [59_600, '1 min'],
  [539_700, '9 min'],
  [3_599_700, '1 h'],
  [180_000_000, '2 d 2 h'],
])('writes %d ms as %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

test('never writes 60 seconds or 60 minutes', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4e8, noNaN: true }), (milliseconds) => !/\b60(\.0)? (s|min)\b/.test(duration(milliseconds))),
  );
});

test.each([
  [9_000, 'just now'],
  [59_400, '59 s ago'],
  [59_600, '1 min ago'],
  [3_569_000, '59 min ago'],
  [3_571_000, '1 h ago'],
  [-59_600, 'in 1 min'],
  [-3_599_000, 'in 1 h'],
])('writes a time %d ms ago as %s', (milliseconds, text) => {
  expect(ago(NOW - milliseconds, NOW)).toBe(text);
});

test('never says that something was 60 seconds or 60 minutes ago', () => {
  const times = fc.double({ min: -4e6, max: 4e6, noNaN: true });
  fc.assert(fc.property(times, (milliseconds) => !/\b60 (s|min)\b/.test(ago(NOW - milliseconds, NOW))));
});
