import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration } from '../../../web/src/parts/format.ts';

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [3_240, '3.2 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [539_700, '9 min 0 s'],
  [3_599_700, '1 h 0 min'],
  [180_000_000, '2 d 2 h'],
])('writes %d ms as %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

test('never writes 60 seconds or 60 minutes', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4e8, noNaN: true }), (milliseconds) => !/\b60(\.0)? (s|min)\b/.test(duration(milliseconds))),
  );
});
