import { beforeEach, expect, it } from 'vitest';
import { BuildDocuments } from '../../../src/projections/engine/buildDocuments.ts';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../../src/stores/documents.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';

const AT = '1' as Position;
const CHECKPOINT: Checkpoint = { name: 'projection/x@1', position: AT, epoch: 1 };

const document = (id: string, sum: number): StoredDocument & DocumentWrite => ({ id, position: AT, body: { sum } });

/** A store that has every document but one, and that can be away. */
const someStore = () => {
  const asked: string[] = [];
  const state = { away: false };
  const documents: Pick<Documents, 'getMany' | 'writeBatch'> = {
    getMany: async (_, ids) => {
      asked.push(...ids);
      return ids.filter((id) => id !== 'absent').map((id) => document(id, 0));
    },
    writeBatch: async () => {
      if (state.away) throw new StoreUnavailable('away');
      return true;
    },
  };
  return { state, asked, documents: documents as Documents };
};

let store: ReturnType<typeof someStore>;
let build: BuildDocuments;

const write = (...writes: DocumentWrite[]): Promise<boolean> => build.write('x', writes, CHECKPOINT);
const sums = async (...ids: string[]): Promise<unknown[]> => (await build.getMany('x', ids)).map(({ id, body }) => [id, body.sum]);

beforeEach(() => {
  store = someStore();
  build = new BuildDocuments(store.documents);
});

it('remembers written documents, and reads removed ones', async () => {
  await write(document('a', 1), document('absent', 1));
  await write({ id: 'absent', position: AT, body: null });
  expect(await sums('a', 'absent')).toEqual([['a', 1]]);
  expect(store.asked).toEqual(['absent']);
  build.forget();
  expect(await sums('a')).toEqual([['a', 0]]);
});

it('reads again what may not have been written', async () => {
  await write(document('a', 1));
  store.state.away = true;
  await expect(write(document('a', 2))).rejects.toThrow('away');
  expect(await sums('a')).toEqual([['a', 0]]);
});
