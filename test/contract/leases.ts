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

  const node = async (holder: string, { on = documents, ahead = 0 } = {}) => {
    const own: Clock = {
      now: () => clock.now() + ahead,
      monotonic: () => clock.monotonic(),
      pause: (milliseconds, signal) => clock.pause(milliseconds, signal),
    };
    const leases = await openLeases({ documents: on, clock: own, holder, ttlMilliseconds: TTL, logger: silentLogger });
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
      const got = (await Promise.all([a, b].map((leases) => leases.tryAcquire('x', { isNew: true })))).filter((lease) => lease !== null);
      expect(got).toHaveLength(1);
      const first = held(got[0] ?? null);
      expect(await b.tryAcquire('x', { isNew: true })).toBeNull();
      await first.release();
      const next = held(await b.tryAcquire('x'));
      expect(next.epoch).toBeGreaterThan(first.epoch);
    });

    it('stays with its holder if another node wrongly expects its name to be new', async () => {
      const [a, b] = [await node('a'), await node('b')];
      for (let n = 0; n < 3; n += 1) await held(await a.tryAcquire('x')).release();
      const holding = held(await a.tryAcquire('x'));
      expect(await b.tryAcquire('x', { isNew: true })).toBeNull();
      expect(holding.signal.aborted).toBe(false);
      await holding.release();
      expect(held(await b.tryAcquire('x')).epoch).toBeGreaterThan(holding.epoch);
    });

    it('that is released later is free at once on its node, and elsewhere with the next renewal', async () => {
      const [a, b] = [await node('a'), await node('b')];
      const kept = held(await a.tryAcquire('kept'));
      const lease = held(await a.tryAcquire('x', { brief: true }));
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
      held(await a.tryAcquire('x', { brief: true })).releaseLater();
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
    ])('is given to one of many that try at once, %s', async (_, apart) => {
      const nodes = await Promise.all(Array.from({ length: 8 }, (_, n) => node(`${n}`, { ahead: n * apart })));
      for (let round = 0; round < 5; round += 1) {
        const got = (await Promise.all(nodes.flatMap((leases) => [leases.tryAcquire('x'), leases.tryAcquire('x')]))).filter(Boolean);
        expect(got).toHaveLength(1);
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
            await clock.pause(TTL);
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
      const settings = { documents, clock: late, holder: 'late', ttlMilliseconds: TTL, logger: silentLogger };
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
          if (member !== 'getMany') return typeof value === 'function' ? value.bind(target) : value;
          return async (...given: Parameters<Documents['getMany']>) => {
            const found = await target.getMany(...given);
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

    it('is over for a holder that was paused while another took it, and its release frees nothing', async () => {
      const late: Clock = {
        now: () => clock.now(),
        monotonic: () => 0,
        pause: (milliseconds, signal) => clock.pause(milliseconds > TTL / 2 ? 20 * TTL : 3 * TTL, signal),
      };
      const paused = await openLeases({ documents, clock: late, holder: 'a', ttlMilliseconds: TTL, logger: silentLogger });
      onTestFinished(() => paused.close());
      const b = await node('b');
      const first = held(await paused.tryAcquire('x'));
      let second: Lease | null = null;
      await pass(2 * TTL, async () => {
        second ??= await b.tryAcquire('x');
      });
      expect(held(second).epoch).toBe(first.epoch + 1);
      await pass(2 * TTL);
      expect(first.signal.aborted).toBe(true);
      await first.release();
      expect((await b.list()).map(({ epoch }) => epoch)).toEqual([held(second).epoch]);
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

  it('keeps the record of a released lease, and removes that of a brief one', async () => {
    const a = await node('a');
    for (const brief of [false, true]) await held(await a.tryAcquire(`${brief}`, { brief })).release();
    expect((await documents.find('heldLeases', { limit: 9 })).map(({ id }) => id)).toEqual(['false']);
  });

  it('never repeats an epoch if the clock of a node is set back', async () => {
    const before = await (await node('a')).tryAcquire('x');
    await before?.release();
    const late = await node('b', { ahead: -3_600_000 });
    const early = await node('c', { ahead: 3_600_000 });
    let epoch = held(before).epoch;
    for (const leases of [early, late, early]) {
      const lease = held(await leases.tryAcquire('x'));
      expect(lease.epoch).toBeGreaterThan(epoch);
      epoch = lease.epoch;
      await lease.release();
    }
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
    expect(count('getMany')).toBeLessThanOrEqual(12);
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
    const on = new Proxy(documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (member !== 'create') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<Documents['create']>) => {
          await target.create(...given);
          throw new StoreUnavailable('away');
        };
      },
    });
    const a = await node('a', { on });
    await expect(a.tryAcquire('x')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await (await node('b')).tryAcquire('x')).toBeNull();
    held(await a.tryAcquire('x'));
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
    held(await gone.tryAcquire('node/gone', { brief: true }));
    const lease = held(await a.tryAcquire('node/a', { brief: true }));
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
