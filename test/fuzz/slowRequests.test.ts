import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { call } from '../e2e/client.ts';
import { startServer } from '../e2e/server.ts';
import { FUZZ_TIMEOUT, fuzzSeconds, fuzzSeed } from './budget.ts';
import { type Genome, genome, mutated, requestOf } from './requestGenome.ts';

const SECONDS = 2;
/** The slowest of each generation are the parents of the next. */
const PARENTS = 6;
const CHILDREN = 4;
const NEWCOMERS = 6;
const SHOWN = 5;
const CONFIRMATIONS = 3;

interface Tried {
  readonly genome: Genome;
  readonly status: number;
  /** Longest wait of `/health/live` meanwhile, milliseconds: the wait of every other client. */
  readonly blocked: number;
}

const longestWait = async (probe: ChildProcess): Promise<number> => {
  const answer = once(probe, 'message');
  probe.send('tell');
  const [{ max }] = await answer;
  return Number(max);
};

/** Sends one message, twice as text and once as bytes, and resolves with the code of the closing, or of the refused handshake. */
const send = async (url: string, key: string, message: string): Promise<number> => {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { authorization: `Basic ${key}` } });
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0));
    socket.once('open', () => {
      socket.send(message);
      socket.send(message);
      socket.send(Buffer.from(message));
      socket.close();
    });
    socket.once('close', resolve);
  });
};

/** Statuses and waits depend on the machine, so only the server's survival is checked, and the slowest requests are printed. */
test('prints the slowest requests found by evolutionary search', FUZZ_TIMEOUT, async () => {
  const server = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '100000' } });
  const { body: user } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'slow', role: 'user' },
  });
  const probe = fork(new URL('../attack/healthProbe.mjs', import.meta.url), [server.url], { execArgv: [] });
  let tries = 0;
  const attempt = async (one: Genome): Promise<Tried> => {
    const { method, path, headers, body, message } = requestOf(one);
    await longestWait(probe);
    const status =
      message === undefined
        ? (await call(server.url, path, { method, headers, key: user.secret, body: body ?? undefined })).status
        : await send(server.url + path, user.secret, message);
    tries += 1;
    return { genome: one, status, blocked: await longestWait(probe) };
  };
  const seed = fuzzSeed();
  const deadline = performance.now() + fuzzSeconds(SECONDS) * 1_000;
  let best: Tried[] = [];
  for (let generation = 0; performance.now() < deadline; generation += 1) {
    const of = (arbitrary: fc.Arbitrary<Genome>, numRuns: number) => fc.sample(arbitrary, { seed: seed + generation, numRuns });
    const next = [...of(genome, NEWCOMERS), ...best.flatMap((parent) => of(mutated(parent.genome), CHILDREN))];
    const tried: Tried[] = [];
    for (const one of next) {
      if (performance.now() > deadline) break;
      tried.push(await attempt(one));
    }
    best = [...best, ...tried].sort((a, b) => b.blocked - a.blocked).slice(0, PARENTS);
  }
  // A pause of the machine looks like a slow request: the shortest of a few repetitions counts.
  const confirmed: Tried[] = [];
  for (const one of best.slice(0, SHOWN)) {
    const again = [one];
    for (let n = 0; n < CONFIRMATIONS; n += 1) again.push(await attempt(one.genome));
    confirmed.push(again.reduce((least, other) => (other.blocked < least.blocked ? other : least)));
  }
  probe.disconnect();
  console.log(
    [
      `${tries} requests, seed ${seed}; the slowest held up /health/live for:`,
      ...confirmed
        .sort((a, b) => b.blocked - a.blocked)
        .map(({ blocked, status, genome: one }) => `${blocked.toFixed(0).padStart(6)} ms  ${status}  ${JSON.stringify(one)}`),
    ].join('\n'),
  );
  expect(confirmed.length).toBeGreaterThan(0);
  expect((await call(server.url, '/health/ready', { key: null })).status).toBe(200);
});
