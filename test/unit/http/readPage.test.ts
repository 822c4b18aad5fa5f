import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/http/answers/readPage.ts';
import type { ReadModel, ReadModels } from '../../../src/projections/readModels.ts';
import { streamsProjection } from '../../../src/projections/streams.ts';
import type { FindOptions } from '../../../src/stores/documents.ts';

/** A read model of this many documents, `later` of which are added between a page and its count. */
const readModelOf = (present: number, later = 0): { readModels: ReadModels; counts: () => number } => {
  const documents = Array.from({ length: present }, (_, n) => ({ n }));
  let counts = 0;
  const readModels: ReadModels = {
    get: () => Promise.reject(new Error('a page is found')),
    getFresh: () => Promise.reject(new Error('a page is found')),
    find: async <Doc extends object>(_: ReadModel<Doc>, { skip = 0, limit }: FindOptions) =>
      documents.slice(skip, skip + limit) as unknown as Doc[],
    findIds: () => Promise.reject(new Error('a page is found')),
    search: () => Promise.reject(new Error('a page is found')),
    getMany: () => Promise.reject(new Error('a page is found')),
    count: async () => {
      counts += 1;
      return present + later;
    },
    sum: () => Promise.reject(new Error('a page is found')),
    sumsBy: () => Promise.reject(new Error('a page is found')),
    waitFor: async () => true,
    isPosition: async () => true,
    keepUp: () => true,
  };
  return { readModels, counts: () => counts };
};

const totalOf = async (readModels: ReadModels, page: number, size: number): Promise<[number, number]> => {
  const { documents, total } = await readPage(readModels, streamsProjection, { where: {}, newestBy: 'createdTimestamp' }, { page, size });
  return [documents.length, total];
};

describe('a page of a list', () => {
  it('has a total without a count if it is not full', async () => {
    const { readModels, counts } = readModelOf(7, 1);
    expect([await totalOf(readModels, 0, 10), await totalOf(readModels, 2, 3)]).toEqual([
      [7, 7],
      [1, 7],
    ]);
    expect(counts()).toBe(0);
  });

  it('has the total 0 if it is empty, whatever is added meanwhile', async () => {
    expect(await totalOf(readModelOf(0, 1).readModels, 0, 10)).toEqual([0, 0]);
  });

  it('has a counted total if it is full', async () => {
    expect(await totalOf(readModelOf(7).readModels, 0, 3)).toEqual([3, 7]);
  });

  it('never has a total below the number of items shown', async () => {
    expect(await totalOf(readModelOf(6, -1).readModels, 1, 3)).toEqual([3, 6]);
  });

  it('has the total even after the last item', async () => {
    expect(await totalOf(readModelOf(7).readModels, 9, 3)).toEqual([0, 7]);
  });
});
