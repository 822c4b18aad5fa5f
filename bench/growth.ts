import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import type { ExpectedRevision } from '../src/stores/eventStore.ts';
import { type DeliveryStores, joinStream, openDeliveryStores, type Receivers, startReceivers, until } from './deliveryRig.ts';
import { fillLog } from './fillLog.ts';
import { type Compare, defineBench } from './frame.ts';
import { getAll } from './rawClient.ts';
import { accessToken, benchDirectory, type MeasuredServer, startTributary } from './serverProcess.ts';

/** Events in the log. The first size is the reference for the others. */
const SIZES = { short: [10_000, 100_000], full: [10_000, 100_000, 1_000_000] };
const CALLERS = 32;
const APPENDS = 60;
const STREAMS_READ = 2_000;
const CONNECTIONS = 32;
const JOINED = 500;
const RECEIVERS = 4;
const TOGETHER = 256;
/** A stream of the filled log and its group have nine or ten events. */
const EVENTS_A_STREAM = 10;

/** Streams of the filled log, drawn evenly, and the server that has them. */
interface Readable {
  readonly server: MeasuredServer;
  readonly streamIds: readonly string[];
}

/** Append, read and deliver on a log of 10,000 events, and on longer ones: each must stay within a quarter of the first. */
export const growth = defineBench({
  name: 'growth',
  bar: 0.75,
  run: async (compare, { full }) => {
    const sizes = full ? SIZES.full : SIZES.short;
    await growDeliveries(compare, sizes);
    await growReads(compare, sizes);
  },
});

const label = (what: string, events: number): string => `${what}, ${events.toLocaleString('en')} events`;

const growDeliveries = async (compare: Compare, sizes: readonly number[]): Promise<void> => {
  const receivers = await startReceivers(RECEIVERS);
  const all = await Promise.all(sizes.map(() => openDeliveryStores(benchDirectory())));
  for (const [index, stores] of all.entries()) await fill(stores, sizes[index] ?? 0, receivers);
  const [first, ...longer] = all;
  for (const [index, stores] of longer.entries()) {
    const events = sizes[index + 1] ?? 0;
    if (!first) continue;
    await compare(label('append', events), { unit: 'events/s', ours: () => appended(stores), baseline: () => appended(first) });
    await compare(label('deliver', events), {
      unit: 'webhooks/s',
      rounds: 5,
      ours: () => delivered(stores, receivers),
      baseline: () => delivered(first, receivers),
    });
  }
  await receivers.close();
  for (const stores of all) await stores.close();
};

/** Groups of users without endpoints, then one delivery, so that the deliverer has reached the end of the log. */
const fill = async (stores: DeliveryStores, events: number, receivers: Receivers): Promise<void> => {
  const users = Array.from({ length: 50 }, () => randomUUID());
  for (let n = 0; n < events / 2; n += TOGETHER)
    await Promise.all(Array.from({ length: TOGETHER }, (_, i) => joinStream(stores, users[(n + i) % users.length] ?? '')));
  await delivered(stores, receivers);
};

const appended = async ({ store }: DeliveryStores): Promise<number> => {
  const began = performance.now();
  const caller = async () => {
    const eventStream = `bench-${uuid()}`;
    let expected: ExpectedRevision = 'no stream';
    for (let n = 0; n < APPENDS; n += 1)
      expected = (
        await store.append(eventStream, expected, [{ id: uuid(), type: 'BenchHappened', data: { text: 'x'.repeat(139) }, metadata: {} }])
      ).revision;
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (CALLERS * APPENDS * 1_000) / (performance.now() - began);
};

const delivered = async (stores: DeliveryStores, receivers: Receivers): Promise<number> => {
  const user = randomUUID();
  for (const url of receivers.urls) await stores.endpoint(user, url, ['group.stream-joined']);
  for (let n = 0; n < JOINED; n += 100) await Promise.all(Array.from({ length: 100 }, () => joinStream(stores, user)));
  const [began, before] = [performance.now(), receivers.received()];
  const stop = stores.start();
  await until(() => receivers.received() - before >= JOINED * RECEIVERS);
  const rate = (JOINED * RECEIVERS * 1_000) / (performance.now() - began);
  await stop();
  return rate;
};

const growReads = async (compare: Compare, sizes: readonly number[]): Promise<void> => {
  const [first, ...longer] = await Promise.all(sizes.map(readable));
  for (const [index, one] of longer.entries()) {
    if (!first) continue;
    const name = label('read', sizes[index + 1] ?? 0);
    await compare(name, { unit: 'reads/s', ours: () => readOnce(one), baseline: () => readOnce(first) });
  }
  for (const one of [first, ...longer]) await one?.server.stop();
};

const readable = async (events: number): Promise<Readable> => {
  const dataDir = join(benchDirectory(), 'data');
  const filled = await fillLog(dataDir, Math.ceil(events / EVENTS_A_STREAM));
  const server = await startTributary(dataDir, { ROLES: 'http,projections' });
  const every = Math.max(1, Math.floor(filled.streamIds.length / STREAMS_READ));
  return { server, streamIds: filled.streamIds.filter((_, n) => n % every === 0).slice(0, STREAMS_READ) };
};

/** Short logs have fewer streams, which are read repeatedly, so that each round makes the same number of requests. */
const readOnce = async ({ server, streamIds }: Readable): Promise<number> => {
  const authorization = `Bearer ${await accessToken(server.url)}`;
  const paths = Array.from({ length: STREAMS_READ }, (_, n) => `/stream-service/api/v1/streams/${streamIds[n % streamIds.length]}`);
  return getAll(server.url, paths, { authorization }, CONNECTIONS);
};
