import { describe, expect, it, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { leaseOf } from '../../../src/projections/engine/builds.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { digestOf } from '../../digestOf.ts';
import { advancing, eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { asProjections, openNode, openPlatform, type Platform, type Sum, sums } from './node.ts';

const addMany = async ({ append }: Platform, count: number, from = 0): Promise<Position> => {
  let last = '' as Position;
  for (let n = from; n < from + count; n++) last = await append(`account-${n % 7}`, n % 5 === 4 ? 'Noise' : 'Added', { by: n });
  return last;
};

/** What `addMany` has added to an account up to, not with, a number. */
const sumOf = (account: number, end: number): number => {
  let sum = 0;
  for (let n = account; n < end; n += 7) if (n % 5 !== 4) sum += n;
  return sum;
};

const digest = (platform: Platform, node: Awaited<ReturnType<typeof openNode>>, name = 'sums') =>
  digestOf(platform.documents, node.engine.served(name).collection);

/** Documents that fail where a test says so. */
const failing = (documents: Documents, fail: (call: string, args: readonly unknown[]) => Error | undefined): Documents =>
  new Proxy(documents, {
    get: (target, member: keyof Documents) => {
      const method = target[member] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        const error = fail(member, args);
        if (error) throw error;
        return method.apply(target, args);
      };
    },
  });

/** Waits until the read model shows everything added, and is served. */
const filled = async (platform: Platform, { engine, readModels }: Awaited<ReturnType<typeof openNode>>, count: number, from = 0) => {
  expect(await readModels.waitFor(['sums'], await addMany(platform, count, from), 20_000)).toBe(true);
  await engine.whenReady();
};

/** A clock on which no pause is long: old documents go soon. */
const hurried = (longest = 100): Clock => ({
  ...systemClock,
  pause: (milliseconds, signal) => systemClock.pause(Math.min(milliseconds, longest), signal),
});

const SUMS = sums();

describe('the projection engine', () => {
  it('is ready while a read model is built that reads more than the log', async () => {
    const platform = await openPlatform();
    const last = await addMany(platform, 20);
    let read = () => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    const complete = async (sum: Sum): Promise<Sum> => {
      await reading;
      return { ...sum, parity: 'read' };
    };
    const node = await openNode(platform, asProjections({ ...sums(), complete }, sums({ name: 'others' })));
    await node.engine.whenReady();
    expect(await node.readModels.waitFor(['others'], last)).toBe(true);
    expect(await node.readModels.waitFor(['sums'], last, 10)).toBe(false);
    read();
    expect(await node.readModels.waitFor(['sums'], last)).toBe(true);
    expect(await node.readModels.get(sums(), 'account-1')).toMatchObject({ parity: 'read' });
  });

  it('brings a read model to the head and keeps it there', async () => {
    const platform = await openPlatform();
    await addMany(platform, 20);
    const { engine, readModels } = await openNode(platform, asProjections(sums()));
    await engine.whenReady();
    const position = await platform.append('account-1', 'Added', { by: 1_000 });
    expect(await readModels.waitFor(['sums'], position)).toBe(true);
    expect(await readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 + 8 + 15 + 1_000, parity: 'even' });
    expect(await readModels.find(SUMS, { where: { parity: 'even' }, limit: 100 })).toHaveLength(
      await readModels.count(SUMS, { parity: 'even' }),
    );
  });

  it('writes at most 100 documents of a served read model at once, so that others do not wait long for the thread that writes', async () => {
    const platform = await openPlatform();
    const sizes: number[] = [];
    let open = () => {};
    let isOpen = Promise.resolve();
    const documents = new Proxy(platform.documents, {
      get: (target, member: keyof Documents) => {
        if (member !== 'writeBatch') return (target[member] as (...args: unknown[]) => unknown).bind(target);
        return async (...[collection, writes, ...rest]: Parameters<Documents['writeBatch']>) => {
          await isOpen;
          sizes.push(writes.length);
          return target.writeBatch(collection, writes, ...rest);
        };
      },
    });
    const { engine, readModels } = await openNode(platform, asProjections(sums()), { documents });
    await engine.whenReady();
    isOpen = new Promise((resolve) => {
      open = resolve;
    });
    let last = await platform.append('account-first', 'Added', { by: 1 });
    for (let n = 0; n < 350; n += 1) last = await platform.append(`account-${n}`, 'Added', { by: n });
    open();
    expect(await readModels.waitFor(['sums'], last)).toBe(true);
    expect(Math.max(...sizes)).toBe(100);
    expect(await readModels.count(SUMS)).toBe(351);
  });

  it('can be stopped before its first checkpoint without blocking anyone', async () => {
    const platform = await openPlatform();
    const position = await addMany(platform, 20);
    const documents = failing(platform.documents, (call) => (call === 'writeBatch' ? new StoreUnavailable('away') : undefined));
    const node = await openNode(platform, asProjections(sums()), { documents });
    const waiting = node.readModels.waitFor(['sums'], position, 60_000);
    await node.stop();
    expect(await waiting).toBe(false);
  });

  it('resumes after a restart with the same result as without it', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await filled(platform, first, 30);
    await first.stop();
    const last = await addMany(platform, 30, 30);
    const second = await openNode(platform, asProjections(sums()));
    await second.readModels.waitFor(['sums'], last);
    const live = await digest(platform, second);
    await second.engine.rebuild('sums');
    expect(await digest(platform, second)).toBe(live);
  });

  it('changes nothing when it repeats a batch after a lost checkpoint', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await filled(platform, first, 40);
    await first.stop();
    const before = await digest(platform, first);
    await platform.documents.deleteCheckpoint(`projection/${first.engine.served('sums').collection}`);
    const second = await openNode(platform, asProjections(sums()));
    await second.readModels.waitFor(['sums'], (await platform.log.head()) as Position);
    expect(await digest(platform, second)).toBe(before);
  });

  it('deletes a document, and a replay does not restore it', async () => {
    const platform = await openPlatform();
    const { engine, readModels } = await openNode(platform, asProjections(sums()));
    await platform.append('account-1', 'Added', { by: 1 });
    await readModels.waitFor(['sums'], await platform.append('account-1', 'Removed'));
    expect(await readModels.get(SUMS, 'account-1')).toBeNull();
    await engine.rebuild('sums');
    expect(await readModels.get(SUMS, 'account-1')).toBeNull();
  });

  it('waits for a store that is away and loses nothing', async () => {
    const platform = await openPlatform();
    let away = true;
    const documents = failing(platform.documents, (call) => (away && call === 'writeBatch' ? new StoreUnavailable('away') : undefined));
    const { engine, readModels } = await openNode(platform, asProjections(sums()), { documents });
    const position = await addMany(platform, 10);
    expect(await readModels.waitFor(['sums'], position, 50)).toBe(false);
    expect((await engine.status())[0]).toMatchObject({ lagEvents: 10, error: 'away' });
    away = false;
    await eventually(() => readModels.waitFor(['sums'], position));
    await engine.whenReady();
    expect((await engine.status())[0]).toMatchObject({ state: 'live', lagEvents: 0, lagSeconds: 0, error: null, position });
  });

  it('waits for nothing if a position is already handled', async () => {
    const platform = await openPlatform();
    const { readModels } = await openNode(platform, asProjections(sums()));
    const position = await addMany(platform, 3);
    await readModels.waitFor(['sums'], position);
    expect(await readModels.waitFor(['sums'], position, 0)).toBe(true);
  });

  it('saves its checkpoint when it has gathered events, even if they change no document', async () => {
    const platform = await openPlatform();
    const clock = new ManualClock();
    await openNode(platform, asProjections(sums()), { clock });
    const checkpoint = async () => (await platform.documents.readCheckpoint('projection/sums@1'))?.position;
    const saved = (position: Position) =>
      advancing(async () => {
        await clock.advance(50);
        return (await checkpoint()) === position;
      });
    await saved(await platform.append('account-1', 'Added', { by: 1 }));
    await saved(await platform.append('account-1', 'Noise'));
  });

  it('saves its checkpoint without a further event if the store was away when it had to', async () => {
    const platform = await openPlatform();
    let failures = 0;
    const documents = failing(platform.documents, (call, [, writes]) => {
      const isCheckpoint = call === 'writeBatch' && Array.isArray(writes) && writes.length === 0;
      return isCheckpoint && failures-- > 0 ? new StoreUnavailable('away') : undefined;
    });
    const node = await openNode(platform, asProjections(sums()), { documents });
    await node.engine.whenReady();
    const other = await openNode(platform, asProjections(sums()), { start: 'observe' });
    failures = 1;
    const position = await platform.append('account-1', 'Added', { by: 1 });
    expect(await other.readModels.waitFor(['sums'], position, 20_000)).toBe(true);
    expect(failures).toBeLessThanOrEqual(0);
  });

  it('gathers events again after a request has waited for a position that never came', async () => {
    const platform = await openPlatform();
    const clock = new ManualClock();
    const { engine, readModels } = await openNode(platform, asProjections(sums()), { clock });
    await engine.whenReady();
    const waiting = readModels.waitFor(['sums'], '9'.repeat(20) as Position, 1_000);
    await clock.advance(1_000);
    expect(await waiting).toBe(false);
    const pauses = vi.spyOn(clock, 'pause');
    await platform.append('account-1', 'Added', { by: 1 });
    await eventually(() => pauses.mock.calls.some(([milliseconds]) => milliseconds === 50));
  });
});

describe('an event that makes a projection throw', () => {
  const poisoned = async () => {
    const platform = await openPlatform();
    const projections = [...asProjections(sums({ poison: (by) => by === 13 }), sums({ name: 'healthy' }))];
    const node = await openNode(platform, projections);
    await node.engine.whenReady();
    await platform.append('account-1', 'Added', { by: 1 });
    const poison = await platform.append('account-1', 'Added', { by: 13 });
    const last = await platform.append('account-1', 'Added', { by: 2 });
    await eventually(async () => (await node.engine.status())[0]?.state === 'stopped');
    return { platform, projections, node, poison, last };
  };

  it('stops only that projection, and shows the event, the reason and the remedy in its status', async () => {
    const { node, poison, last } = await poisoned();
    const [sick, healthy] = await node.engine.status();
    expect(sick).toMatchObject({ name: 'sums', state: 'stopped', lagEvents: 2 });
    expect(sick?.error).toContain('cannot add 13');
    expect(sick?.error).toContain(`tributary projections skip sums ${poison}`);
    expect(await node.readModels.waitFor(['healthy'], last)).toBe(true);
    expect(healthy?.state).toBe('live');
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 });
  });

  it('does not make readers wait', async () => {
    const { node, last } = await poisoned();
    const began = performance.now();
    expect(await node.readModels.waitFor(['sums'], last, 5_000)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('is still shown as the reason after a restart, with and without a running engine', async () => {
    const { platform, projections, node } = await poisoned();
    await node.stop();
    const looking = await openNode(platform, projections, { start: false });
    expect((await looking.engine.status())[0]).toMatchObject({ state: 'stopped' });
    const again = await openNode(platform, projections);
    expect((await again.engine.status())[0]).toMatchObject({ state: 'stopped' });
    expect(await again.readModels.waitFor(['sums'], (await platform.log.head()) as Position)).toBe(false);
  });

  it('is left out if skipped, and the projection continues', async () => {
    const { node, poison, last } = await poisoned();
    await expect(node.engine.skip('sums', last)).rejects.toMatchObject({ statusCode: 409 });
    await node.engine.skip('sums', poison);
    await eventually(() => node.readModels.waitFor(['sums'], last));
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 3 });
    expect((await node.engine.status())[0]).toMatchObject({ state: 'live', error: null });
  });

  it('can be skipped on a stopped data directory, and stays skipped in a rebuild', async () => {
    const { platform, projections, node, poison, last } = await poisoned();
    await node.stop();
    const command = await openNode(platform, projections, { start: false });
    await command.engine.skip('sums', poison);
    const building = await openNode(platform, projections);
    await building.engine.rebuild('sums');
    await building.stop();
    const again = await openNode(platform, projections);
    await eventually(() => again.readModels.waitFor(['sums'], last));
    expect(await again.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 3 });
  });

  it('is handled after a restart with fixed code', async () => {
    const { platform, node, last } = await poisoned();
    await node.stop();
    const mended = await openNode(platform, asProjections(sums()));
    await eventually(() => mended.readModels.waitFor(['sums'], last));
    expect(await mended.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 16 });
    await eventually(async () => expect((await mended.engine.status())[0]).toMatchObject({ state: 'live', error: null }));
  });

  it('ends a rebuild with its reason, and the old documents are still served', async () => {
    const { node } = await poisoned();
    await expect(node.engine.rebuild('sums')).rejects.toThrow('cannot add 13');
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 });
  });
});

describe('a rebuild', () => {
  it('reports its progress, and drops the previous build', async () => {
    const platform = await openPlatform();
    const live = await openNode(platform, asProjections(sums()));
    await filled(platform, live, 31);
    const before = await digest(platform, live);
    await live.stop();
    const command = await openNode(platform, asProjections(sums()), { clock: hurried() });
    const told: string[] = [];
    await command.engine.rebuild('all', { onProgress: ({ state, lagEvents }) => told.push(`${state} ${lagEvents}`) });
    expect([told[0], told.at(-1)]).toEqual(['rebuilding 31', 'live 0']);
    expect(command.engine.served('sums').collection).toBe('sums@1.1');
    await eventually(async () => (await platform.documents.listCollections('sums@')).join() === 'sums@1.1');
    await command.stop();
    const again = await openNode(platform, asProjections(sums()));
    expect(await digest(platform, again)).toBe(before);
  });

  it('continues after a restart', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await filled(platform, first, 30);
    const before = await digest(platform, first);
    await first.stop();
    const asking = await openNode(platform, asProjections(sums()), { start: 'observe' });
    asking.engine.rebuild('sums').catch(() => undefined);
    await eventually(async () => (await platform.documents.listCollections('sums@')).length === 2);
    const second = await openNode(platform, asProjections(sums()));
    await eventually(() => second.engine.served('sums').collection === 'sums@1.1');
    expect(await digest(platform, second)).toBe(before);
  });

  it('works beside a running engine, which keeps serving and following', async () => {
    const platform = await openPlatform();
    const node = await openNode(platform, asProjections(sums()));
    await filled(platform, node, 30);
    const rebuilding = node.engine.rebuild('sums');
    const last = await addMany(platform, 30, 30);
    expect(await node.readModels.waitFor(['sums'], last)).toBe(true);
    await rebuilding;
    expect(node.engine.served('sums').collection).toBe('sums@1.1');
    const more = await platform.append('account-1', 'Added', { by: 1 });
    expect(await node.readModels.waitFor(['sums'], more)).toBe(true);
    const live = await digest(platform, node);
    await node.engine.rebuild('sums');
    expect(await digest(platform, node)).toBe(live);
  });

  it('requested twice at once is done once', async () => {
    const platform = await openPlatform();
    const node = await openNode(platform, asProjections(sums()));
    await filled(platform, node, 30);
    const asked = await Promise.allSettled([node.engine.rebuild('sums'), node.engine.rebuild('sums')]);
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(asked[1]).toMatchObject({ reason: { statusCode: 409 } });
    expect(await node.engine.status()).toHaveLength(1);
  });

  it('of many pages gives the same result despite failing batches, written or not', async () => {
    const platform = await openPlatform();
    const live = await openNode(platform, asProjections(sums()));
    await filled(platform, live, 2_100);
    const before = await digest(platform, live);
    await live.stop();
    let batches = 0;
    const writeBatch: Documents['writeBatch'] = async (...batch) => {
      batches += 1;
      const saved = batches % 3 !== 1 && (await platform.documents.writeBatch(...batch));
      if (batches % 3 !== 0) throw new StoreUnavailable('away');
      return saved;
    };
    const documents = new Proxy(
      failing(platform.documents, () => undefined),
      {
        get: (target, member: keyof Documents) => (member === 'writeBatch' ? writeBatch : target[member]),
      },
    );
    const command = await openNode(platform, asProjections(sums()), { documents });
    await command.engine.rebuild('sums');
    expect(batches).toBeGreaterThan(3);
    expect(await digest(platform, command)).toBe(before);
  });
});

describe('a changed version in the code', () => {
  it('is built beside the old documents, and replaces them once ready', async () => {
    const platform = await openPlatform();
    const old = await openNode(platform, asProjections(sums()));
    await filled(platform, old, 10);
    await old.stop();
    const node = await openNode(platform, asProjections(sums({ version: 2 })), { start: false });
    expect(node.engine.ready()).toBe(false);
    const running = new AbortController();
    await node.engine.start(running.signal);
    await node.engine.whenReady();
    expect(node.engine.served('sums')).toMatchObject({ collection: 'sums@2', current: true });
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 2 * (1 + 8) });
    expect(await platform.documents.listCollections('sums@')).toEqual(['sums@1', 'sums@2']);
    running.abort();
    await node.engine.finished();
  });

  it('of one read model leaves the builds of the others as they are', async () => {
    const platform = await openPlatform();
    const old = await openNode(platform, asProjections(sums(), sums({ name: 'other' })));
    await filled(platform, old, 10);
    await old.stop();
    const { engine, readModels } = await openNode(platform, asProjections(sums({ version: 2 }), sums({ name: 'other' })));
    await engine.whenReady();
    expect(await readModels.waitFor(['sums', 'other'], await addMany(platform, 10, 10))).toBe(true);
    expect([engine.served('sums').collection, engine.served('other').collection]).toEqual(['sums@2', 'other@1']);
    expect(await readModels.get({ ...SUMS, name: 'other' }, 'account-1')).toMatchObject({ sum: sumOf(1, 20) });
  });

  it('serves the old documents meanwhile with serveStale, but folds them with the new code where one event stream makes them', async () => {
    const platform = await openPlatform();
    const old = await openNode(platform, asProjections(sums()));
    await filled(platform, old, 10);
    await old.stop();
    const projections = asProjections({ ...sums({ version: 2 }), eventStreamOf: (id) => id });
    const node = await openNode(platform, projections, { start: false, serveStale: true });
    expect(node.engine.ready()).toBe(true);
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 + 8 });
    expect(await node.readModels.getMany(SUMS, ['account-1', 'none'])).toMatchObject([{ sum: 2 * (1 + 8) }]);
    expect(await node.readModels.getFresh(SUMS, 'account-1', 'account-1')).toMatchObject({ sum: 2 * (1 + 8) });
    expect(await node.readModels.waitFor(['sums'], (await platform.log.head()) as Position, 5_000)).toBe(false);
  });

  it.each([{ start: true }, { start: 'observe' }] as const)(
    'finds older documents by the members that this version queries, %j',
    async ({ start }) => {
      const platform = await openPlatform();
      const old = await openNode(platform, asProjections(sums()));
      await filled(platform, old, 10);
      await old.stop();
      const unbuilt = { ...sums({ version: 2, poison: () => true }), indexes: [['parity'], ['sum']] };
      const { readModels } = await openNode(platform, asProjections(unbuilt), { serveStale: true, start });
      expect(await readModels.find(SUMS, { where: { sum: 1 + 8 }, limit: 10 })).toMatchObject([{ sum: 1 + 8 }]);
    },
  );

  it('makes an erasure wait until older documents are no longer served and have been dropped', async () => {
    const platform = await openPlatform();
    const personal = { owner: 'parity', orderedBy: 'sum', redact: (document: Sum) => document };
    const old = await openNode(platform, asProjections({ ...sums(), personal }));
    const position = await addMany(platform, 10);
    await old.readModels.waitFor(['sums'], position);
    await old.stop();
    let away = 0;
    const documents = failing(platform.documents, (call) => {
      if (call !== 'ensureCollection' || away === 0) return undefined;
      away -= 1;
      return new StoreUnavailable('away');
    });
    const projections = asProjections({ ...sums({ version: 2 }), personal });
    const { engine } = await openNode(platform, projections, { documents, serveStale: true });
    away = 2;
    await engine.erased(position);
    expect([away, engine.served('sums').collection]).toEqual([0, 'sums@2']);
    expect(await platform.documents.listCollections('sums@')).toEqual(['sums@2']);
  });

  it('drops an old build at the next call if the store was away', async () => {
    const platform = await openPlatform();
    await addMany(platform, 10);
    const old = await openNode(platform, asProjections(sums()));
    await old.engine.whenReady();
    await old.stop();
    let away = true;
    const documents = failing(platform.documents, (call) => (away && call === 'dropCollection' ? new StoreUnavailable('away') : undefined));
    const { engine } = await openNode(platform, asProjections(sums({ version: 2 })), { documents });
    await engine.whenReady();
    await expect(engine.dropOld()).rejects.toThrow(StoreUnavailable);
    away = false;
    expect(await engine.dropOld()).toEqual(['sums@1']);
  });
});

describe('builds of an earlier version of the program, with a lease and a checkpoint each', () => {
  it('are continued', async () => {
    const platform = await openPlatform();
    const projections = asProjections(sums(), sums({ name: 'other' }));
    const first = await openNode(platform, projections);
    await filled(platform, first, 20);
    await first.stop();
    const { documents } = platform;
    const position = (await platform.log.head()) as Position;
    for (const name of ['sums', 'other']) {
      const record = { collection: `${name}@1`, name, version: 1, generation: 0, phase: 'active', stopped: null, skipped: [] };
      await documents.replace('projections', record.collection, record);
      await documents.writeBatch(record.collection, [], { name: `projection/${record.collection}`, position, epoch: 1_000 });
    }
    await documents.deleteCheckpoint(leaseOf(projections));
    const again = await openNode(platform, projections);
    expect(await again.readModels.waitFor(['sums', 'other'], await addMany(platform, 10, 20))).toBe(true);
    expect(again.engine.served('sums').collection).toBe('sums@1');
    expect(await again.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: sumOf(1, 30) });
  });
});

describe('two engines over one store', () => {
  it('share the work: one builds; the other follows and takes over', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await first.engine.whenReady();
    const second = await openNode(platform, asProjections(sums()));
    const position = await addMany(platform, 20);
    expect(await second.readModels.waitFor(['sums'], position)).toBe(true);
    expect(await first.readModels.waitFor(['sums'], position)).toBe(true);
    await first.stop();
    const later = await addMany(platform, 20, 20);
    await eventually(() => second.readModels.waitFor(['sums'], later));
    const live = await digest(platform, second);
    await second.engine.rebuild('sums');
    expect(await digest(platform, second)).toBe(live);
  });

  it('never both write when a lease changes hands', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await first.engine.whenReady();
    const second = await openNode(platform, asProjections(sums()));
    for (let n = 0; n < 20; n++) {
      await addMany(platform, 5, n * 5);
      platform.leases.lose('projection/sums@1');
    }
    const last = await addMany(platform, 5, 100);
    await eventually(() => second.readModels.waitFor(['sums'], last));
    const live = await digest(platform, second);
    await second.engine.rebuild('sums');
    expect(await digest(platform, second)).toBe(live);
  });

  it('switch to a build that the other made', async () => {
    const platform = await openPlatform();
    const first = await openNode(platform, asProjections(sums()));
    await filled(platform, first, 20);
    const second = await openNode(platform, asProjections(sums()));
    await first.engine.rebuild('sums');
    await eventually(() => second.engine.served('sums').collection === 'sums@1.1');
    expect(await second.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 + 8 + 15 });
  });
});

describe('a node that leaves the work to others', () => {
  it('serves builds of other nodes, waits for their progress, and answers 503 before the first one', async () => {
    const platform = await openPlatform();
    const reader = await openNode(platform, asProjections(sums()), { start: 'observe' });
    expect(reader.engine.ready()).toBe(false);
    const worker = await openNode(platform, asProjections(sums()));
    await worker.engine.whenReady();
    await reader.engine.whenReady();
    const position = await addMany(platform, 20);
    expect(await reader.readModels.waitFor(['sums'], position)).toBe(true);
    expect(await reader.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1 + 8 + 15 });
    await worker.stop();
    expect(await reader.readModels.waitFor(['sums'], await addMany(platform, 1, 20), 200)).toBe(false);
  });

  it('leaves a rebuild to a working node and switches to it without going backwards', async () => {
    const platform = await openPlatform();
    const worker = await openNode(platform, asProjections(sums()));
    await filled(platform, worker, 30);
    const reader = await openNode(platform, asProjections(sums()), { start: 'observe' });
    await reader.engine.whenReady();
    const before = await digest(platform, reader);
    const over = new AbortController();
    const seen = (async () => {
      for (let n = 30; !over.signal.aborted; n += 1) {
        const position = await addMany(platform, 1, n);
        expect(await reader.readModels.waitFor(['sums'], position)).toBe(true);
        const stored = await reader.readModels.get(SUMS, `account-${n % 7}`);
        expect(stored?.sum, `account-${n % 7} at ${n} of ${reader.engine.served('sums').collection}`).toBe(sumOf(n % 7, n + 1));
      }
    })();
    await reader.engine.rebuild('sums');
    await eventually(
      () => reader.engine.served('sums').collection === 'sums@1.1' && worker.engine.served('sums').collection === 'sums@1.1',
    );
    over.abort();
    await seen;
    expect(await digest(platform, reader)).not.toBe(before);
    expect(await digest(platform, reader)).toBe(await digest(platform, worker));
  });

  it('switches to a rebuilt read model even if the store was away at that moment', async () => {
    const platform = await openPlatform();
    const worker = await openNode(platform, asProjections(sums()));
    await filled(platform, worker, 10);
    let failures = 0;
    const documents = failing(platform.documents, (call) => {
      if (call !== 'ensureCollection' || worker.engine.served('sums').collection === 'sums@1' || failures === 2) return undefined;
      failures += 1;
      return new StoreUnavailable('away');
    });
    const reader = await openNode(platform, asProjections(sums()), { start: 'observe', documents });
    await reader.engine.whenReady();
    await worker.engine.rebuild('sums');
    await eventually(() => reader.engine.served('sums').collection === 'sums@1.1');
    expect(failures).toBe(2);
  });

  it('reports where a rebuild on another node stopped, and drops it', async () => {
    const platform = await openPlatform();
    let sound = true;
    const poison = () => !sound;
    const worker = await openNode(platform, asProjections(sums({ poison })), { clock: hurried(2_000) });
    await filled(platform, worker, 10);
    sound = false;
    const command = await openNode(platform, asProjections(sums({ poison })), { start: false });
    await expect(command.engine.rebuild('sums')).rejects.toThrow(/stopped at position .* The old read model is still served/);
    await eventually(async () => (await platform.documents.listCollections('sums@')).length === 1);
    expect(worker.engine.served('sums').collection).toBe('sums@1');
  });

  it('refuses reads after a long time without news, as its build may have been dropped', async () => {
    const platform = await openPlatform();
    const clock = new ManualClock();
    const worker = await openNode(platform, asProjections(sums()));
    await worker.engine.whenReady();
    let away = false;
    const documents = failing(platform.documents, (call) => (away && call === 'find' ? new StoreUnavailable('away') : undefined));
    const reader = await openNode(platform, asProjections(sums()), { start: 'observe', clock, documents });
    await clock.advance(1_000);
    await advancing(async () => {
      await clock.advance(1_000);
      return reader.engine.ready();
    });
    expect(reader.engine.served('sums').current).toBe(true);
    away = true;
    await clock.advance(10_000);
    expect(() => reader.engine.served('sums')).toThrow(/store of the read models is unavailable/);
    away = false;
    await advancing(async () => {
      await clock.advance(1_000);
      return reader.engine.served('sums').current;
    });
  });
});

describe('a fresh read', () => {
  it('folds newer events of the event stream onto the document', async () => {
    const platform = await openPlatform();
    const node = await openNode(platform, asProjections(sums()));
    await node.readModels.waitFor(['sums'], await platform.append('account-1', 'Added', { by: 1 }));
    await node.stop();
    await platform.append('account-1', 'Noise');
    await platform.append('account-1', 'Added', { by: 5 });
    await platform.append('account-2', 'Added', { by: 7 });
    expect(await node.readModels.get(SUMS, 'account-1')).toMatchObject({ sum: 1, revision: '0' });
    expect(await node.readModels.getFresh(SUMS, 'account-1', 'account-1')).toMatchObject({ sum: 6, revision: '2' });
    expect(await node.readModels.getFresh(SUMS, 'account-2', 'account-2')).toMatchObject({ sum: 7 });
    expect(await node.readModels.getFresh(SUMS, 'account-3', 'account-3')).toBeNull();
  });
});
