import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proxyTrust } from '../../../src/http/limits/clientAddress.ts';
import { ConnectionLimit } from '../../../src/http/limits/connectionLimit.ts';
import type { Route } from '../../../src/http/route/route.ts';
import type { HttpServer } from '../../../src/http/server/server.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { route, serve } from './testServer.ts';

const ANSWERED = route({ path: '/answered', method: 'POST', handle: async () => ({ status: 200, body: 'ok' }) });
const TAKEN = route({
  path: '/taken',
  method: 'POST',
  body: { kind: 'json', schema: {} },
  handle: async () => ({ status: 200, body: 'ok' }),
});
const UPLOADED = route({
  path: '/uploaded',
  method: 'POST',
  body: { kind: 'raw', contentTypes: ['*/*'] },
  handle: async ({ incoming }) => {
    for await (const _ of incoming);
    return { status: 200, body: 'ok' };
  },
});

const open = async ({ port }: HttpServer): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, text: () => text, closed };
};

const head = (path: string, ...lines: string[]): string =>
  `${[`POST ${path} HTTP/1.1`, 'Host: x', `Content-Type: ${path === '/uploaded' ? 'audio/wav' : 'application/json'}`, ...lines].join('\r\n')}\r\n\r\n`;

describe('a dripping body', () => {
  const drips = async (path: string, clock: ManualClock) => {
    const server = await serve([ANSWERED, TAKEN, UPLOADED], { clock }, { clock });
    const { socket, text, closed } = await open(server);
    socket.write(head(path, 'Content-Length: 1000'));
    let over = false;
    void closed.then(() => {
      over = true;
    });
    for (let seconds = 0; !over && seconds < 200; seconds += 10) {
      if (socket.writable) socket.write('1');
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(10_000);
    }
    await closed;
    return text();
  };

  test('gets 408 and is closed, if the body is buffered', async () => {
    const answer = await drips('/taken', new ManualClock());
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/^connection: close/im);
  });

  test('is closed if the request was answered before its body', async () => {
    expect(await drips('/answered', new ManualClock())).toMatch(/^HTTP\/1.1 200 /);
  });

  test('ends an upload', async () => {
    await drips('/uploaded', new ManualClock());
  });
});

test('does not cut off a body that the server is slow to read', async () => {
  const clock = new ManualClock();
  let read = (): void => {};
  const mayRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const late = route({
    ...UPLOADED,
    handle: async (request) => {
      await mayRead;
      return UPLOADED.handle(request);
    },
  });
  const { socket, text } = await open(await serve([late], { clock }, { clock }));
  socket.write(`${head('/uploaded', 'Content-Length: 400000')}${'x'.repeat(400_000)}`);
  await eventually(() => socket.writableLength === 0);
  await clock.advance(120_000);
  read();
  await eventually(() => text().startsWith('HTTP/1.1 200 '));
});

test('does not cut off a body that arrives at a steady pace', async () => {
  const clock = new ManualClock();
  const server = await serve([UPLOADED], { clock }, { clock });
  const { socket, text } = await open(server);
  socket.write(head('/uploaded', 'Content-Length: 4000'));
  for (let sent = 0; sent < 4_000; sent += 400) {
    socket.write('x'.repeat(400));
    await eventually(() => socket.bytesWritten >= sent + 400);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.advance(25_000);
  }
  await eventually(() => text().startsWith('HTTP/1.1 200 '));
});

describe('connections of one address', () => {
  const limited = (limit: number, trust: boolean | number, routes = [ANSWERED]) => {
    const connections = new ConnectionLimit(limit, proxyTrust(trust));
    return serve(routes, { connections }, { connections });
  };
  const ask = (address: string): string => head('/answered', 'Content-Length: 5', `X-Forwarded-For: ${address}`);

  test('get 429 above the limit, and are accepted again after one closes', async () => {
    const server = await limited(2, false);
    const first = await open(server);
    await open(server);
    const third = await open(server);
    await third.closed;
    expect(third.text()).toMatch(/^HTTP\/1.1 429 /);
    expect(third.text()).toMatch(/^retry-after: 5/im);
    first.socket.destroy();
    await eventually(async () => {
      const { socket, text } = await open(server);
      socket.write(head('/answered', 'Content-Length: 0'));
      return eventually(() => text().startsWith('HTTP/1.1 200') || (text().startsWith('HTTP/1.1 429') && 'refused')).then(
        (seen) => seen === true,
      );
    });
  });

  test('are not limited for a trusted proxy; its open requests are limited by client address', async () => {
    const slow = route({ path: '/answered', method: 'POST', body: { kind: 'raw', contentTypes: ['*/*'] }, handle: UPLOADED.handle });
    const server = await limited(2, 1, [slow]);
    const sockets = await Promise.all([open(server), open(server), open(server)]);
    for (const { socket } of sockets) socket.write(ask('203.0.113.7'));
    await eventually(() => sockets.some(({ text }) => text().startsWith('HTTP/1.1 429 ')));
    const other = await open(server);
    other.socket.write(`${ask('203.0.113.8')}12345`);
    await eventually(() => other.text().startsWith('HTTP/1.1 200 '));
  });
});

describe('requests that a client sends before it has an answer', () => {
  test('are answered in their order', async () => {
    const answers = new Map<string, () => void>();
    const handle: Route['handle'] = async ({ incoming }) => {
      const name = incoming.url?.at(-1) ?? '';
      await new Promise<void>((resolve) => answers.set(name, resolve));
      return { status: 200, body: name };
    };
    const { socket, text } = await open(await serve([route({ path: '/things/{name}', handle })]));
    socket.write(['a', 'b', 'c'].map((name) => `GET /things/${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    for (const name of ['c', 'b', 'a']) {
      await eventually(() => expect(answers.has(name)).toBe(true));
      answers.get(name)?.();
    }
    await eventually(() => expect(text().match(/"[abc]"/g)).toEqual(['"a"', '"b"', '"c"']));
  });

  test.each([
    ['GET', ''],
    ['POST', '0123456789'],
  ])('are answered in their order if a %s among them offers an upgrade', async (method, body) => {
    const server = await serve([UPLOADED, route({ path: '/found', method: 'GET', handle: async () => ({ status: 200, body: 'found' }) })]);
    const { socket, text } = await open(server);
    const path = method === 'GET' ? '/found' : '/uploaded';
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: h2c'];
    const offering = `${[...lines, ...(body ? ['Content-Type: text/plain', `Content-Length: ${body.length}`] : [])].join('\r\n')}\r\n\r\n${body}`;
    socket.write(`${head('/uploaded', 'Content-Length: 5')}12345${offering}`);
    await eventually(() => expect(text().match(/HTTP\/1.1 200/g)).toHaveLength(2));
    // The connection serves further requests.
    socket.write(`${head('/uploaded', 'Content-Length: 5')}12345`);
    await eventually(() => expect(text().match(/HTTP\/1.1 200/g)).toHaveLength(3));
  });

  test('are refused with more than 2,000 parameters in the query', async () => {
    const server = await serve([route({ path: '/found', method: 'GET', handle: async () => ({ status: 200, body: 'found' }) })]);
    const statusOf = async (count: number): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/found?a${'&'.repeat(count - 1)}`);
      return answer.status;
    };
    expect([await statusOf(2_000), await statusOf(2_001)]).toEqual([200, 400]);
  });

  test('are refused if one that offers an upgrade has too many header lines, so that its body is not read as a request', async () => {
    const server = await serve([UPLOADED, route({ path: '/found', method: 'GET', handle: async () => ({ status: 200, body: 'found' }) })]);
    const { socket, text, closed } = await open(server);
    const body = 'GET /found HTTP/1.1\r\nHost: x\r\n\r\n';
    // Node keeps 224 lines. Without the offer, fewer than 200 are left.
    const lines = [...Array(40).fill('HTTP2-Settings: AAA'), ...Array.from({ length: 190 }, (_, index) => `X-${index}: 1`)];
    socket.write(`${head('/uploaded', 'Connection: Upgrade', 'Upgrade: h2c', ...lines, `Content-Length: ${body.length}`)}${body}`);
    await closed;
    expect(text().match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 431']);
    // A reset before the refusal has been written does not end the server.
    const gone = await open(server);
    gone.socket.write(head('/uploaded', 'Connection: Upgrade', 'Upgrade: h2c', ...lines, `Content-Length: ${body.length}`));
    gone.socket.resetAndDestroy();
    await eventually(async () => expect(await promisify(server.server.getConnections.bind(server.server))()).toBe(0));
  });
});

describe('a request with many header lines', () => {
  const lines = (count: number): string => 'a: b\r\n'.repeat(count);

  test('is 431 above 200, and its connection is closed', async () => {
    const server = await serve([ANSWERED]);
    const { socket, text, closed } = await open(server);
    socket.write(`POST /answered HTTP/1.1\r\nHost: x\r\n${lines(200)}\r\n`);
    await closed;
    expect(text()).toMatch(/^HTTP\/1.1 431 /);
    expect(text()).toContain('The request has more than 200 header lines. Send fewer.');
  });

  test('is answered up to 200', async () => {
    const server = await serve([ANSWERED]);
    const { socket, text } = await open(server);
    socket.write(`POST /answered HTTP/1.1\r\nHost: x\r\n${lines(199)}\r\n`);
    await eventually(() => expect(text()).toMatch(/^HTTP\/1.1 200 /));
  });
});
