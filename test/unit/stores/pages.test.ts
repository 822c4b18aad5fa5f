import { describe, expect, test } from 'vitest';
import type { Position, ReadAllOptions, ReadStreamOptions } from '../../../src/stores/eventStore.ts';
import { eventStreamPages, findBackwards, pages } from '../../../src/stores/pages.ts';

const collected = async <Item>(all: AsyncIterable<readonly Item[]>): Promise<(readonly Item[])[]> => {
  const found: (readonly Item[])[] = [];
  for await (const page of all) found.push(page);
  return found;
};

const numbers = (count: number, limit: number, asked: number[] = []) => {
  const all = Array.from({ length: count }, (_, n) => n);
  return async (last: number | undefined, skip: number): Promise<number[]> => {
    asked.push(skip);
    expect(last ?? -1).toBe(skip - 1);
    return all.slice(skip, skip + limit);
  };
};

describe('pages', () => {
  test('gives every item once and in order, and asks no more after a page that is not full', async () => {
    const asked: number[] = [];
    expect(await collected(pages(numbers(5, 2, asked), 2))).toEqual([[0, 1], [2, 3], [4]]);
    expect(asked).toEqual([0, 2, 4]);
  });

  test('asks once more when the last page was full, and gives no empty page', async () => {
    const asked: number[] = [];
    expect(await collected(pages(numbers(4, 2, asked), 2))).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(asked).toEqual([0, 2, 4]);
  });

  test('reads until a page is empty where pages may be short', async () => {
    const answers = [[1], [2, 3], [], [4]];
    expect(await collected(pages(async () => answers.shift() ?? []))).toEqual([[1], [2, 3]]);
  });

  test('reads no further page when its reader leaves', async () => {
    const asked: number[] = [];
    for await (const _ of pages(numbers(10, 2, asked), 2)) break;
    expect(asked).toEqual([0]);
  });
});

describe('the pages of an event stream', () => {
  test('continue after the last revision, from the first one asked for', async () => {
    const events = [3n, 4n, 7n, 8n, 9n].map((revision) => ({ revision }));
    const reader = {
      readStream: async (_: string, { from = 0n, limit = 0 }: ReadStreamOptions = {}) =>
        events.filter(({ revision }) => revision >= from).slice(0, limit),
    };
    const found = await collected(eventStreamPages(reader, 'stream-1', 2, 4n));
    expect(found.map((page) => page.map(({ revision }) => revision))).toEqual([
      [4n, 7n],
      [8n, 9n],
    ]);
  });
});

describe('findBackwards', () => {
  const at = (n: number): Position => String(n).padStart(20, '0') as Position;
  const events = Array.from({ length: 250 }, (_, n) => ({ position: at(n), even: n % 2 === 0 }));
  const reader = {
    readAll: async ({ after, limit }: ReadAllOptions) =>
      events
        .filter(({ position }) => after === null || position < after)
        .reverse()
        .slice(0, limit),
  };

  test('gives the newest event before a position that matches, however far back it is', async () => {
    expect((await findBackwards(reader, at(101), ({ even }) => even))?.position).toBe(at(100));
    expect((await findBackwards(reader, null, ({ position }) => position <= at(3)))?.position).toBe(at(3));
  });

  test('gives null if none does', async () => {
    expect(await findBackwards(reader, null, () => false)).toBeNull();
  });
});
