import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listJson } from '../../../src/http/answers/list.ts';
import { loaded } from '../../../src/http/answers/readPage.ts';
import { ask, route, serve } from './testServer.ts';

const whole = async (list: { content: readonly unknown[] }): Promise<{ text: string; pieces: number }> => {
  const json = await listJson(list);
  if (typeof json === 'string') return { text: json, pieces: 1 };
  const pieces: string[] = [];
  for await (const piece of json) pieces.push(piece);
  return { text: pieces.join(''), pieces: pieces.length };
};

const item = (index: number, length: number) => ({ index, text: 'ă'.repeat(length) });

describe('the JSON of a list', () => {
  test('equals JSON.stringify for any value', async () => {
    const list = fc.record(
      { totalPages: fc.integer(), content: fc.array(fc.jsonValue()), next: fc.option(fc.string()), absent: fc.constant(undefined) },
      { requiredKeys: ['content'] },
    );
    await fc.assert(
      fc.asyncProperty(list, async (one) => {
        expect((await whole(one)).text).toBe(JSON.stringify(one));
      }),
    );
  });

  test('comes in pieces if it is long', async () => {
    const list = { first: true, content: Array.from({ length: 20 }, (_, index) => item(index, 50_000)), last: true };
    const { text, pieces } = await whole(list);
    expect(text).toBe(JSON.stringify(list));
    expect(pieces).toBeGreaterThan(10);
  });
});

const PAGE = { content: Array.from({ length: 200 }, (_, index) => item(index, 100_000)) };
const LISTS = [route({ path: '/lists', access: 'authenticated', handle: async () => ({ status: 200, body: PAGE }) })];

test('delivers a long list in full', async () => {
  expect((await ask(await serve(LISTS), 'GET', '/lists')).body).toEqual(PAGE);
});

test('loads the items of a page ten at a time, as they are taken', async () => {
  const ids = Array.from({ length: 25 }, (_, n) => n);
  const loads: number[] = [];
  const items = loaded(ids, async (some) => {
    loads.push(some.length);
    return some.filter((n) => n !== 3);
  });
  expect(await items.next()).toMatchObject({ value: 0 });
  expect(loads).toEqual([10]);
  const rest: number[] = [];
  for await (const one of items) rest.push(one);
  expect(rest).toEqual(ids.filter((n) => n !== 0 && n !== 3));
  expect(loads).toEqual([10, 10, 5]);
});
