import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImmutableMap } from '../../../src/domain/immutableMap.ts';

const sorted = <Value>(entries: Iterable<readonly [string, Value]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

// Few names, so that they come again, and a few that are more than names to an object.
const key = fc.oneof(
  fc.integer({ min: 0, max: 200 }).map((n) => `key-${n}`),
  fc.constantFrom('__proto__', 'constructor', ''),
);

test('equals a Map after any sequence of sets and deletes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.option(fc.integer())), { maxLength: 600, size: 'max' }), (changes) => {
      const model = new Map<string, number>();
      let map = ImmutableMap.empty<number>();
      for (const [name, value] of changes) {
        map = value === null ? map.without(name) : map.with(name, value);
        if (value === null) model.delete(name);
        else model.set(name, value);
        expect(map.get(name)).toBe(model.get(name));
      }
      expect(sorted(map.entries())).toEqual(sorted(model));
    }),
    { numRuns: 50 },
  );
});

test('leaves earlier maps unchanged', () => {
  let map = ImmutableMap.empty<number>();
  for (let n = 0; n < 500; n++) map = map.with(`key-${n}`, n);
  const before = sorted(map.entries());
  map.with('key-7', -1).without('key-8').with('another', 1);
  expect(sorted(map.entries())).toEqual(before);
  expect([map.get('key-7'), map.get('key-8'), map.get('another')]).toEqual([7, 8, undefined]);
});
