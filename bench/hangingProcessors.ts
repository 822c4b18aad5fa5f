import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { declaredPath } from './declared.ts';
import { type Compare, percentile } from './frame.ts';
import { accessToken, benchDirectory, type MeasuredServer, newUser, startBare, startTributary } from './serverProcess.ts';

const OWNERS = 20;
/** Per owner: 16 hang at once, the others wait. */
const HANGING = 20;
const HEALTHY = 300;
/** Milliseconds between two uploads: well below the machine's limit. */
const PACE = 25;

const upload = async ({ url }: MeasuredServer, path: string, authorization: string): Promise<string> => {
  const headers = { authorization, 'content-type': 'application/octet-stream' };
  const response = await fetch(`${url}${path}&persist=true`, { method: 'POST', headers, body: 'hello' });
  const answer: unknown = await response.json();
  if (typeof answer === 'object' && answer && 'streamId' in answer) return String(answer.streamId);
  throw new Error(JSON.stringify(answer));
};

/** From the upload to the export of a healthy processor's stream, in milliseconds: the export waits for the end of the stream. */
const latency = async (server: MeasuredServer, path: string, authorization: string): Promise<number> => {
  const start = performance.now();
  const streamId = await upload(server, path, authorization);
  const response = await fetch(`${server.url}/export-service/api/v1/export/EVENTS?streams=${streamId}`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return performance.now() - start;
};

/** The p99 in milliseconds of one user's streams through a healthy processor. */
const healthyP99 = async (server: MeasuredServer, path: string, authorization: string): Promise<number> => {
  const waiting: Promise<number>[] = [];
  for (let n = 0; n < HEALTHY; n += 1) {
    waiting.push(latency(server, path, authorization));
    await wait(PACE);
  }
  return percentile(await Promise.all(waiting), 0.99);
};

/** A server with owners whose streams are at a processor that never answers, and one user whose processor is healthy. */
const serverWith = async (hop: string, directory: string, hanging: number) => {
  const server = await startTributary(directory, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  const admin = `Bearer ${await accessToken(server.url)}`;
  for (let owner = 0; owner < OWNERS && hanging > 0; owner += 1) {
    const authorization = await newUser(server, admin);
    const path = await declaredPath(server, authorization, `${hop}/hang`);
    await Promise.all(Array.from({ length: hanging }, () => upload(server, path, authorization)));
  }
  const authorization = await newUser(server, admin);
  const path = await declaredPath(server, authorization, `${hop}/echo`);
  await server.idle();
  return { server, p99: () => healthyP99(server, path, authorization) };
};

/** p99 of the healthy streams without hanging processors, divided by the p99 with them. */
export const besideHangingProcessors = async (compare: Compare): Promise<void> => {
  const directory = benchDirectory();
  mkdirSync(join(directory, 'echo'));
  const hop = await startBare('echo', join(directory, 'echo'));
  const [beside, alone] = [
    await serverWith(hop.url, join(directory, 'beside'), HANGING),
    await serverWith(hop.url, join(directory, 'alone'), 0),
  ];
  const rounds: string[] = [];
  let last = 0;
  await compare(`${OWNERS * HANGING} runs hang at processors`, {
    unit: '1/s (p99)',
    rounds: 5,
    ours: async () => {
      last = await beside.p99();
      return 1_000 / last;
    },
    baseline: async () => {
      const without = await alone.p99();
      rounds.push(`${last.toFixed(0)}/${without.toFixed(0)} ms`);
      return 1_000 / without;
    },
    notes: () => ({ p99: rounds.join(' ') }),
  });
  await Promise.all([beside.server.stop(), alone.server.stop(), hop.stop()]);
};
