import { expect, test } from 'vitest';
import type { ReadStreamOptions } from '../../../src/stores/eventStore.ts';
import { eventStreamPages } from '../../../src/stores/pages.ts';
import { countTurns } from '../../countTurns.ts';

/** Lengths of the pages of an event stream with this many events of this many values each. */
const lengthsOf = async (events: number, values: number): Promise<number[]> => {
  const all = Array.from({ length: events }, (_, n) => ({ revision: BigInt(n), data: Array.from({ length: values }, () => ({})) }));
  const readStream = async (_: string, { from = 0n, limit }: ReadStreamOptions = {}) =>
    all.slice(Number(from), Number(from) + (limit ?? 0));
  const lengths: number[] = [];
  const revisions: bigint[] = [];
  for await (const page of eventStreamPages({ readStream }, 'x', 20)) {
    lengths.push(page.length);
    revisions.push(...page.map(({ revision }) => revision));
  }
  expect(revisions).toEqual(all.map(({ revision }) => revision));
  return lengths;
};

test('pages of an event stream have fewer events if those before took more than 4 MiB together', async () => {
  expect(await lengthsOf(50, 10)).toEqual([8, 20, 20, 2]);
  expect(await lengthsOf(12, 80_000)).toEqual([8, 1, 1, 1, 1]);
  expect(await lengthsOf(12, 30_000)).toEqual([8, 2, 2]);
  expect(await lengthsOf(8, 10)).toEqual([8]);
  expect(await lengthsOf(0, 0)).toEqual([]);
});

test('other work runs between pages that take longer than a millisecond, although no page waits for anything', async () => {
  const readStream = async (_: string, { from = 0n }: ReadStreamOptions = {}) => {
    const began = performance.now();
    while (performance.now() - began < 2);
    return from < 100n ? Array.from({ length: from === 0n ? 8 : 20 }, (_, n) => ({ revision: from + BigInt(n) })) : [];
  };
  const turns = countTurns();
  let pages = 0;
  for await (const page of eventStreamPages({ readStream }, 'x', 20)) pages += page.length > 0 ? 1 : 0;
  expect(pages).toBe(6);
  expect(turns.stop()).toBeGreaterThanOrEqual(pages - 1);
});
