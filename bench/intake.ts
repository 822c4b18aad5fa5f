import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Compare, defineBench, percentile } from './frame.ts';
import { type Alone, alone, type Burst, burst, type Contender, poolTo } from './intake/contender.ts';
import { postgresPrograms, startPostgres } from './intake/postgres.ts';
import { openWebhookSink } from './intake/webhookSink.ts';
import type { Ran } from './restProfile.ts';
import { accessToken, benchDirectory, type MeasuredServer, startJobQueue, startTributary } from './serverProcess.ts';
import { UPLOAD_PATH } from './upload.ts';

const CONNECTIONS = 32;
/** Uploads per round: a user may have at most 1,000 running streams. */
const UPLOADS = 960;
/** The short form measures cold servers, the full form servers that have run for a minute, in which the first streams expire. */
const BURSTS = { short: { warmUps: 1, rounds: 7 }, full: { warmUps: 15, rounds: 15 } };
const ALONE = { short: 40, full: 100 };
const IDLE_SECONDS = 60;
/** Until nothing is due: the last streams expire after 60 s, and the seal over that comes 60 s later. */
const SETTLE_SECONDS = 130;
/** Milliseconds of processor time per upload, and share of a core at rest, that the bars allow. */
const CPU_BAR = 3.5;
const IDLE_BAR = 0.003;
const START_BAR_SECONDS = 1;

const shown = (milliseconds: readonly number[]): string =>
  `p50 ${percentile(milliseconds, 0.5).toFixed(1)} ms, p99 ${percentile(milliseconds, 0.99).toFixed(1)} ms`;

const openOurs = async (directory: string) => {
  const sink = await openWebhookSink();
  const server = await startTributary(join(directory, 'data'), { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  const headers = { authorization: `Bearer ${await accessToken(server.url)}` };
  const endpoint = await fetch(`${server.url}/notification-service/api/v1/webhook-endpoints`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: sink.url, events: ['stream.completed'] }),
  });
  if (!endpoint.ok) throw new Error(`no webhook endpoint: ${await endpoint.text()}`);
  const contender: Contender = {
    ...{ pool: poolTo(server.url, CONNECTIONS), path: UPLOAD_PATH, headers, sink },
    cpuMilliseconds: async () => (await server.tell()).cpuMilliseconds,
  };
  return { contender, server };
};

const openTheirs = async (programs: string, directory: string) => {
  const sink = await openWebhookSink();
  const postgres = await startPostgres(programs);
  mkdirSync(join(directory, 'queue'));
  const server = await startJobQueue(join(directory, 'queue'), { DATABASE_URL: postgres.url, WEBHOOK_URL: sink.url });
  const contender: Contender = {
    ...{ pool: poolTo(server.url, CONNECTIONS), path: '/upload', headers: {}, sink },
    cpuMilliseconds: async () => (await server.tell()).cpuMilliseconds + postgres.cpuMilliseconds(),
  };
  return { contender, server, postgres };
};

type Both = { readonly ours: Contender; readonly theirs: Contender };

/** A case whose rounds another case has already run. */
const recorded = (rounds: readonly number[]): (() => Promise<number>) => {
  let next = 0;
  return async () => rounds[next++] ?? Number.NaN;
};

const compareBursts = async (compare: Compare, { ours, theirs }: Both, bursts: { warmUps: number; rounds: number }): Promise<void> => {
  const rounds: { ours: Burst[]; theirs: Burst[] } = { ours: [], theirs: [] };
  const run = async (contender: Contender, into: Burst[]) => {
    const round = await burst(contender, UPLOADS, CONNECTIONS);
    into.push(round);
    return round.accepted;
  };
  const ownRounds = { ours: () => run(ours, rounds.ours), baseline: () => run(theirs, rounds.theirs) };
  await compare('accepted, 32 connections', { unit: 'uploads/s', bar: 1, ...bursts, ...ownRounds });
  const both = (of: (round: Burst) => number) => ({ ours: recorded(rounds.ours.map(of)), baseline: recorded(rounds.theirs.map(of)) });
  await compare('finished, webhook sent', { unit: 'uploads/s', bar: 1.5, ...bursts, ...both(({ finished }) => finished) });
  const cpu = (of: readonly Burst[]) =>
    `${percentile(
      of.slice(bursts.warmUps).map((round) => round.cpu),
      0.5,
    ).toFixed(1)} ms`;
  await compare('CPU an upload, under 3.5 ms', {
    ...{ unit: 'x', bar: 1, ...bursts },
    ours: recorded(rounds.ours.map((round) => CPU_BAR / round.cpu)),
    baseline: async () => 1,
    notes: () => ({ ours: cpu(rounds.ours), 'job queue': cpu(rounds.theirs) }),
  });
};

const compareAlone = async (compare: Compare, { ours, theirs }: Both, uploads: number): Promise<void> => {
  const all: { ours: Alone; theirs: Alone } = { ours: { answer: [], webhook: [] }, theirs: { answer: [], webhook: [] } };
  const rounds: { ours: Alone[]; theirs: Alone[] } = { ours: [], theirs: [] };
  const run = async (side: 'ours' | 'theirs', contender: Contender) => {
    const round = await alone(contender, uploads);
    // The first belongs to the warm-up round.
    if (rounds[side].push(round) > 1) {
      all[side].answer.push(...round.answer);
      all[side].webhook.push(...round.webhook);
    }
    return 1_000 / percentile(round.answer, 0.5);
  };
  await compare('answer alone, p50', {
    unit: '1/s',
    bar: 1 / 1.1,
    ours: () => run('ours', ours),
    baseline: () => run('theirs', theirs),
    notes: () => ({ ours: shown(all.ours.answer), 'job queue': shown(all.theirs.answer) }),
  });
  const webhooks = (of: readonly Alone[]) => recorded(of.map(({ webhook }) => 1_000 / percentile(webhook, 0.5)));
  await compare('last byte to webhook, p50', {
    unit: '1/s',
    bar: 1,
    ours: webhooks(rounds.ours),
    baseline: webhooks(rounds.theirs),
    notes: () => ({ ours: shown(all.ours.webhook), 'job queue': shown(all.theirs.webhook) }),
  });
};

/** Functions of a profile that are shown. */
const SHOWN = 5;

const whatRan = (ran: Ran): string => {
  const functions = Object.entries(ran);
  const sum = functions.reduce((all, [, milliseconds]) => all + milliseconds, 0);
  const shownOnes = functions.slice(0, SHOWN).map(([name, milliseconds]) => `${name} ${milliseconds.toFixed(1)}`);
  return functions.length === 0 ? 'nothing' : `${sum.toFixed(1)} ms in ${IDLE_SECONDS} s: ${shownOnes.join(', ')}`;
};

/** Processor time of an idle server; then what runs in it, since a profiler takes time itself. */
const compareIdle = async (compare: Compare, { ours, theirs }: Both, server: Pick<MeasuredServer, 'profiled'>): Promise<void> => {
  const shareOf = async ({ cpuMilliseconds }: Contender) => {
    const before = await cpuMilliseconds();
    await wait(IDLE_SECONDS * 1_000);
    return ((await cpuMilliseconds()) - before) / (IDLE_SECONDS * 1_000);
  };
  await wait(SETTLE_SECONDS * 1_000);
  const [oursShare, theirsShare] = await Promise.all([shareOf(ours), shareOf(theirs)]);
  const shares = { ours: oursShare, theirs: theirsShare };
  const ran = await server.profiled(IDLE_SECONDS * 1_000);
  const told = (share: number) => `${(share * 100).toFixed(2)} % of a core over ${IDLE_SECONDS} s`;
  await compare('idle, under 0.3 % of a core', {
    ...{ unit: 'x', bar: 1, once: true },
    ours: async () => IDLE_BAR / shares.ours,
    baseline: async () => 1,
    notes: () => ({ ours: told(shares.ours), 'job queue': told(shares.theirs), 'ran in our main thread': whatRan(ran) }),
  });
};

const compareStarts = async (compare: Compare): Promise<void> => {
  const start = async () => {
    const server = await startTributary(join(benchDirectory(), 'data'));
    await server.stop();
    return START_BAR_SECONDS / server.startSeconds;
  };
  await compare('start, empty, under 1 s', { unit: 'x', bar: 1, rounds: 5, ours: start, baseline: async () => 1 });
};

/**
 * Uploads of 64 KiB through the echo template with a webhook at their end, compared with what a user would build instead: Express, files,
 * graphile-worker and PostgreSQL. Both sides sync every commit and every file.
 */
export const intake = defineBench({
  name: 'intake',
  bar: null,
  run: async (compare, { full }) => {
    const programs = postgresPrograms();
    if (programs === null) {
      console.log('intake         skipped: needs PostgreSQL (apt-get install postgresql)');
      return;
    }
    const size = full ? 'full' : 'short';
    const directory = benchDirectory();
    const [ours, theirs] = [await openOurs(directory), await openTheirs(programs, directory)];
    console.log(`intake         against Express, graphile-worker and PostgreSQL ${theirs.postgres.version}`);
    const both = { ours: ours.contender, theirs: theirs.contender };
    await compareAlone(compare, both, ALONE[size]);
    await compareBursts(compare, both, BURSTS[size]);
    await compareIdle(compare, both, ours.server);
    for (const { pool, sink } of [both.ours, both.theirs]) await Promise.all([pool.close(), sink.close()]);
    await Promise.all([ours.server.stop(), theirs.server.stop()]);
    await theirs.postgres.stop();
    await compareStarts(compare);
  },
});
