import { beforeEach, expect, it } from 'vitest';
import { BuildDocuments } from '../../../src/projections/engine/buildDocuments.ts';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../../src/stores/documents.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';

const AT = '1' as Position;
const CHECKPOINT: Checkpoint = { name: 'projection/x@1', position: AT, epoch: 1 };

const document = (id: string, sum: number): StoredDocument & DocumentWrite => ({ id, position: AT, body: { sum } });

/** A store whose batches end when the test says so. */
const slowStore = () => {
  const batches: { writes: readonly DocumentWrite[]; end: () => void; fail: () => void }[] = [];
  const asked: string[] = [];
  const documents: Pick<Documents, 'getMany' | 'writeBatch'> = {
    getMany: async (_, ids) => {
      asked.push(...ids);
      return ids.filter((id) => id !== 'absent').map((id) => document(id, 0));
    },
    writeBatch: (_, writes) =>
      new Promise((resolve, reject) =>
        batches.push({ writes, end: () => resolve(true), fail: () => reject(new StoreUnavailable('away')) }),
      ),
  };
  return { batches, asked, documents: documents as Documents };
};

let store: ReturnType<typeof slowStore>;
let build: BuildDocuments;
let written: number;

const begin = (...writes: DocumentWrite[]): Promise<void> =>
  build.begin({
    collection: 'x',
    writes,
    checkpoint: CHECKPOINT,
    written: () => {
      written += 1;
    },
  });
const sums = async (...ids: string[]): Promise<unknown[]> => (await build.getMany('x', ids)).map(({ id, body }) => [id, body.sum]);

beforeEach(() => {
  store = slowStore();
  build = new BuildDocuments(store.documents);
  written = 0;
});

it('the next fold sees documents being written, not those being removed, and reads neither', async () => {
  await begin(document('a', 1), { id: 'b', position: AT, body: null });
  expect(await sums('a', 'b', 'c', 'absent')).toEqual([
    ['a', 1],
    ['c', 0],
  ]);
  expect(store.asked).toEqual(['c', 'absent']);
});

it('remembers written documents, and reads removed ones', async () => {
  await begin(document('a', 1), { id: 'absent', position: AT, body: null });
  store.batches[0]?.end();
  await build.settled();
  expect(await sums('a', 'absent')).toEqual([['a', 1]]);
  expect(store.asked).toEqual(['absent']);
  build.forget();
  expect(await sums('a')).toEqual([['a', 0]]);
});

it('reports a written document as missing while it is being removed', async () => {
  await begin(document('a', 1));
  store.batches[0]?.end();
  await build.settled();
  await begin({ id: 'a', position: AT, body: null });
  expect(await sums('a')).toEqual([]);
});

it('starts a batch after the previous one is written', async () => {
  await begin(document('a', 1));
  const second = begin(document('a', 2));
  await build.getMany('x', ['c']);
  expect(store.batches).toHaveLength(1);
  store.batches[0]?.end();
  await second;
  expect(written).toBe(1);
  expect(store.batches.map(({ writes }) => writes[0]?.body)).toEqual([{ sum: 1 }, { sum: 2 }]);
  store.batches[1]?.end();
  await build.settled();
  expect(written).toBe(2);
});

it.each([
  ['the next batch', () => begin(document('a', 2))],
  ['who waits until all is settled', () => build.settled()],
])('reports a failure to %s, once, and reads again what may not have been written', async (_, next) => {
  await begin(document('a', 1));
  const told = next();
  store.batches[0]?.fail();
  await expect(told).rejects.toThrow('away');
  await build.settled();
  expect(store.batches).toHaveLength(1);
  expect(written).toBe(0);
  expect(await sums('a')).toEqual([['a', 0]]);
});
