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
import { documentsWriterInThread } from '../../writersInThread.ts';

const TTL = 10_000;

/** Nodes that share a store, each with a clock that can be paused: a sleeper on it does not wake. */
const cluster = async () => {
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(temporaryDirectory(), 'views.db'),
    durability: 'NORMAL',
  });
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
      const state = { paused: false, failsToRemove: false, away: false };
      const reached: Documents = new Proxy(documents, {
        get: (target, member) => {
          const value = Reflect.get(target, member);
          if (typeof value === 'function' && state.away) return () => Promise.reject(new StoreUnavailable('away'));
          if (member !== 'remove') return typeof value === 'function' ? value.bind(target) : value;
          return async (...given: Parameters<Documents['remove']>) => {
            if (state.failsToRemove && given[0] === 'nodes') throw new StoreUnavailable('away');
            return target.remove(...given);
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
      const leases = await openLeases({ ...deps, holder: 'test', ttlMilliseconds: TTL });
      const nodes = await openNodes({ ...deps, leases, host: 'test' });
      const joined = nodes.join(['delivery'], leaving.signal);
      ends.push(
        () => joined,
        () => leases.close(),
      );
      await nodes.own();
      return { nodes, state };
    },
    /** Advances time in small steps, waiting for the effects of each. */
    pass: async (milliseconds: number, after: () => Promise<unknown> = async () => undefined) => {
      for (let left = milliseconds; left > 0; left -= TTL / 10) {
        await clock.advance(TTL / 10);
        for (let turn = 0; turn < 5; turn += 1) await documents.deleteCheckpoint('nothing');
        await after();
      }
    },
  };
};

const nothingLeft = async (): Promise<void> => undefined;

const ids = (nodes: readonly { id: string }[]): string[] => nodes.map(({ id }) => id).sort();

test('gives a node another id if it was removed while paused', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  const before = await b.nodes.own();
  b.state.paused = true;
  await pass(3 * TTL, async () => {
    for (const { id } of await a.nodes.gone()) await a.nodes.remove(id, nothingLeft);
  });
  expect(ids(await a.nodes.alive())).toEqual([await a.nodes.own()]);
  b.state.paused = false;
  await pass(TTL);
  expect(await b.nodes.own()).not.toBe(before);
  for (const { nodes } of [a, b]) expect(ids(await nodes.alive())).toEqual([await a.nodes.own(), await b.nodes.own()].sort());
});

test('does not remove a node that is alive', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  await pass(3 * TTL, async () => expect(await a.nodes.gone()).toEqual([]));
  expect(await a.nodes.remove((await b.nodes.own()) ?? '', nothingLeft)).toBe(false);
  expect(ids(await a.nodes.alive())).toEqual([await a.nodes.own(), await b.nodes.own()].sort());
});

test('removes a gone node later if the store was away', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  const dead = (await b.nodes.own()) ?? '';
  b.state.paused = true;
  await pass(3 * TTL, () => a.nodes.gone());
  a.state.failsToRemove = true;
  await expect(a.nodes.remove(dead, nothingLeft)).rejects.toThrow(StoreUnavailable);
  a.state.failsToRemove = false;
  expect(ids(await a.nodes.gone())).toEqual([dead]);
  await a.nodes.remove(dead, nothingLeft);
  expect([await a.nodes.gone(), ids(await a.nodes.alive())]).toEqual([[], [await a.nodes.own()]]);
});

test('keeps all nodes and their ids when the store hangs for longer than the ttl', async () => {
  const { node, pass } = await cluster();
  const nodes = [await node(), await node(), await node()];
  const before = await Promise.all(nodes.map(({ nodes: one }) => one.own()));
  const gone = async () => {
    for (const { nodes: one } of nodes) expect(await one.gone().catch(() => [])).toEqual([]);
  };
  await pass(TTL, gone);
  for (const { state } of nodes) state.away = true;
  await pass(4 * TTL, gone);
  for (const { state } of nodes) state.away = false;
  await pass(3 * TTL, gone);
  expect(await Promise.all(nodes.map(({ nodes: one }) => one.own()))).toEqual(before);
});

test('gives a node another id if it was cut off while another node removed it', async () => {
  const { node, pass } = await cluster();
  const [a, b] = [await node(), await node()];
  const dead = (await b.nodes.own()) ?? '';
  b.state.away = true;
  await pass(3 * TTL, () => a.nodes.gone());
  let ended = 0;
  const removed = a.nodes.remove(dead, async () => {
    b.state.away = false;
    await pass(TTL);
    ended += 1;
  });
  expect([await removed, ended]).toEqual([true, 1]);
  await pass(TTL);
  expect(await b.nodes.own()).not.toBe(dead);
});

test('keeps a node that has returned while the node that removes it was paused', async () => {
  const { node, pass } = await cluster();
  const [a, b, c] = [await node(), await node(), await node()];
  const id = await b.nodes.own();
  b.state.paused = true;
  await pass(3 * TTL, () => Promise.all([a.nodes.gone(), c.nodes.gone()]));
  let finish = (): void => undefined;
  const working = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const removing = a.nodes.remove(id, () => working);
  removing.catch(() => undefined);
  await pass(TTL / 10);
  a.state.paused = true;
  // Another node takes the removal over, fails, and so leaves the lease to the node that returns.
  await pass(3 * TTL, async () => {
    for (const gone of await c.nodes.gone())
      await c.nodes.remove(gone.id, async () => Promise.reject(new StoreUnavailable('away'))).catch(() => undefined);
  });
  b.state.paused = false;
  await pass(2 * TTL);
  expect(b.nodes.id).toBe(id);
  finish();
  await removing.catch(() => undefined);
  expect((await c.nodes.removed())(id)).toBe(false);
});
