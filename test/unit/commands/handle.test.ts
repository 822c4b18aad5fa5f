import { describe, expect, test } from 'vitest';
import { contentAt, type Decider, forgetStates, handle, load, loadWith, rememberedAt } from '../../../src/commands/handle.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { DamagedEventStream, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import { type AppendContext, type EventSchemas, openedLog } from './openedLog.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

type Added = { type: 'Added'; data: { n: number } };
const schemas: EventSchemas = { Added: { version: 1, schema: { type: 'object', properties: { n: { type: 'number' } } } } };
const counter: Decider<number, Added> = { initialState: () => 0, evolve: (sum, { data }) => sum + data.n };
const by: AppendContext = { subject: 's', actor: 'a', correlationId: 'c', causationId: 'c' };
const add = (n: number, extra: object = {}) => ({
  eventStream: 'sum-1',
  decider: counter,
  decide: (): Added[] => (n === 0 ? [] : [{ type: 'Added', data: { n } }]),
  context: by,
  ...extra,
});

/** A log that notes what is read, and a command that appends events of this many characters. */
const noted = () => {
  const { store, log } = openedLog({ Wrote: { version: 1, schema: { type: 'object', properties: { text: { type: 'string' } } } } });
  const asked: [string, bigint | undefined][] = [];
  const readStream = store.readStream.bind(store);
  store.readStream = (name, options) => {
    asked.push([name, options?.from]);
    return readStream(name, options);
  };
  type Wrote = { type: 'Wrote'; data: { text: string } };
  const length: Decider<number, Wrote> = { initialState: () => 0, evolve: (sum, { data }) => sum + data.text.length };
  const write = (eventStream: string, characters: number) =>
    handle(
      { log },
      {
        ...{ eventStream, decider: length, context: by, expectNew: true },
        decide: (): Wrote[] => [{ type: 'Wrote', data: { text: 'x'.repeat(characters) } }],
      },
    );
  return { log, asked, write, lengthOf: (eventStream: string) => load(log, eventStream, length) };
};

describe('remembered states', () => {
  test('are bounded by the length of their events, and the oldest is read again', async () => {
    const { asked, write, lengthOf } = noted();
    for (let n = 0; n < 20; n += 1) await write(`text-${n}`, 1_000_000);
    for (const n of [19, 5, 0]) expect(await lengthOf(`text-${n}`)).toBe(1_000_000);
    expect(asked).toEqual([
      ['text-19', 1n],
      ['text-5', 1n],
      ['text-0', 0n],
    ]);
  });

  test('are bounded by their number', async () => {
    const { asked, write, lengthOf } = noted();
    for (let n = 0; n <= 1_024; n += 1) await write(`text-${n}`, 1);
    for (const n of [1_024, 1, 0]) await lengthOf(`text-${n}`);
    expect(asked.slice(-3)).toEqual([
      ['text-1024', 1n],
      ['text-1', 1n],
      ['text-0', 0n],
    ]);
  });

  test('include a very large one, beside small ones', async () => {
    const { asked, write, lengthOf } = noted();
    await write('small', 1);
    for (let n = 0; n < 20; n += 1) await write('large', 1_000_000);
    asked.length = 0;
    await lengthOf('small');
    expect(await lengthOf('large')).toBe(20_000_000);
    expect(asked).toEqual([
      ['small', 1n],
      ['large', 20n],
    ]);
  });
});

describe('the content of an event', () => {
  const filled = async () => {
    const { store, log } = openedLog(schemas);
    await handle({ log }, { ...add(1), decide: () => [1, 2].map((n): Added => ({ type: 'Added', data: { n } })) });
    return { store, log, contentOf: (revision: number) => contentAt(log, 'sum-1', revision, ({ data }) => ({ ...data })) };
  };

  test('is read from the log once, and is null for an event that does not exist', async () => {
    const { store, contentOf } = await filled();
    const before = store.reads;
    expect([await contentOf(0), await contentOf(1), await contentOf(2)]).toEqual([{ n: 1 }, { n: 2 }, null]);
    expect(await contentOf(1)).toBe(await contentOf(1));
    expect(store.reads - before).toBe(3);
  });

  test('is read again after all states were forgotten', async () => {
    const { log, contentOf } = await filled();
    const before = await contentOf(1);
    forgetStates(log);
    const after = await contentOf(1);
    expect(after).toEqual(before);
    expect(after).not.toBe(before);
  });
});

test('a remembered state that includes an event is not read again for it; an older one is', async () => {
  const { store, log, another } = openedLog(schemas);
  await handle({ log }, add(2));
  const seen = async (revision: bigint) => {
    const before = store.reads;
    return [await loadWith(log, { eventStream: 'sum-1', revision }, counter), store.reads - before];
  };
  expect(await seen(0n)).toEqual([2, 0]);
  await handle({ log: another() }, add(5));
  expect(await seen(1n)).toEqual([7, 1]);
  expect(await seen(0n)).toEqual([7, 0]);
});

test('a command or a load that is under way while all states are forgotten does not bring its state back', async () => {
  const { store, log } = openedLog(schemas);
  await handle({ log }, add(2));
  const append = store.append.bind(store);
  store.append = async (...parameters) => {
    const appended = await append(...parameters);
    forgetStates(log);
    return appended;
  };
  await handle({ log }, add(5));
  expect(rememberedAt(log, { eventStream: 'sum-1', revision: 1n }, counter)).toBeUndefined();
  const readStream = store.readStream.bind(store);
  store.readStream = async (...parameters) => {
    const events = await readStream(...parameters);
    forgetStates(log);
    return events;
  };
  expect(await load(log, 'sum-1', counter)).toBe(7);
  expect(rememberedAt(log, { eventStream: 'sum-1', revision: 1n }, counter)).toBeUndefined();
  store.readStream = readStream;
  await load(log, 'sum-1', counter);
  expect(rememberedAt(log, { eventStream: 'sum-1', revision: 1n }, counter)).toBe(7);
});

test('a state that is not remembered is read once for all who ask at the same time', async () => {
  const { store, log } = openedLog(schemas);
  await handle({ log }, add(2));
  forgetStates(log);
  const asked: unknown[] = [];
  const readStream = store.readStream.bind(store);
  store.readStream = (name, options) => {
    asked.push(options?.from);
    return readStream(name, options);
  };
  const states = await Promise.all([1, 2, 3].map(() => load(log, 'sum-1', counter)));
  expect(states).toEqual([2, 2, 2]);
  expect(asked).toEqual([0n, 1n, 1n]);
});

/** Loads of counters, and what answers the reads that they wait for. */
const asking = (count: number, nameOf = (n: number) => `sum-${n}`) => {
  const { store, log } = openedLog(schemas);
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const readStream = store.readStream.bind(store);
  store.readStream = async (name, options) => {
    await new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
    return readStream(name, options);
  };
  return { answers, loads: Array.from({ length: count }, (_, n) => load(log, nameOf(n), counter)) };
};

describe('loads of an event stream that does not exist', () => {
  const gated = () => asking(3, () => 'sum-1');

  test('wait for one read at most, not for each other', async () => {
    const { answers, loads } = gated();
    await settled();
    expect(answers.length).toBe(1);
    answers[0]?.resolve();
    await settled();
    expect(answers.length).toBe(3);
    for (const { resolve } of answers) resolve();
    expect(await Promise.all(loads)).toEqual([0, 0, 0]);
  });

  test('fail together with the read that they wait for', async () => {
    const { answers, loads } = gated();
    answers[0]?.reject(new StoreUnavailable('away'));
    expect((await Promise.allSettled(loads)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(answers.length).toBe(1);
  });
});

describe('a command', () => {
  test('answers with its state, revision and position', async () => {
    const { store, log } = openedLog(schemas);
    await handle({ log }, add(2));
    const handled = await handle({ log }, add(3));
    expect(handled).toMatchObject({ state: 5, revision: 1n, position: store.events[1]?.position });
    expect(handled.events.map(({ data }) => data)).toEqual([{ n: 3 }]);
  });

  test('appends nothing if it decides nothing', async () => {
    const { store, log } = openedLog(schemas);
    expect(await handle({ log }, add(0))).toEqual({ state: 0, events: [], position: null, revision: -1n });
    await handle({ log }, add(1));
    expect(await handle({ log }, add(0))).toEqual({ state: 1, events: [], position: null, revision: 0n });
    expect(store.events.length).toBe(1);
  });

  test('sees what another node has appended', async () => {
    const { log, another } = openedLog(schemas);
    const other = another();
    await handle({ log }, add(1));
    await handle({ log: other }, add(10));
    expect(await handle({ log }, add(100))).toMatchObject({ state: 111, revision: 2n });
    expect(await load(other, 'sum-1', counter)).toBe(111);
  });

  test('reads nothing if the state is remembered, unless it appends nothing or is refused', async () => {
    const { store, log, another } = openedLog(schemas);
    const asked: unknown[] = [];
    const readStream = store.readStream.bind(store);
    store.readStream = (name, options) => {
      asked.push(options?.from);
      return readStream(name, options);
    };
    for (let i = 0; i < 3; i++) await handle({ log }, add(1));
    expect(asked).toEqual([0n]);
    const other = another();
    await handle({ log: other }, add(10));
    const refuseAbove = (most: number) => ({
      decide: (sum: number): Added[] => {
        if (sum <= most) throw new Problem('GENERAL_CONFLICT_ERROR', 'too little');
        return [{ type: 'Added', data: { n: 100 } }];
      },
    });
    expect(await handle({ log }, add(0))).toMatchObject({ state: 13, revision: 3n });
    await handle({ log: other }, add(10));
    expect(await handle({ log }, add(0, refuseAbove(20)))).toMatchObject({ state: 123 });
    expect(asked).toEqual([0n, 0n, 3n, 4n]);
  });

  test('waits for its turn among commands on the same event stream, without conflicts', async () => {
    const { store, log } = openedLog(schemas);
    let conflicts = 0;
    const append = store.append.bind(store);
    store.append = (...given) =>
      append(...given).catch((error: unknown) => {
        conflicts++;
        throw error;
      });
    await Promise.all(Array.from({ length: 200 }, () => handle({ log }, add(1))));
    expect([await load(log, 'sum-1', counter), conflicts]).toEqual([200, 0]);
  });

  test('is appended exactly once among concurrent commands of several nodes', async () => {
    const { store, log, another } = openedLog(schemas);
    const nodes = [log, another(), another()];
    await Promise.all(nodes.flatMap((node) => Array.from({ length: 20 }, () => handle({ log: node }, add(1)))));
    expect(await load(another(), 'sum-1', counter)).toBe(60);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true, checked: 60 });
  });

  test('lets the next one run after a refusal', async () => {
    const { log } = openedLog(schemas);
    const refusal = new Problem('GENERAL_CONFLICT_ERROR', 'no');
    const refusing = handle(
      { log },
      add(1, {
        decide: () => {
          throw refusal;
        },
      }),
    );
    const next = handle({ log }, add(1));
    await expect(refusing).rejects.toBe(refusal);
    expect(await next).toMatchObject({ state: 1 });
  });

  test('is decided again on the new state after a conflict', async () => {
    const { log, another } = openedLog(schemas);
    const seen: number[] = [];
    const other = another();
    await handle({ log }, add(1));
    const appendFirst = log.append.bind(log);
    let interfered = false;
    log.append = async (...given) => {
      if (!interfered) {
        interfered = true;
        await handle({ log: other }, add(10));
      }
      return appendFirst(...given);
    };
    const decide = (sum: number): Added[] => {
      seen.push(sum);
      return [{ type: 'Added', data: { n: 100 } }];
    };
    expect(await handle({ log }, add(0, { decide }))).toMatchObject({ state: 111 });
    expect(seen).toEqual([1, 11]);
  });

  test('is refused with 409 if its conflicts do not end', async () => {
    const { store, log, another } = openedLog(schemas);
    const other = another();
    let tries = 0;
    const append = log.append.bind(log);
    log.append = async (...given) => {
      tries++;
      await handle({ log: other }, add(1));
      return append(...given);
    };
    await expect(handle({ log }, add(1))).rejects.toMatchObject({ statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' });
    expect(tries).toBe(store.events.length);
    expect(tries).toBeLessThan(100);
  });

  test('is refused with 503 while the log is away, and accepted when it is back', async () => {
    const { store, log } = openedLog(schemas);
    store.beforeAppend = () => {
      throw new StoreUnavailable('away');
    };
    await expect(handle({ log }, add(1))).rejects.toMatchObject({ statusCode: 503, headers: { 'Retry-After': '2' } });
    store.beforeAppend = () => undefined;
    expect(await handle({ log }, add(1))).toMatchObject({ state: 1 });
    store.readStream = () => Promise.reject(new StoreUnavailable('away'));
    await expect(load(log, 'sum-1', counter)).rejects.toMatchObject({ statusCode: 503 });
  });

  test('is seen by the next one if it was stored but its answer was lost', async () => {
    const { store, log } = openedLog(schemas);
    const append = store.append.bind(store);
    store.append = (...given) => append(...given).then(() => Promise.reject(new StoreUnavailable('lost')));
    await expect(handle({ log }, add(1))).rejects.toMatchObject({ statusCode: 503 });
    store.append = append;
    expect(await handle({ log }, add(1))).toMatchObject({ state: 2, revision: 1n });
    expect(await verifyChain(store.events)).toMatchObject({ ok: true, checked: 2 });
  });

  test('keeps the hash chain intact under an idempotency key', async () => {
    const { store, log } = openedLog(schemas);
    await handle({ log }, add(1, { context: { ...by, idempotencyKey: 'k1' } }));
    await handle({ log }, add(1));
    expect(await verifyChain(store.events)).toMatchObject({ ok: true, checked: 2 });
  });

  test('skips the read if it expects a new event stream, and is decided again if that is wrong', async () => {
    const { store, log, another } = openedLog(schemas);
    await handle({ log }, add(1, { expectNew: true }));
    expect(store.reads).toBe(0);
    expect(await handle({ log: another() }, add(5, { expectNew: true }))).toMatchObject({ state: 6, revision: 1n });
  });

  test('reads a long event stream page by page', async () => {
    const { store, log, another } = openedLog(schemas);
    for (let i = 0; i < 120; i++) await handle({ log }, add(1));
    const limits: unknown[] = [];
    const readStream = store.readStream.bind(store);
    store.readStream = (name, options) => {
      limits.push(options?.limit);
      return readStream(name, options);
    };
    expect(await load(another(), 'sum-1', counter)).toBe(120);
    expect(limits).toEqual(Array(7).fill(20));
  });
});

test('reports stored events that do not fit together as a damaged event stream', async () => {
  const { log, another } = openedLog(schemas);
  await handle({ log }, add(1));
  const strict: Decider<number, Added> = {
    initialState: () => 0,
    evolve: () => {
      throw new Error('Added before Created');
    },
  };
  await expect(load(another(), 'sum-1', strict)).rejects.toThrow(new DamagedEventStream('sum-1', 'Added before Created'));
});
