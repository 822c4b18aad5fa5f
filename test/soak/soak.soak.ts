import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import startMongoOfTests from '../clusterStores.ts';
import { Load } from '../crash/load.ts';
import { WebhookLoad } from '../crash/webhooks.ts';
import { CLUSTER_ROLES, isClusterForm } from '../e2e/clusterForm.ts';
import { startServer } from '../e2e/server.ts';
import { lineChart } from './chart.ts';
import { READERS } from './readers.ts';
import { type Sample, sample, slope } from './samples.ts';

const MINUTES = Number(process.env.MINUTES ?? 30);
const CALLERS = 8;
const READING = 4;
/** Pause of each caller between two calls, milliseconds: a server that cannot keep up queues, and a queue is not a leak. */
const PAUSE = 250;
/** One webhook in this many is refused. Each refusal halves the window of its origin. */
const REFUSED = 200;
const SAMPLES = 240;
/** Minutes of the warm-up, in which caches fill and code is compiled. */
const WARM_UP = isClusterForm ? 2 : MINUTES / 3;
/** Largest allowed rise of the fitted line of resident memory after the warm-up, relative to its mean. */
const FLAT = 0.1;
/** Largest allowed rise of the fitted lines of lag and of pending webhooks: a server that cannot keep up falls behind by thousands. */
const KEEPS_UP = 1_000;
/** A shorter run does not leave its warm-up: memory is reported, but not checked. */
const JUDGED_FROM_MINUTES = isClusterForm ? 6 : 10;

/** So that streams are created, end and expire all the time, as in a long operation. */
const environment = {
  RETENTION_EPHEMERAL_S: '5',
  RETENTION_PERSISTENT_S: '20',
  SEAL_INTERVAL_S: '10',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_BASE_MS: '200',
  LOG_LEVEL: 'warn',
  ...(process.env.HEAP_SNAPSHOTS && { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${process.env.HEAP_SNAPSHOTS}` }),
};

/** What was seen of one process of the server. */
interface Watched {
  readonly name: string;
  readonly url: string;
  readonly samples: Sample[];
}

let stopStores = async (): Promise<void> => undefined;
beforeAll(async () => {
  if (isClusterForm) stopStores = await startMongoOfTests();
});
afterAll(() => stopStores());

test(`${MINUTES} minutes of mixed load do not grow memory, files and lag`, async () => {
  const server = await startServer({ environment });
  const watched = server.nodes.map((url, n): Watched => ({ name: isClusterForm ? (CLUSTER_ROLES[n] ?? '') : 'server', url, samples: [] }));
  const webhooks = await WebhookLoad.start(server.url, REFUSED);
  const endpoints = await Promise.all(Array.from({ length: 4 }, () => webhooks.switched(server.url)));
  const load = new Load(CALLERS, { dynamicUrl: webhooks.dynamicUrl, endpoints, pause: PAUSE });
  load.pointAt(() => [server.url]);
  const wrong: string[] = [];
  const began = performance.now();
  const minute = () => (performance.now() - began) / 60_000;
  const reading = Array.from({ length: READING }, async (_, reader) => {
    for (let turn = reader; minute() < MINUTES; turn += 1) {
      const chosen = READERS[turn % READERS.length];
      const streamId = [...load.acknowledged.uploads.keys()].at(-1);
      await wait(PAUSE);
      if (streamId === undefined || !chosen) continue;
      if (!(await chosen.does(server.url, streamId))) wrong.push(chosen.name);
      // The test's own record of the load also must not grow.
      for (const old of [...load.acknowledged.uploads.keys()].slice(0, -1_000)) load.acknowledged.uploads.delete(old);
    }
  });
  while (minute() < MINUTES) {
    for (const { url, samples } of watched) samples.push(await sample(url, minute()));
    webhooks.forget();
    await wait((MINUTES * 60_000) / SAMPLES);
  }
  await Promise.all(reading);
  await load.stop();
  await webhooks.close();
  expect(await server.stop()).toBe(0);

  writeFileSync('soak.svg', chart(watched));
  console.log(`${load.answered} commands acknowledged in ${MINUTES} minutes; after the warm-up:`);
  for (const one of watched) report(one);
  console.log('chart: soak.svg');
  expect(load.surprises).toEqual([]);
  expect(wrong).toEqual([]);
  if (MINUTES < JUDGED_FROM_MINUTES) return console.log(`memory is judged from ${JUDGED_FROM_MINUTES} minutes on`);
  for (const one of watched) judge(one);
});

const steadyOf = ({ samples }: Watched): Sample[] => samples.filter(({ minute }) => minute >= WARM_UP);

const judge = (watched: Watched): void => {
  const steady = steadyOf(watched);
  const { name } = watched;
  const span = (steady.at(-1)?.minute ?? 0) - (steady[0]?.minute ?? 0);
  const mean = steady.reduce((sum, { resident }) => sum + resident, 0) / steady.length;
  expect((slope(steady, ({ resident }) => resident) * span) / mean, `${name}: growth of resident memory after the warm-up`).toBeLessThan(
    FLAT,
  );
  expect(slope(steady, ({ lag }) => lag) * span, `${name}: growth of lag, events`).toBeLessThan(KEEPS_UP);
  expect(slope(steady, ({ webhooks }) => webhooks) * span, `${name}: growth of webhooks that wait`).toBeLessThan(KEEPS_UP);
  expect((slope(steady, ({ openFiles }) => openFiles) * span) / 100, `${name}: growth of open files`).toBeLessThan(FLAT);
};

const report = (watched: Watched): void => {
  const steady = steadyOf(watched);
  const last = steady.at(-1);
  const middle = (of: (sample: Sample) => number) => [...steady.map(of)].sort((a, b) => a - b)[steady.length >> 1]?.toFixed(0);
  console.log(
    [
      `${watched.name}: ${last?.eventsAppended} events appended`,
      `resident memory ${middle(({ resident }) => resident)} MiB, ${slope(steady, ({ resident }) => resident).toFixed(2)} MiB a minute`,
      `JavaScript heap ${middle(({ heap }) => heap)} MiB, ${slope(steady, ({ heap }) => heap).toFixed(2)} MiB a minute`,
      `open files ${middle(({ openFiles }) => openFiles)}, event-loop delay p99 ${middle(({ delay }) => delay)} ms, lag ${middle(({ lag }) => lag)} events (medians)`,
      `webhooks that wait ${middle(({ webhooks }) => webhooks)}, ${slope(steady, ({ webhooks }) => webhooks).toFixed(0)} more a minute`,
    ].join('\n'),
  );
};

const chart = (watched: readonly Watched[]): string => {
  const panel = (title: string, of: (sample: Sample) => number) => ({
    title,
    series: watched.map(({ name, samples }) => ({
      name: isClusterForm ? name : title,
      points: samples.map((one) => [one.minute, of(one)] as const),
    })),
  });
  return lineChart('Soak', 'minutes', [
    panel('resident memory, MiB', ({ resident }) => resident),
    panel('JavaScript heap, MiB', ({ heap }) => heap),
    panel('open files', ({ openFiles }) => openFiles),
    panel('event-loop delay, p99, ms', ({ delay }) => delay),
    panel('lag of the slowest read model, events', ({ lag }) => lag),
    panel('webhooks that wait', ({ webhooks }) => webhooks),
  ]);
};
