import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CommandCounts } from './commandProbe.ts';
import { eventStoreServer } from './eventStoreServer.ts';
import { type Compare, defineBench } from './frame.ts';
import { poolTo, uploadOne } from './intake/contender.ts';
import { withMongo } from './mongoServer.ts';
import { accessToken, benchDirectory, type MeasuredServer, startCounted, startTributary } from './serverProcess.ts';
import { UPLOAD_PATH, untilDone } from './upload.ts';

const CONNECTIONS = 32;
/** Uploads in a round. */
const UPLOADS = { short: 320, full: 1_600 };
const ALONE = { short: 20, full: 60 };
/** Between two uploads at rest, so that all that the first one causes has ended. */
const APART_MILLISECONDS = 1_500;
const REST_SECONDS = { short: 20, full: 60 };
/** What a node does once after its start. */
const SETTLED_MILLISECONDS = 15_000;
const LEASE_TTL_SECONDS = 10;

const BARS = { commands: 20, appends: 3, cpu: 12, answer: 25, rest: 2, renewals: 1 };

/** Of the driver, which asks whether a server is there. */
const MONITORING = /^(?:hello|ismaster|ping|endSessions) /i;

/** Commands by name and collection between two countings, those of the driver's monitor left out. */
const between = (before: CommandCounts, after: CommandCounts): Map<string, number> =>
  new Map(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([name, count]) => count > 0 && !MONITORING.test(name)),
  );

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, count) => all + count, 0);

/** Without those of seals, which come once a minute. */
const appendsOf = async ({ url }: MeasuredServer, authorization: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
  const all = Number(/^tributary_append_duration_seconds_count (\d+)/m.exec(text)?.[1] ?? Number.NaN);
  const seals = Number(/^tributary_events_appended_total\{type="LogSealed"\} (\d+)/m.exec(text)?.[1] ?? 0);
  return all - seals;
};

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

interface Node {
  readonly server: MeasuredServer;
  readonly headers: { readonly authorization: string };
  upload(): Promise<void>;
  close(): Promise<void>;
}

const openNode = async (starting: Promise<MeasuredServer>): Promise<Node> => {
  const server = await starting;
  const headers = { authorization: `Bearer ${await accessToken(server.url)}` };
  const pool = poolTo(server.url, CONNECTIONS);
  const upload = () => uploadOne({ pool, path: UPLOAD_PATH, headers });
  const close = async () => {
    await pool.close();
    await server.stop();
  };
  return { server, headers, upload, close };
};

/** A figure of which less is better, as a ratio: 1 is the bar. */
const lessThan = (compare: Compare, label: string, bar: number, figure: number, notes: Readonly<Record<string, number | string>> = {}) =>
  compare(label, { unit: 'x', bar: 1, once: true, ours: async () => bar / figure, baseline: async () => 1, notes: () => notes });

const countCommands = async (compare: Compare, { server, headers, upload }: Node, size: 'short' | 'full'): Promise<void> => {
  await upload();
  await wait(SETTLED_MILLISECONDS);
  const seconds = REST_SECONDS[size];
  const idle = await server.commands();
  await wait(seconds * 1_000);
  const rest = between(idle, await server.commands());
  const renewals = (rest.get('update views.doc.heldLeases') ?? 0) / ((seconds * 3) / LEASE_TTL_SECONDS);
  await lessThan(compare, 'commands a second at rest, at most 2', BARS.rest, sum(rest) / seconds, perOne(rest, seconds));
  await lessThan(compare, 'commands to renew all leases, 1', BARS.renewals, Math.max(1, Math.round(renewals)), {
    each: renewals.toFixed(2),
  });
  const appended = await appendsOf(server, headers.authorization);
  const began = performance.now();
  const before = await server.commands();
  for (let n = 0; n < ALONE[size]; n += 1) {
    await upload();
    await wait(APART_MILLISECONDS);
  }
  const made = between(before, await server.commands());
  const inSeconds = (performance.now() - began) / 1_000;
  // What the node does at rest is not an upload's.
  const ownShare = [...made].map(([name, count]) => [name, count - ((rest.get(name) ?? 0) * inSeconds) / seconds] as const);
  const own = new Map(ownShare.filter(([, count]) => count > 0.5));
  await lessThan(compare, 'commands an upload, at most 20', BARS.commands, sum(own) / ALONE[size], perOne(own, ALONE[size]));
  const appends = ((await appendsOf(server, headers.authorization)) - appended) / ALONE[size];
  await lessThan(compare, 'appends an upload, at most 3', BARS.appends, appends, { each: appends.toFixed(1) });
};

const perOne = (counts: ReadonlyMap<string, number>, count: number): Record<string, string> => ({
  all: (sum(counts) / count).toFixed(1),
  ...Object.fromEntries(
    [...counts].sort(([, a], [, b]) => b - a).map(([name, made]) => [`${name.replace('views.doc.', '')}:`, (made / count).toFixed(2)]),
  ),
});

const measureTimes = async (compare: Compare, { server, headers, upload }: Node, size: 'short' | 'full'): Promise<void> => {
  const alone = async (): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < ALONE[size]; n += 1) {
      const began = performance.now();
      await upload();
      times.push(performance.now() - began);
      await wait(APART_MILLISECONDS / 5);
    }
    return median(times);
  };
  await alone();
  const answer = await alone();
  await lessThan(compare, 'answer at rest, p50, 25 ms', BARS.answer, answer, { p50: `${answer.toFixed(1)} ms` });
  const cpus: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const before = (await server.tell()).cpuMilliseconds;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let n = 0; n < UPLOADS[size] / CONNECTIONS; n += 1) await upload();
      }),
    );
    rates.push((UPLOADS[size] * 1_000) / (performance.now() - began));
    await untilDone(server.url, headers.authorization);
    // The first warms up.
    if (round > 0) cpus.push(((await server.tell()).cpuMilliseconds - before) / UPLOADS[size]);
  }
  const cpu = median(cpus);
  const told = { own: `${cpu.toFixed(1)} ms`, accepted: `${median(rates).toFixed(0)} uploads/s` };
  await lessThan(compare, 'CPU an upload, under 12 ms', BARS.cpu, cpu, told);
};

/** What an upload of 64 KiB through the echo costs one node of the cluster form: commands to MongoDB, appends to EventStoreDB, processor time, and the wait for its answer. */
export const uploadCluster = defineBench({
  name: 'upload-cluster',
  bar: 1,
  run: (compare, { full }) =>
    withMongo('upload-cluster', async (url, product) => {
      const size = full ? 'full' : 'short';
      const eventStore = await eventStoreServer();
      console.log(`upload-cluster on ${product} and ${eventStore.real ? 'EventStoreDB' : 'the fake EventStoreDB of the tests'}`);
      const environment = {
        EVENTSTORE_URL: eventStore.url,
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        LEASE_TTL_MS: String(LEASE_TTL_SECONDS * 1_000),
        // An upload is counted up to the end of its stream, without the expiry.
        RETENTION_EPHEMERAL_S: '3600',
        MONGODB_URL: url,
      };
      const counted = await openNode(startCounted(join(benchDirectory(), 'data'), environment));
      await countCommands(compare, counted, size);
      await counted.close();
      // Counting takes processor time of its own.
      const timed = await openNode(startTributary(join(benchDirectory(), 'data'), environment));
      await measureTimes(compare, timed, size);
      await timed.close();
      eventStore.stop();
    }),
});
