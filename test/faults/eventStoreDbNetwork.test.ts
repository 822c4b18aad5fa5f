import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type EventStore, type NewStoredEvent, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { eventually } from '../eventually.ts';
import { throughProxy, undisturbable } from '../fakes/eventStoreDb/namedEventStoreDb.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import type { ProxyMode } from '../fakes/tcpProxy.ts';
import { Appender } from './appender.ts';
import { recovered } from './recovery.ts';

const TIMEOUT = 1_000;
const events = (count: number): NewStoredEvent[] =>
  Array.from({ length: count }, (_, n) => ({ id: randomUUID(), type: 'SomethingHappened', data: { n }, metadata: {} }));

/** What the adapter promises over a bad network, whatever server is behind it. */
const overABadNetwork = (name: string, start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void => {
  describe(`${name} behind a bad network`, () => {
    const opened = async () => {
      const server = await start();
      onTestFinished(() => server.stop());
      const { url, proxy } = await throughProxy(server.url);
      onTestFinished(() => proxy.close());
      const store = await openEventStoreDb({ url, clock: systemClock, timeoutMilliseconds: TIMEOUT });
      onTestFinished(() => store.close());
      return { store, proxy, stream: `network-${randomUUID()}` };
    };
    const idsIn = async (store: EventStore, stream: string) => (await store.readStream(stream)).map(({ id }) => id);

    it.each<ProxyMode>(['hold', 'drop', 'refuse'])(
      'is "unavailable" in the mode %s, continues after it, and stores a repetition once',
      async (mode) => {
        const { store, proxy, stream } = await opened();
        await store.append(stream, 'no stream', events(1));
        await proxy.become(mode);
        const given = events(2);
        await expect(store.append(stream, 0n, given)).rejects.toBeInstanceOf(StoreUnavailable);
        await expect(store.head()).rejects.toBeInstanceOf(StoreUnavailable);
        await proxy.become('pass');
        expect((await recovered(`the mode ${mode}`, () => store.append(stream, 0n, given))).revision).toBe(2n);
        expect((await idsIn(store, stream)).slice(1)).toEqual(given.map(({ id }) => id));
      },
    );

    it('neither loses nor doubles events of eight appenders while connections drop', async () => {
      const { store, proxy, stream } = await opened();
      const appenders = Array.from({ length: 8 }, (_, n) => new Appender(store, `${stream}-${n}`, () => events(2)));
      const count = () => appenders.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
      for (const mode of ['drop', 'hold', 'drop'] as const) {
        const reached = count() + 100;
        await eventually(() => count() > reached);
        await proxy.become(mode);
        await proxy.become('pass');
      }
      await Promise.all(appenders.map((appender) => appender.stop()));
      for (const [n, { acknowledged }] of appenders.entries()) expect(await idsIn(store, `${stream}-${n}`)).toEqual(acknowledged);
    });
  });
};

overABadNetwork('the stand-in', startEventStoreDb);

const { EVENTSTORE_URL: named } = process.env;
const obstacle = named ? undisturbable(named) : 'needs a real EventStoreDB (EVENTSTORE_URL)';
if (named && obstacle === null) overABadNetwork('EVENTSTORE_URL', async () => ({ url: named, stop: async () => undefined }));
else it.skip(`skipped: ${obstacle}`, () => undefined);
