import { once } from 'node:events';
import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../../src/domain/credentials/caller.ts';
import { MemoryBudget } from '../../../src/http/limits/memoryBudget.ts';
import type { Route } from '../../../src/http/route/route.ts';
import type { HttpServer } from '../../../src/http/server/server.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/limits.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { type Answered, ask, CALLER, route, serve } from './testServer.ts';

const MEBIBYTE = 1_048_576;

/** Callers are told apart by their header `user`. */
const authenticate = async ({ headers }: IncomingMessage): Promise<Caller> => ({ ...CALLER, subject: String(headers.user ?? 'ana') });

const limited = (routes: readonly Route[], limits: Partial<Limits>, options: Parameters<typeof serve>[1] = {}): Promise<HttpServer> =>
  serve(routes, { authenticate, ...options, limits: { ...DEFAULT_LIMITS, ...limits } });

const as = (user: string) => ({ headers: { user } });

/** A route whose requests are worked on until the test ends them. */
const held = (given: Partial<Route> = {}) => {
  const working: (() => void)[] = [];
  const handle: Route['handle'] = async () => {
    await new Promise<void>((resolve) => working.push(resolve));
    return { status: 204 };
  };
  return { route: route({ path: '/held', access: 'authenticated', handle, ...given }), working };
};

const connectionsOf = ({ server }: HttpServer): Promise<number> => promisify(server.getConnections.bind(server))();

const endAll = (working: (() => void)[]): void => {
  for (const end of working.splice(0)) end();
};

describe('requests in flight', () => {
  test('of one user wait in line above the limit, and others are served', async () => {
    const { route: one, working } = held();
    const server = await limited([one], { maxRequestsPerUser: 2 });
    const answers = ['ana', 'ana', 'ana', 'bob'].map((user) => ask(server, 'GET', '/held', as(user)));
    await eventually(() => expect(working).toHaveLength(3));
    endAll(working);
    await eventually(() => expect(working).toHaveLength(1));
    endAll(working);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  });

  test('get 429 with Retry-After if the line is full, and if they have waited too long', async () => {
    const clock = new ManualClock();
    const { route: one, working } = held();
    const server = await limited([one], { maxRequestsPerUser: 1, maxWaitingRequests: 1 }, { clock });
    const first = ask(server, 'GET', '/held', as('ana'));
    await eventually(() => expect(working).toHaveLength(1));
    const second = ask(server, 'GET', '/held', as('ana'));
    await eventually(() => expect(clock.sleeping).toBe(1));
    expect(await ask(server, 'GET', '/held', as('ana'))).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    await clock.advance(10_000);
    expect(await second).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    endAll(working);
    expect((await first).status).toBe(204);
  });

  test('of many users take turns above the limit of all', async () => {
    const order: string[] = [];
    const working: (() => void)[] = [];
    const handle: Route['handle'] = async ({ caller }) => {
      order.push(caller.subject);
      await new Promise<void>((resolve) => working.push(resolve));
      return { status: 204 };
    };
    const server = await limited([route({ path: '/held', access: 'authenticated', handle })], { maxRequests: 1 });
    const first = ask(server, 'GET', '/held', as('ana'));
    await eventually(() => expect(working).toHaveLength(1));
    const answers: Promise<Answered>[] = [];
    const sendOne = async (user: string): Promise<void> => {
      answers.push(ask(server, 'GET', '/held', as(user)));
      // Its turn in the line is settled before the next one is sent.
      await ask(server, 'GET', '/unknown');
    };
    for (const user of ['ana', 'ana', 'ana', 'bob', 'eve']) await sendOne(user);
    for (let n = 0; n < 6; n += 1) {
      await eventually(() => expect(working).toHaveLength(1));
      endAll(working);
    }
    await Promise.all([first, ...answers]);
    expect(order).toEqual(['ana', 'ana', 'bob', 'eve', 'ana', 'ana']);
  });

  test('do not count while they wait for their body or their client', async () => {
    const body = route({
      method: 'POST',
      path: '/body',
      access: 'authenticated',
      body: { kind: 'json', schema: {} },
      handle: async () => ({ status: 204 }),
    });
    async function* endless() {
      for (;;) yield Buffer.alloc(65_536);
    }
    const unread = route({
      path: '/unread',
      access: 'authenticated',
      handle: async () => ({ status: 200, contentType: 'text/plain', chunks: endless() }),
    });
    const server = await limited([body, unread], { maxRequestsPerUser: 1 });
    const slow = httpRequest({
      port: server.port,
      method: 'POST',
      path: '/body',
      headers: { 'Content-Type': 'application/json', 'Content-Length': 2 },
    });
    slow.flushHeaders();
    slow.on('error', () => {});
    onTestFinished(() => void slow.destroy());
    const reader = get({ port: server.port, path: '/unread', agent: false });
    reader.on('error', () => {});
    onTestFinished(() => void reader.destroy());
    await once(reader, 'response');
    const headers = { 'Content-Type': 'application/json' };
    await eventually(async () => expect((await ask(server, 'POST', '/body', { headers, body: '{}' })).status).toBe(204));
  });

  test('without a credential are limited by address, except health', async () => {
    const { route: open, working } = held({ access: 'open' });
    const health = route({ path: '/health', access: 'open', unlimited: true, handle: async () => ({ status: 204 }) });
    const server = await limited([open, health], { maxRequestsPerAddress: 1, maxWaitingRequests: 0 });
    const first = ask(server, 'GET', '/held');
    await eventually(() => expect(working).toHaveLength(1));
    expect((await ask(server, 'GET', '/held')).status).toBe(429);
    expect((await ask(server, 'GET', '/health')).status).toBe(204);
    endAll(working);
    await first;
  });

  test('leave the line when their client leaves', async () => {
    const { route: one, working } = held();
    const server = await limited([one], { maxRequestsPerUser: 1, maxWaitingRequests: 1 });
    const first = ask(server, 'GET', '/held', as('ana'));
    await eventually(() => expect(working).toHaveLength(1));
    const left = connect(server.port, '127.0.0.1', () => left.write('GET /held HTTP/1.1\r\nHost: x\r\nuser: ana\r\n\r\n'));
    await eventually(async () => expect((await ask(server, 'GET', '/held', as('ana'))).status).toBe(429));
    left.destroy();
    await eventually(async () => expect(await connectionsOf(server)).toBe(1));
    endAll(working);
    expect((await first).status).toBe(204);
    const second = ask(server, 'GET', '/held', as('ana'));
    await eventually(() => expect(working).toHaveLength(1));
    endAll(working);
    expect((await second).status).toBe(204);
  });
});

test('USER_REQUESTS_PER_SECOND refuses further requests of a user with 429 and Retry-After', async () => {
  const server = await limited([route({ access: 'authenticated', handle: async () => ({ status: 204 }) })], { userRequestsPerSecond: 3 });
  const statuses = async (user: string) => {
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await ask(server, 'GET', '/thing', as(user)));
    return answers;
  };
  const answers = await statuses('ana');
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 429]);
  expect(answers[3]?.headers['retry-after']).toBe('1');
  expect((await ask(server, 'GET', '/thing', as('bob'))).status).toBe(204);
});

describe('memory', () => {
  const many = (bytes: number): Route =>
    route({
      path: '/large',
      access: 'authenticated',
      handle: async () => ({ status: 200, contentType: 'text/plain', body: 'x'.repeat(bytes) }),
    });
  const unread = async (server: HttpServer, user: string): Promise<IncomingMessage> => {
    const asked = get({ port: server.port, path: '/large', agent: false, ...as(user) });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.on('error', () => {});
    onTestFinished(() => void asked.destroy());
    return answer;
  };

  test('that a user leaves unread refuses further reads of that user with 429 until it is read', async () => {
    const server = await limited([many(30 * MEBIBYTE)], { memoryPerUserMib: 16 });
    const answer = await unread(server, 'ana');
    const refused = await eventually(async () => {
      const seen = await ask(server, 'GET', '/large', as('ana'));
      return seen.status === 429 && seen;
    });
    expect(refused.headers['retry-after']).toBe('1');
    answer.resume();
    await once(answer, 'end');
    await eventually(async () => (await ask(server, 'GET', '/large', as('ana'))).status === 200);
  });

  test('of all users together refuses with 503, but not a user who holds less than 1 MiB', () => {
    const budget = new MemoryBudget({ memoryPerUserMib: 10, memoryTotalMib: 20 });
    for (const user of ['a', 'b']) budget.open(user).take(9 * MEBIBYTE);
    const third = budget.open('c');
    third.take(MEBIBYTE);
    expect(() => third.take(2 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 503, headers: { 'Retry-After': '2' } }));
    expect(() => budget.open('a').take(2 * MEBIBYTE)).toThrow(expect.objectContaining({ statusCode: 429 }));
    third.release();
    third.release();
    expect([budget.total, budget.of('c')]).toEqual([18 * MEBIBYTE, 0]);
  });

  test('of bodies is refused before they are read', async () => {
    const body = route({
      method: 'POST',
      path: '/body',
      access: 'authenticated',
      body: { kind: 'json', schema: {} },
      handle: async () => ({ status: 204 }),
    });
    const server = await limited([body], { memoryPerUserMib: 4, jsonMaxBytes: 4 * MEBIBYTE });
    for (let n = 0; n < 2; n += 1) {
      const sent = httpRequest({
        port: server.port,
        method: 'POST',
        path: '/body',
        headers: { user: 'ana', 'Content-Type': 'application/json', 'Content-Length': 2 * MEBIBYTE, Expect: '100-continue' },
      });
      sent.on('error', () => {});
      sent.flushHeaders();
      onTestFinished(() => void sent.destroy());
      await once(sent, 'continue');
    }
    const headers = { 'Content-Type': 'application/json' };
    const large = JSON.stringify('x'.repeat(MEBIBYTE));
    await eventually(async () =>
      expect((await ask(server, 'POST', '/body', { headers: { ...headers, user: 'ana' }, body: large })).status).toBe(429),
    );
    expect((await ask(server, 'POST', '/body', { headers: { ...headers, user: 'bob' }, body: large })).status).toBe(204);
  });
});

describe('sizes', () => {
  const json = route({ method: 'POST', path: '/json', body: { kind: 'json', schema: {} }, handle: async () => ({ status: 204 }) });
  const headers = { 'Content-Type': 'application/json' };
  const sent = async (server: HttpServer, body: string) => (await ask(server, 'POST', '/json', { headers, body })).status;

  test('of JSON have a limit in bytes, values and levels', async () => {
    const server = await limited([json], { jsonMaxBytes: 100_000, jsonMaxValues: 1_000 });
    expect(await sent(server, JSON.stringify('x'.repeat(90_000)))).toBe(204);
    expect(await sent(server, JSON.stringify('x'.repeat(100_000)))).toBe(413);
    expect(await sent(server, JSON.stringify(Array(999).fill(0)))).toBe(204);
    expect(await sent(server, JSON.stringify(Array(1_000).fill(0)))).toBe(400);
    expect(await sent(server, `${'['.repeat(64)}${']'.repeat(64)}`)).toBe(204);
    expect(await sent(server, `${'['.repeat(65)}${']'.repeat(65)}`)).toBe(400);
  });

  test('of headers have a limit', async () => {
    const server = await limited([route({ handle: async () => ({ status: 204 }) })], { headerMaxBytes: 8_192 });
    expect((await ask(server, 'GET', '/thing', { headers: { a: 'x'.repeat(7_000) } })).status).toBe(204);
    expect((await ask(server, 'GET', '/thing', { headers: { a: 'x'.repeat(9_000) } })).status).toBe(431);
  });

  test('of a form have a limit', async () => {
    const form = route({ method: 'POST', path: '/form', body: { kind: 'form' }, handle: async () => ({ status: 204 }) });
    const server = await limited([form], { formMaxBytes: 2_000 });
    const send = async (length: number) => {
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return (await ask(server, 'POST', '/form', { headers: type, body: `a=${'x'.repeat(length)}` })).status;
    };
    expect([await send(1_900), await send(2_000)]).toEqual([204, 413]);
  });
});

test('headers that do not arrive in time get 408', { timeout: 20_000 }, async () => {
  const server = await limited([], { headersTimeoutS: 1 });
  const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHo'));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
});
