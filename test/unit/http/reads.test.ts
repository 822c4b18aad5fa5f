import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { route, serve } from './testServer.ts';

const head = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** About one read of a connection. */
const DENSE = '1\r\nx\r\n'.repeat(10_000);
const END = '0\r\n\r\n';
const UPGRADE = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server that takes bodies, and remembers the requests in the order in which they were parsed and the length of each body. */
const started = async (clock?: ManualClock) => {
  const taken: number[] = [];
  const taking = route({
    path: '/taken/{name}',
    method: 'POST',
    body: { kind: 'raw', contentTypes: ['*/*'] },
    handle: async ({ incoming }) => {
      let bytes = 0;
      for await (const piece of incoming) bytes += piece.length;
      taken.push(bytes);
      return { status: 200, body: bytes };
    },
  });
  const left = route({
    path: '/left',
    method: 'POST',
    body: { kind: 'raw', contentTypes: ['*/*'] },
    handle: ({ incoming }) => once(incoming, 'close').then(() => ({ status: 200, body: 'left' })),
  });
  const server = await serve([taking, left], {}, clock ? { clock } : {});
  const parsed: string[] = [];
  server.server.on('request', ({ url = '' }) => parsed.push(url.split('/').at(-1) ?? ''));
  return { server, parsed, taken };
};

const open = async (port: number, localAddress = '127.0.0.1'): Promise<{ socket: Socket; text: () => string }> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += chunk.toString();
    });
  await once(socket, 'connect');
  return { socket, text: () => text };
};

const several = (count: number, port: number, address?: string) => Promise.all(Array.from({ length: count }, () => open(port, address)));

describe('what a connection sends', () => {
  test('is answered whole and in order if long bodies and small requests follow each other', async () => {
    const { server, taken } = await started();
    const { socket, text } = await open(server.port);
    const lengths = [10, 1_000_000, 3, 70_000, 131_072, 140_000, 1];
    const requests = lengths.map((length) => [
      `POST /taken/a HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`,
      Buffer.alloc(length, 'x'),
    ]);
    socket.write(Buffer.concat(requests.flat().map((part) => Buffer.from(part))));
    await eventually(() => taken.length === lengths.length);
    expect(taken).toEqual(lengths);
    await eventually(() => text().match(/HTTP\/1.1 200/g)?.length === lengths.length);
  });

  test('is not parsed further once it was closed for too many requests', async () => {
    const { server, parsed } = await started();
    const { socket } = await open(server.port);
    const closed = once(socket, 'close');
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_600));
    await closed;
    expect(parsed).toHaveLength(18);
  });

  test('is parsed to its end although the client has said that it sends no more', async () => {
    const { server, taken } = await started();
    const { socket } = await open(server.port);
    socket.end(head('/taken/a') + DENSE + END);
    await eventually(() => taken.length > 0);
    expect(taken).toEqual([10_000]);
  });

  test.each([
    ['at once', async () => {}],
    ['in a later turn', nextTurn],
  ])('behind an upgrade is passed on whole and in order, if it is taken %s', async (_, wait) => {
    const { server } = await started();
    const received: Buffer[] = [];
    server.server.on('upgrade', async (_request, upgraded: Duplex, first: Buffer) => {
      const take = (): void => {
        if (first.length > 0) upgraded.unshift(first);
        upgraded.on('data', (bytes: Buffer) => received.push(bytes));
      };
      if (wait === nextTurn) await wait();
      take();
    });
    const { socket } = await open(server.port);
    const sent = Buffer.from(Uint8Array.from({ length: 200_000 }, (_element, n) => (n * 7) % 251));
    socket.write(Buffer.concat([Buffer.from(UPGRADE), sent]));
    await eventually(() => Buffer.concat(received).length >= sent.length);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  test('stays with the operating system while nothing reads its body', async () => {
    const { server } = await started();
    const sockets: Socket[] = [];
    server.server.on('connection', (socket) => sockets.push(socket));
    const { socket } = await open(server.port);
    socket.write(`POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n`);
    for (let sent = 0; sent < 8; sent += 1) socket.write(Buffer.alloc(1_048_576));
    await eventually(() => (sockets[0]?.bytesRead ?? 0) > 0);
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(sockets[0]?.bytesRead).toBeLessThan(1_048_576);
  });
});

type Opened = Awaited<ReturnType<typeof open>>;

const allAnswered = async (opened: readonly Opened[], clock: ManualClock): Promise<void> => {
  while (!opened.every((one) => /\r\n\r\n\d+$/.test(one.text()))) {
    await clock.advance(5);
    await nextTurn();
  }
};

describe('what many connections send at the same moment', () => {
  /** The most requests that were parsed in a turn, until there were `count`. */
  const mostInATurn = async (parsed: readonly string[], count: number): Promise<number> => {
    let most = 0;
    for (let before = 0; before < count; ) {
      await nextTurn();
      most = Math.max(most, parsed.length - before);
      before = parsed.length;
    }
    return most;
  };

  test('is parsed a step in a turn if it is dense, although they were open before', async () => {
    const { server, parsed } = await started();
    const opened = await several(20, server.port);
    for (const { socket } of opened) socket.write(head('/taken/a') + DENSE + END);
    expect(await mostInATurn(parsed, opened.length)).toBeLessThanOrEqual(2);
    await eventually(() => opened.every(({ text }) => text().endsWith('10000')));
  });

  test('waits for the time of dense steps, while others are read', async () => {
    const clock = new ManualClock();
    const { server, parsed } = await started(clock);
    const opened = await several(5, server.port);
    for (const { socket } of opened) socket.write(head('/taken/dense') + DENSE + END);
    await eventually(() => parsed.length > 0);
    const other = await open(server.port);
    other.socket.write(`${head('/taken/other')}3\r\nabc\r\n${END}`);
    await eventually(() => other.text().endsWith('3'));
    expect(parsed).toEqual(['dense', 'other']);
    await allAnswered(opened, clock);
  });

  test('is parsed an address after the other', async () => {
    const clock = new ManualClock();
    const { server, parsed } = await started(clock);
    const [many, few] = [await several(6, server.port, '127.0.0.1'), await several(1, server.port, '127.0.0.2')];
    for (const { socket } of many) socket.write(head('/taken/many') + DENSE + END);
    await eventually(() => parsed.length > 0);
    for (const { socket } of few) socket.write(head('/taken/few') + DENSE + END);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    await allAnswered([...many, ...few], clock);
    expect(parsed.indexOf('few')).toBeLessThanOrEqual(2);
  });
});
