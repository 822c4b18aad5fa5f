import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Admission, type Admitted, type Lane } from '../../../src/processors/runner/admission.ts';

const unaborted = () => new AbortController().signal;

/** Work that begins when it may and ends when it is told. */
const board = (concurrency: number, engines = 4) => {
  const admission = new Admission(concurrency, engines);
  const running = new Map<string, () => void>();
  const started: string[] = [];
  const enter = (name: string, entrant: Admitted) =>
    admission.run(entrant, () => {
      started.push(name);
      return new Promise((resolve) => running.set(name, resolve));
    });
  const add = (name: string, lane: Lane, owner = 'someone', signal = unaborted()) => enter(name, { lane, owner, signal });
  /** A run at a user's own processor. */
  const call = (name: string, declarationId: string, owner = 'someone', concurrency = 1, signal = unaborted()) =>
    enter(name, { lane: 'remote', owner, signal, places: { declarationId, concurrency } });
  const end = async (name: string) => {
    running.get(name)?.();
    running.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, call, end, started, running };
};

test('runs at most as many batch runs as slots, and live runs beside them', () => {
  const { add, started } = board(2);
  for (const name of ['a', 'b', 'c']) void add(name, 'short');
  void add('live', 'live');
  expect(started).toEqual(['a', 'b', 'live']);
});

test('keeps the last slot for short runs when long runs wait', async () => {
  const { add, end, started } = board(2);
  for (const name of ['long1', 'long2']) void add(name, 'long');
  expect(started).toEqual(['long1']);
  void add('short', 'short');
  expect(started).toEqual(['long1', 'short']);
  await end('short');
  expect(started).toEqual(['long1', 'short']);
  await end('long1');
  expect(started).toEqual(['long1', 'short', 'long2']);
});

test('rotates between the short and the long runs of an owner', async () => {
  const { add, end, started } = board(1);
  void add('first', 'short');
  for (const name of ['long1', 'long2']) void add(name, 'long');
  for (const name of ['short1', 'short2']) void add(name, 'short');
  for (const name of ['first', 'long1', 'short1', 'long2']) await end(name);
  expect(started).toEqual(['first', 'long1', 'short1', 'long2', 'short2']);
});

test('starts a short run of another owner before the long runs that wait', async () => {
  const { add, end, started } = board(2);
  for (let n = 1; n <= 10; n++) void add(`long${n}`, 'long', 'a');
  void add('short', 'short', 'b');
  expect(started).toEqual(['long1', 'short']);
  await end('long1');
  expect(started).toEqual(['long1', 'short', 'long2']);
});

test('takes no slot for a run that was aborted while waiting', async () => {
  const { add, end, started } = board(1);
  void add('first', 'short');
  const abort = new AbortController();
  const aborted = add('aborted', 'short', 'someone', abort.signal);
  void add('next', 'short');
  abort.abort();
  await end('first');
  await aborted;
  expect(started).toEqual(['first', 'next']);
});

test('ends a waiting run as soon as it is aborted', async () => {
  const { add, started } = board(1);
  void add('first', 'short');
  const abort = new AbortController();
  const aborted = add('aborted', 'short', 'someone', abort.signal);
  abort.abort();
  await aborted;
  expect(started).toEqual(['first']);
});

test('frees the slot of a run that rejects', async () => {
  const admission = new Admission(1, 4);
  await expect(
    admission.run({ lane: 'short', owner: 'a', signal: unaborted() }, () => Promise.reject(new Error('broken'))),
  ).rejects.toThrow('broken');
  let ran = false;
  await admission.run({ lane: 'short', owner: 'a', signal: unaborted() }, async () => {
    ran = true;
  });
  expect(ran).toBe(true);
});

test('rotates between owners, however many runs one of them has queued', async () => {
  const { add, end, started } = board(1);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void add(name, 'short', name[0]);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('limits live engines separately, and gives an owner at most half of them', async () => {
  const { add, end, started } = board(1, 4);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name, 'engine', 'a');
  expect(started).toEqual(['a1', 'a2']);
  for (const name of ['b1', 'c1', 'c2']) void add(name, 'engine', name[0] ?? '');
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
  void add('live', 'live', 'a');
  void add('short', 'short', 'a');
  expect(started.slice(4)).toEqual(['live', 'short']);
  await end('b1');
  await end('a1');
  expect(started.slice(6)).toEqual(['c2', 'a3']);
});

test('rotates a single live engine between owners', async () => {
  const { add, end, started } = board(1, 1);
  for (const name of ['a1', 'a2', 'a3', 'b1']) void add(name, 'engine', name[0] ?? '');
  for (const name of ['a1', 'a2', 'b1']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('lets runs at a processor that hangs wait, and starts those at another processor of the owner', () => {
  const { call, started } = board(1);
  for (let n = 1; n <= 20; n++) void call(`hangs${n}`, 'hanging', 'a', 4);
  void call('healthy', 'healthy', 'a', 4);
  expect(started).toEqual(['hangs1', 'hangs2', 'hangs3', 'hangs4', 'healthy']);
});

test('starts the next run at a processor when one ends', async () => {
  const { call, end, started } = board(1);
  for (const name of ['one', 'two', 'three']) void call(name, 'processor');
  await end('one');
  expect(started).toEqual(['one', 'two']);
});

test('counts the runs of all owners and versions of a processor together', async () => {
  const { call, end, started } = board(1);
  void call('old version', 'shared', 'a', 2);
  void call('new version', 'shared', 'b', 1);
  expect(started).toEqual(['old version']);
  await end('old version');
  expect(started).toEqual(['old version', 'new version']);
});

test('rotates between the owners of runs at a shared processor', async () => {
  const { call, end, started } = board(1);
  for (const name of ['many1', 'many2', 'many3', 'many4']) void call(name, 'shared', 'many');
  void call('few1', 'shared', 'few');
  for (const name of ['many1', 'many2', 'few1', 'many3']) await end(name);
  expect(started).toEqual(['many1', 'many2', 'few1', 'many3', 'many4']);
});

test('rotates between the processors of an owner that holds all its places', async () => {
  const { call, end, started } = board(1);
  for (let n = 1; n <= 18; n++) void call(`a${n}`, 'a', 'someone', 64);
  void call('b1', 'b', 'someone', 64);
  expect(started).toHaveLength(16);
  await end('a1');
  await end('a2');
  expect(started.slice(16)).toEqual(['a17', 'b1']);
});

test('gives the place of a run that was aborted while waiting to the next one', async () => {
  const { call, end, started } = board(1);
  void call('first', 'processor');
  const abort = new AbortController();
  const aborted = call('aborted', 'processor', 'someone', 1, abort.signal);
  void call('third', 'processor');
  abort.abort();
  await aborted;
  await end('first');
  expect(started).toEqual(['first', 'third']);
});

test('gives all slots to a lone owner, and a fair share when another arrives', async () => {
  const { add, end, started } = board(4);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) void add(name, 'short', 'a');
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  for (const name of ['b1', 'b2', 'b3']) void add(name, 'short', 'b');
  for (const name of ['a1', 'a2', 'a3']) await end(name);
  expect(started.slice(4)).toEqual(['b1', 'b2', 'a5']);
});

test('prefers a long run of an owner without a slot to short runs of an owner with slots', async () => {
  const { add, end, started } = board(3);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name, 'short', 'a');
  void add('b long', 'long', 'b');
  await end('a1');
  expect(started.slice(3)).toEqual(['b long']);
});

test('never gives an owner two slots more than a waiting owner', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 60 }), async (steps) => {
      const { add, end, running } = board(4);
      const waiting = new Map<string, number>();
      let n = 0;
      for (const [owner, ends] of steps) {
        const mine = [...running.keys()].find((name) => name.startsWith(owner));
        if (ends && mine) {
          const before = new Set(running.keys());
          await end(mine);
          for (const name of running.keys()) {
            if (before.has(name)) continue;
            const starter = name[0] ?? '';
            const held = (who: string) => [...running.keys()].filter((other) => other.startsWith(who) && other !== name).length;
            waiting.set(starter, (waiting.get(starter) ?? 0) - 1);
            for (const [who, count] of waiting) if (count > 0) expect(held(starter)).toBeLessThanOrEqual(held(who));
          }
          continue;
        }
        const name = `${owner}${n++}`;
        void add(name, 'short', owner);
        if (!running.has(name)) waiting.set(owner, (waiting.get(owner) ?? 0) + 1);
      }
    }),
  );
});
