import { setMaxListeners } from 'node:events';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import type { Documents } from '../../src/stores/documents.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import type { Lease } from '../../src/stores/leases/leases.ts';
import { openLeases } from '../../src/stores/leases/openLeases.ts';
import { eventually } from '../eventually.ts';
import { ManualClock } from '../manualClock.ts';

const TTL = 10_000;

/** What leases promise on every documents adapter. `open` gives an empty store. */
export const leasesContract = (open: () => Promise<Documents>): void => {
  let documents: Documents;
  let clock: ManualClock;

  const node = async (holder: string, { exclusive = false, on = documents, ahead = 0 } = {}) => {
    const own: Clock = {
      now: () => clock.now() + ahead,
      monotonic: () => clock.monotonic(),
      pause: (milliseconds, signal) => clock.pause(milliseconds, signal),
    };
    const leases = await openLeases({ documents: on, clock: own, holder, ttlMilliseconds: TTL, exclusive, logger: silentLogger });
    onTestFinished(() => leases.close());
    return leases;
  };
  /** Advances time in small steps, waiting for the effects of each. */
  const pass = async (milliseconds: number, after: () => Promise<unknown> = async () => undefined) => {
    for (let left = milliseconds; left > 0; left -= TTL / 10) {
      await clock.advance(Math.min(left, TTL / 10));
      for (let turn = 0; turn < 3; turn += 1) await documents.deleteCheckpoint('nothing');
      await after();
    }
  };
  const held = (lease: Lease | null): Lease => {
    if (!lease) throw new Error('the lease was not acquired');
    return lease;
  };
  /** A store that refuses every write while `away` is set. */
  const failing = () => {
    const store = {
      away: false,
      documents: new Proxy(documents, {
        get: (target, member) => {
          if (store.away && ['replace', 'replaceMany', 'create', 'remove'].includes(String(member)))
            return () => Promise.reject(new StoreUnavailable('away'));
          const value = Reflect.get(target, member);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    };
    return store;
  };

  beforeEach(async () => {
    const opened = await open();
    documents = opened;
    clock = new ManualClock();
    onTestFinished(() => opened.close());
  });

  describe('a lease between two nodes', () => {
    it('has one holder, even if both expect its name to be new', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const got = (await Promise.all([a, b].map((leases) => leases.tryAcquire('x', true)))).filter((lease) => lease !== null);
      expect(got.length).toBeLessThanOrEqual(1);
      const first = got[0] ?? held(await a.tryAcquire('x'));
      expect(await b.tryAcquire('x', true)).toBeNull();
      await first.release();
      const next = held(await b.tryAcquire('x'));
      expect(next.epoch).toBeGreaterThan(first.epoch);
    });

    it('stays with its holder if another node wrongly expects its name to be new', async () => {
      const [a, b] = [await node('a'), await node('b')];
      for (let n = 0; n < 3; n += 1) await held(await a.tryAcquire('x')).release();
      const holding = held(await a.tryAcquire('x'));
      expect(await b.tryAcquire('x', true)).toBeNull();
      expect(holding.signal.aborted).toBe(false);
      await holding.release();
      expect(held(await b.tryAcquire('x')).epoch).toBeGreaterThan(holding.epoch);
    });

    it('that is released later is free at once on its node, and elsewhere with the next renewal', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const kept = held(await a.tryAcquire('kept'));
      const lease = held(await a.tryAcquire('x'));
      lease.releaseLater();
      expect(lease.signal.aborted).toBe(true);
      expect(a.held()).toEqual(['kept']);
      expect(await b.tryAcquire('x')).toBeNull();
      await pass(TTL / 2);
      expect(held(await b.tryAcquire('x')).epoch).toBeGreaterThan(lease.epoch);
      expect(kept.signal.aborted).toBe(false);
    });

    it('that is released later is written when its node closes', async () => {
      const [a, b] = [await node('a'), await node('b')];
      held(await a.tryAcquire('x')).releaseLater();
      await a.close();
      expect(await b.tryAcquire('x')).not.toBeNull();
    });

    it('has one holder, and is free when that one releases it', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const first = held(await a.tryAcquire('x'));
      expect(await b.tryAcquire('x')).toBeNull();
      expect(await a.tryAcquire('x')).toBeNull();
      expect(held(await b.tryAcquire('y')).name).toBe('y');
      expect((await a.list()).map(({ name, holder }) => ({ name, holder }))).toEqual(
        expect.arrayContaining([
          { name: 'x', holder: 'a' },
          { name: 'y', holder: 'b' },
        ]),
      );
      await first.release();
      expect(first.signal.aborted).toBe(true);
      const second = held(await b.tryAcquire('x'));
      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect((await a.list()).filter(({ name }) => name === 'x')).toEqual([{ name: 'x', epoch: second.epoch, holder: 'b' }]);
    });

    it.each([
      ['whose clocks agree', 0],
      ['whose clocks differ, so that each counts from another epoch', 7],
    ])('is given to at most one of many that try at once, %s', async (_, apart) => {
      const nodes = await Promise.all(Array.from({ length: 8 }, (_, n) => node(`${n}`, { ahead: n * apart })));
      for (let round = 0; round < 5; round += 1) {
        const got = (await Promise.all(nodes.flatMap((leases) => [leases.tryAcquire('x'), leases.tryAcquire('x')]))).filter(Boolean);
        expect(got.length).toBeLessThanOrEqual(1);
        if (round > 0) expect(got).toHaveLength(1);
        else if (got.length === 0) got.push(await (await node('later')).tryAcquire('x'));
        await got[0]?.release();
      }
    });

    it('stays with a holder that renews it', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const lease = held(await a.tryAcquire('x'));
      await pass(5 * TTL, async () => expect(await b.tryAcquire('x')).toBeNull());
      expect(lease.signal.aborted).toBe(false);
    });

    it('of a dead holder is taken over once it was unchanged for the ttl, not before', async () => {
      const store = failing();
      const [gone, b] = [await node('gone', { on: store.documents }), await node('b')];
      const first = held(await gone.tryAcquire('x'));
      store.away = true;
      expect(await b.tryAcquire('x')).toBeNull();
      await pass(TTL - TTL / 10, async () => expect(await b.tryAcquire('x')).toBeNull());
      await pass(TTL / 10);
      const second = held(await b.tryAcquire('x'));
      expect(second.epoch).toBe(first.epoch + 1);
    });

    it('counts as free once it was released or its holder is dead, and asking takes nothing', async () => {
      const store = failing();
      const [gone, b] = [await node('gone', { on: store.documents }), await node('b')];
      expect(await b.isFree('x')).toBe(true);
      const lease = held(await gone.tryAcquire('x'));
      expect(await gone.isFree('x')).toBe(false);
      await pass(2 * TTL, async () => expect(await b.isFree('x')).toBe(false));
      store.away = true;
      await pass(TTL * 0.6, async () => expect(await b.isFree('x')).toBe(false));
      await pass(TTL, async () => void (await b.isFree('x')));
      expect(await b.isFree('x')).toBe(true);
      expect((await b.list()).map(({ epoch }) => epoch)).toEqual([lease.epoch]);
    });

    it('stops a holder that cannot renew it before another can take over', async () => {
      const store = failing();
      const [a, b] = [await node('a', { on: store.documents }), await node('b')];
      const first = held(await a.tryAcquire('x'));
      await pass(TTL / 2);
      store.away = true;
      let second: Lease | null = null;
      await pass(3 * TTL, async () => {
        second ??= await b.tryAcquire('x');
        if (second) expect(first.signal.aborted).toBe(true);
      });
      expect(second).not.toBeNull();
    });

    it('is lost if acquiring it took longer than the ttl, and the process continues', async () => {
      const slow = new Proxy(documents, {
        get: (target, member) => {
          const value = Reflect.get(target, member);
          if (member !== 'create') return typeof value === 'function' ? value.bind(target) : value;
          return async (...given: Parameters<Documents['create']>) => {
            const created = await target.create(...given);
            if (given[1].startsWith('x#')) await clock.pause(TTL);
            return created;
          };
        },
      });
      const a = await node('a', { on: slow });
      const acquiring = a.tryAcquire('x');
      await pass(2 * TTL);
      expect((await acquiring)?.signal.aborted).toBe(true);
    });

    it('is lost by a holder that was paused for longer than the ttl, even if no other took it', async () => {
      const late: Clock = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        pause: (milliseconds, signal) => clock.pause(milliseconds + 2 * TTL, signal),
      };
      const settings = { documents, clock: late, holder: 'late', ttlMilliseconds: TTL, exclusive: false, logger: silentLogger };
      const leases = await openLeases(settings);
      onTestFinished(() => leases.close());
      const lease = held(await leases.tryAcquire('x'));
      await pass(3 * TTL);
      expect(lease.signal.aborted).toBe(true);
    });

    it('is judged by the time of the look if the process was paused during it', async () => {
      let pause = false;
      const slow = new Proxy(documents, {
        get: (target, member) => {
          const value = Reflect.get(target, member);
          if (member !== 'find') return typeof value === 'function' ? value.bind(target) : value;
          return async (...given: Parameters<Documents['find']>) => {
            const found = await target.find(...given);
            if (pause) await clock.pause(2 * TTL);
            return found;
          };
        },
      });
      const [a, b] = [await node('a'), await node('b', { on: slow })];
      const lease = held(await a.tryAcquire('x'));
      expect(await b.isFree('x')).toBe(false);
      pause = true;
      const looks = [b.isFree('x'), b.tryAcquire('x')];
      await pass(3 * TTL);
      expect(await Promise.all(looks)).toEqual([false, null]);
      expect(lease.signal.aborted).toBe(false);
    });

    it('survives a short failure of the store', async () => {
      const store = failing();
      const [a, b] = [await node('a', { on: store.documents }), await node('b')];
      const lease = held(await a.tryAcquire('x'));
      store.away = true;
      await pass(TTL * 0.6, async () => expect(await b.tryAcquire('x')).toBeNull());
      store.away = false;
      await pass(2 * TTL, async () => expect(await b.tryAcquire('x')).toBeNull());
      expect(lease.signal.aborted).toBe(false);
    });

    it('is over for a holder that finds a newer epoch, whose release frees nothing', async () => {
      const [a, b] = [await node('a'), await node('b', { exclusive: true })];
      const first = held(await a.tryAcquire('x'));
      const second = held(await b.tryAcquire('x'));
      expect(second.epoch).toBe(first.epoch + 1);
      await pass(TTL / 2);
      expect(first.signal.aborted).toBe(true);
      await first.release();
      expect((await b.list()).map(({ epoch }) => epoch)).toEqual([second.epoch]);
    });
  });

  describe('waiting for a lease', () => {
    it('ends with the lease when another node releases it', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const first = held(await a.tryAcquire('x'));
      let second: Lease | null = null;
      const waiting = b.acquire('x', new AbortController().signal).then((lease) => {
        second = lease;
      });
      await pass(TTL);
      expect(second).toBeNull();
      await first.release();
      await pass(TTL / 5);
      await waiting;
      expect(second).not.toBeNull();
    });

    it('ends at once with the lease when it is released on the same node', async () => {
      const a = await node('a');
      const first = held(await a.tryAcquire('x'));
      const waiting = a.acquire('x', new AbortController().signal);
      await pass(1);
      await first.release();
      expect((await waiting).epoch).toBe(first.epoch + 1);
    });

    it('ends when its signal aborts', async () => {
      const a = await node('a');
      held(await a.tryAcquire('x'));
      const stop = new AbortController();
      const waiting = a.acquire('x', stop.signal);
      waiting.catch(() => undefined);
      await pass(1);
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });

    it('continues while the store is away', async () => {
      const store = failing();
      const a = await node('a', { on: store.documents });
      store.away = true;
      const waiting = a.acquire('x', new AbortController().signal);
      await pass(TTL);
      store.away = false;
      await pass(TTL / 5);
      expect((await waiting).name).toBe('x');
    });
  });

  describe('leases alone on the store', () => {
    it('are taken over at once from a dead process', async () => {
      const [gone, now] = [await node('gone', { exclusive: true }), await node('now', { exclusive: true })];
      const first = held(await gone.tryAcquire('x'));
      const second = held(await now.tryAcquire('x'));
      expect(second.epoch).toBe(first.epoch + 1);
      expect(await now.tryAcquire('x')).toBeNull();
    });

    it('are kept without writes', async () => {
      const store = failing();
      const a = await node('a', { exclusive: true, on: store.documents });
      const lease = held(await a.tryAcquire('x'));
      store.away = true;
      await pass(3 * TTL);
      expect(lease.signal.aborted).toBe(false);
    });
  });

  it('releases held leases and ends waiting calls on close', async () => {
    const [a, b] = [await node('a'), await node('b')];
    const lease = held(await a.tryAcquire('x'));
    const waiting = a.acquire('x', new AbortController().signal);
    waiting.catch(() => undefined);
    await a.close();
    expect(lease.signal.aborted).toBe(true);
    await expect(waiting).rejects.toThrow('closed');
    held(await b.tryAcquire('x'));
  });

  it('keeps one record per lease while it is in use, and never repeats an epoch', async () => {
    const a = await node('a');
    let epoch = 0;
    for (let round = 0; round < 5; round += 1) {
      const lease = held(await a.tryAcquire('x'));
      expect(lease.epoch).toBeGreaterThan(epoch);
      epoch = lease.epoch;
      expect(await documents.count('leases', { name: 'x' })).toBe(1);
      await lease.release();
    }
    await clock.advance(700_000);
    await node('b');
    expect(await documents.count('leases', { name: 'x' })).toBe(0);
    expect(await documents.count('leases', { released: [true, false] })).toBe(0);
    expect(held(await a.tryAcquire('x')).epoch).toBeGreaterThan(epoch);
  });

  it('never repeats an epoch if the clock of a node is set back', async () => {
    const before = await (await node('a')).tryAcquire('x');
    await before?.release();
    await clock.advance(700_000);
    const late = await node('b', { ahead: -3_600_000 });
    const early = await node('c', { ahead: 3_600_000 });
    expect(await documents.count('leases', { name: 'x' }), 'swept').toBe(0);
    let epoch = held(before).epoch;
    for (const leases of [early, late, early]) {
      const lease = held(await leases.tryAcquire('x'));
      expect(lease.epoch).toBeGreaterThan(epoch);
      epoch = lease.epoch;
      await lease.release();
    }
  });

  it('gives way if an epoch was used and swept between its look and its record', async () => {
    let hold = false;
    const slow = new Proxy(documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (member !== 'create') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<Documents['create']>) => {
          if (hold) await clock.pause(2 * 620_000);
          return target.create(...given);
        };
      },
    });
    const late = await node('late', { on: slow });
    hold = true;
    const acquiring = late.tryAcquire('x');
    const [a] = [await node('a')];
    const used = held(await a.tryAcquire('x'));
    await used.release();
    await clock.advance(620_000);
    await node('b');
    await clock.advance(2 * 620_000);
    expect(await acquiring).toBeNull();
    expect(held(await a.tryAcquire('x')).epoch).toBeGreaterThan(used.epoch);
  });

  it('renews all leases of a node with one request, and waits for many leases with one', async () => {
    const calls: string[] = [];
    const counted = new Proxy(documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          calls.push(String(member));
          return value.apply(target, given);
        };
      },
    });
    const [a, b] = [await node('a', { on: counted }), await node('b', { on: counted })];
    const names = Array.from({ length: 30 }, (_, n) => `partition/${n}`);
    for (const name of names) held(await a.tryAcquire(name));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const waiting = Promise.allSettled(names.map((name) => b.acquire(name, stop.signal)));
    await pass(1);
    calls.length = 0;
    await pass(TTL);
    const count = (member: string) => calls.filter((call) => call === member).length;
    expect(count('replaceMany')).toBe(3);
    expect(count('replace') + count('create') + count('remove')).toBe(0);
    expect(count('find')).toBeLessThanOrEqual(12);
    expect(a.held()).toHaveLength(30);
    stop.abort();
    await waiting;
  });

  it('gives a lease back at once to the process that lost it to a stalled store and has stopped working', async () => {
    const store = failing();
    const a = await node('a', { on: store.documents });
    const lease = held(await a.tryAcquire('x'));
    store.away = true;
    await pass(2 * TTL);
    expect(lease.signal.aborted).toBe(true);
    await lease.release();
    store.away = false;
    expect(held(await a.tryAcquire('x')).epoch).toBe(lease.epoch + 1);
  });

  it('is free at once for the process whose store failed right after making its record', async () => {
    let failsAfterCreate = true;
    const on = new Proxy(documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (member !== 'find') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<Documents['find']>) => {
          if (failsAfterCreate && (await documents.count('leases', { name: 'x' })) > 0) throw new StoreUnavailable('away');
          return target.find(...given);
        };
      },
    });
    const a = await node('a', { on });
    await expect(a.tryAcquire('x')).rejects.toBeInstanceOf(StoreUnavailable);
    failsAfterCreate = false;
    expect(await (await node('b')).tryAcquire('x')).toBeNull();
    held(await a.tryAcquire('x'));
  });

  it('is not taken over by a process that gave way, if only the answer to that was lost', async () => {
    let isLost = false;
    const on = new Proxy(documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (member !== 'remove') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<Documents['remove']>) => {
          await target.remove(...given);
          if (isLost) throw new StoreUnavailable('away');
        };
      },
    });
    const [a, b] = [await node('a'), await node('b', { on })];
    const first = held(await a.tryAcquire('y'));
    await first.release();
    const before = held(await a.tryAcquire('x'));
    for (let passed = 0; passed < 610_000; passed += 2_000) {
      await clock.advance(2_000);
      await documents.deleteCheckpoint('nothing');
    }
    expect(before.signal.aborted).toBe(false);
    await before.release();
    // A sweep of `y` raises the floor to the epoch of `x`.
    await node('c');
    await b.isFree('x');
    isLost = true;
    await expect(b.tryAcquire('x', true)).rejects.toBeInstanceOf(StoreUnavailable);
    isLost = false;
    held(await a.tryAcquire('x'));
    expect(await b.tryAcquire('x')).toBeNull();
  });

  it("does not count the store's failures for the asking process as silence of the holder", async () => {
    const [first, second] = [failing(), failing()];
    const [a, b] = [await node('a', { on: first.documents }), await node('b', { on: second.documents })];
    let [one, other] = [held(await a.tryAcquire('node/a')), held(await b.tryAcquire('node/b'))];
    for (let stall = 0; stall < 3; stall += 1) {
      await pass(TTL, async () => expect(await b.isFree('node/a')).toBe(false));
      first.away = second.away = true;
      await pass(4 * TTL, async () => expect(await b.isFree('node/a')).toBe(false));
      first.away = second.away = false;
      expect(await b.isFree('node/a')).toBe(false);
      await Promise.all([one.release(), other.release()]);
      [one, other] = [held(await a.tryAcquire('node/a')), held(await b.tryAcquire('node/b'))];
    }
  });

  it("removes a dead node's lease that is never requested again, but no held one", async () => {
    const store = failing();
    const [gone, a] = [await node('gone', { on: store.documents }), await node('a')];
    held(await gone.tryAcquire('node/gone'));
    const lease = held(await a.tryAcquire('node/a'));
    store.away = true;
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await pass(620_000);
      await (await a.tryAcquire('something'))?.release();
    }
    await eventually(async () => (await a.list()).length === 1);
    expect((await a.list()).map(({ name }) => name)).toEqual(['node/a']);
    expect(lease.signal.aborted).toBe(false);
    expect(held(await a.tryAcquire('node/gone')).epoch).toBeGreaterThan(lease.epoch);
  });
};
