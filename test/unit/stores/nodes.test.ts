import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { openNodes } from '../../../src/stores/leases/nodes.ts';
import { openLeases } from '../../../src/stores/leases/openLeases.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const TTL = 10_000;

/** Nodes that share a store, each with a clock that can be paused: whoever sleeps on it does not wake. */
const cluster = async () => {
  const documents = await openEmbeddedDocuments({ file: join(temporaryDirectory(), 'views.db'), durability: 'NORMAL' });
  const clock = new ManualClock();
  const leaving = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    leaving.abort();
    for (const end of ends) await end();
    await documents.close();
  });
  return {
    node: async () => {
      const state = { paused: false, failsToRemove: false };
      const reached: Documents = new Proxy(documents, {
        get: (target, member) => {
          const value = Reflect.get(target, member);
          if (member !== 'remove') return typeof value === 'function' ? value.bind(target) : value;
          return async (collection: string, id: string) => {
            if (state.failsToRemove && collection === 'nodes') throw new StoreUnavailable('away');
            return target.remove(collection, id);
          };
        },
      });
      const own: Clock = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        pause: async (milliseconds, signal) => {
          let pause = await clock.pause(milliseconds, signal);
          while (state.paused && pause === 'elapsed') pause = await clock.pause(TTL / 10, signal);
          return pause;
        },
      };
      const deps = { documents: reached, clock: own, logger: silentLogger };
      const leases = await openLeases({ ...deps, holder: 'test', ttlMilliseconds: TTL, exclusive: false });
      const nodes = await openNodes({ ...deps, leases, roles: ['delivery'], host: 'test' });
      const joined = nodes.join(leaving.signal);
      ends.push(
        () => joined,
        () => leases.close(),
      );
      await nodes.own();
      return { nodes, state };
    },
    /** Time passes in small steps, each with what it sets going on the store done. */
    pass: async (milliseconds: number, after: () => Promise<unknown> = async () => undefined) => {
      for (let left = milliseconds; left > 0; left -= TTL / 10) {
        await clock.advance(TTL / 10);
        for (let turn = 0; turn < 5; turn += 1) await documents.deleteCheckpoint('nothing');
        await after();
      }
    },
  };
};

const ids = (nodes: readonly { id: string }[]): string[] => nodes.map(({ id }) => id).sort();

test('a node that was paused and has been buried comes back under another id, and is known again', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  const before = await b.nodes.own();
  b.state.paused = true;
  await pass(3 * TTL, async () => {
    for (const { id } of await a.nodes.gone()) await a.nodes.remove(id);
  });
  expect(ids(await a.nodes.alive())).toEqual([await a.nodes.own()]);
  b.state.paused = false;
  await pass(TTL);
  expect(await b.nodes.own()).not.toBe(before);
  for (const { nodes } of [a, b]) expect(ids(await nodes.alive())).toEqual([await a.nodes.own(), await b.nodes.own()].sort());
});

test('a node that is alive is not buried', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  await pass(3 * TTL, async () => expect(await a.nodes.gone()).toEqual([]));
  await a.nodes.remove((await b.nodes.own()) ?? '');
  expect(ids(await a.nodes.alive())).toEqual([await a.nodes.own(), await b.nodes.own()].sort());
});

test('a node that could not be buried, because the store was away, is still gone, and is buried later', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  const dead = (await b.nodes.own()) ?? '';
  b.state.paused = true;
  await pass(3 * TTL, () => a.nodes.gone());
  a.state.failsToRemove = true;
  await expect(a.nodes.remove(dead)).rejects.toThrow(StoreUnavailable);
  a.state.failsToRemove = false;
  expect(ids(await a.nodes.gone())).toEqual([dead]);
  await a.nodes.remove(dead);
  expect([await a.nodes.gone(), ids(await a.nodes.alive())]).toEqual([[], [await a.nodes.own()]]);
});
