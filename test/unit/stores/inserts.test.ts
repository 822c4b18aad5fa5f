import { MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { Inserts } from '../../../src/stores/mongodb/inserts.ts';

interface Made {
  readonly id: string;
  readonly by: string;
}

const DUPLICATE = 11_000;
const BAD_VALUE = 2;

const failed = (code: number) => new MongoServerError({ message: 'refused', code });

/** A collection that inserts a list as a server would that stops at its first refused document, or as one that continues. */
const collection = (taken: readonly string[], endsEarly: boolean) => {
  const stored = new Map(taken.map((id) => [id, 'another']));
  const requests: string[] = [];
  const insertOne = async ({ id, by }: Made) => {
    requests.push(id);
    if (id === 'bad') throw failed(BAD_VALUE);
    if (stored.has(id)) throw failed(DUPLICATE);
    stored.set(id, by);
  };
  const insertMany = async (documents: readonly Made[]) => {
    requests.push(documents.map(({ id }) => id).join(''));
    const codes: number[] = [];
    for (const { id, by } of documents) {
      if (id === 'bad' || stored.has(id)) codes.push(id === 'bad' ? BAD_VALUE : DUPLICATE);
      else stored.set(id, by);
      if (codes.length > 0 && endsEarly) break;
    }
    if (codes.length === 0) return;
    const writeErrors = codes.map((code) => ({ code, index: 0, errmsg: 'refused' }));
    throw Object.assign(Object.create(MongoBulkWriteError.prototype), { code: codes[0], writeErrors, result: {} });
  };
  const areStored = async (documents: readonly Made[]) => documents.map(({ id, by }) => (stored.has(id) ? stored.get(id) === by : null));
  return { stored, requests, inserts: new Inserts<Made>({ clock: systemClock, insertOne, insertMany, areStored }) };
};

describe.each([false, true])('inserts that are sent together, on a server that ends a list at a refused document: %s', (endsEarly) => {
  it('answer each whether its id was free', async () => {
    const { stored, inserts } = collection(['b'], endsEarly);
    const made = await Promise.all(['a', 'b', 'c', 'c', 'd'].map((id, n) => inserts.insert({ id, by: `writer ${n}` })));
    expect(made).toEqual([true, false, true, false, true]);
    expect([...stored.values()]).toEqual(['another', 'writer 0', 'writer 2', 'writer 4']);
  });

  it('reject the document that the server refuses, and store the others', async () => {
    const { stored, inserts } = collection([], endsEarly);
    const [first, bad, last] = ['a', 'bad', 'c'].map((id) => inserts.insert({ id, by: 'us' }));
    await expect(bad).rejects.toThrow('MongoDB: refused');
    expect(await Promise.all([first, last])).toEqual([true, true]);
    expect([...stored.keys()]).toEqual(['a', 'c']);
  });
});

it('rejects all as unknown if a majority is missing, whatever else was refused', async () => {
  const insertMany = async () => {
    const writeErrors = [{ code: BAD_VALUE, index: 0, errmsg: 'refused' }];
    const result = { getWriteConcernError: () => ({ code: 64 }) };
    throw Object.assign(Object.create(MongoBulkWriteError.prototype), { code: BAD_VALUE, writeErrors, result });
  };
  const insertOne = async () => expect.fail('inserted again');
  const inserts = new Inserts<Made>({ clock: systemClock, insertOne, insertMany, areStored: async (made) => made.map(() => null) });
  const made = ['a', 'bad'].map((id) => inserts.insert({ id, by: 'us' }));
  for (const one of await Promise.allSettled(made)) expect(one).toMatchObject({ reason: expect.any(StoreUnavailable) });
});

it('sends a lone insert by itself, and free ids in one request', async () => {
  const { requests, inserts } = collection([], false);
  await inserts.insert({ id: 'a', by: 'us' });
  await Promise.all(['b', 'c', 'd'].map((id) => inserts.insert({ id, by: 'us' })));
  expect(requests).toEqual(['a', 'bcd']);
});

it('rejects all inserts of a request whose outcome is unknown', async () => {
  const away = async () => Promise.reject(new MongoNetworkError('cut off'));
  const inserts = new Inserts<Made>({ clock: systemClock, insertOne: away, insertMany: away, areStored: async () => [] });
  const made = await Promise.allSettled(['a', 'b'].map((id) => inserts.insert({ id, by: 'us' })));
  for (const one of made) expect(one.status === 'rejected' && one.reason).toBeInstanceOf(StoreUnavailable);
});
