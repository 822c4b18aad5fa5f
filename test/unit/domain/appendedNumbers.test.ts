import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AppendedNumbers, countOf, numberAt, withNumber } from '../../../src/domain/appendedNumbers.ts';

const listOf = (values: readonly number[]): AppendedNumbers => values.reduce<AppendedNumbers>(withNumber, []);

it('returns the appended numbers in order and by index', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (values) => {
      const numbers = listOf(values);
      expect(countOf(numbers)).toBe(values.length);
      expect(values.map((_, index) => numberAt(numbers, index))).toEqual(values);
      expect(numberAt(numbers, values.length)).toBeUndefined();
    }),
  );
});

it('does not change the list that was appended to', () => {
  const before = listOf([1, 2, 3]);
  expect([withNumber(before, 4), withNumber(before, 5)].map((list) => list.flat())).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 5],
  ]);
  expect(before.flat()).toEqual([1, 2, 3]);
});

it('keeps few chunks, however long it grows', () => {
  expect(listOf(Array.from({ length: 10_000 }, (_, n) => n)).length).toBeLessThanOrEqual(14);
});
