import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { route, serve } from './testServer.ts';

const CHUNKED = 'POST /taken HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
/** About one read of a connection. */
const DENSE = '1\r\nx\r\n'.repeat(10_000);
const UPGRADE = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server that answers with the length of each body, in `/left` without reading it. */
const started = async () => {
  const taken: number[] = [];
  const taking = route({
    path: '/taken',
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
  return { server: await serve([taking, left]), taken };
};

const open = async (port: number): Promise<{ socket: Socket; text: () => string }> => {
  const socket = connect(port, '127.0.0.1');
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

const bodyOf = (length: number, lines: readonly string[] = []): string => {
  const head = ['POST /taken HTTP/1.1', 'Host: x', `Content-Length: ${length}`, ...lines];
  return `${head.join('\r\n')}\r\n\r\n${'x'.repeat(length)}`;
};

// These promises do not depend on how the server divides its reading among turns of the event loop.
describe('what a connection sends', () => {
  test('is answered whole and in order if long bodies and small requests follow each other', async () => {
    const { server, taken } = await started();
    const { socket, text } = await open(server.port);
    const lengths = [10, 1_000_000, 3, 70_000, 131_072, 140_000, 1];
    socket.write(lengths.map((length) => bodyOf(length)).join(''));
    await eventually(() => text().match(/HTTP\/1.1 200/g)?.length === lengths.length);
    expect(taken).toEqual(lengths);
  });

  test('is parsed to its end although the client has said that it sends no more', async () => {
    const { server, taken } = await started();
    const { socket } = await open(server.port);
    socket.end(`${CHUNKED}${DENSE}0\r\n\r\n`);
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
      if (wait === nextTurn) await wait();
      if (first.length > 0) upgraded.unshift(first);
      upgraded.on('data', (bytes: Buffer) => received.push(bytes));
    });
    const { socket } = await open(server.port);
    const sent = Buffer.from(Uint8Array.from({ length: 200_000 }, (_element, n) => (n * 7) % 251));
    socket.write(Buffer.concat([Buffer.from(UPGRADE), sent]));
    await eventually(() => Buffer.concat(received).length >= sent.length);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  test('is an ordinary request if its upgrade is ignored, however long its body', async () => {
    const { server, taken } = await started();
    const { socket, text } = await open(server.port);
    socket.write(bodyOf(300_000, ['Connection: Upgrade', 'Upgrade: other']));
    await eventually(() => text().startsWith('HTTP/1.1 200'));
    expect(taken).toEqual([300_000]);
  });

  test('stays with the operating system while nothing reads its body', async () => {
    const { server } = await started();
    const sockets: Socket[] = [];
    server.server.on('connection', (socket) => sockets.push(socket));
    const { socket } = await open(server.port);
    socket.write('POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n');
    for (let sent = 0; sent < 8; sent += 1) socket.write(Buffer.alloc(1_048_576));
    await eventually(() => (sockets[0]?.bytesRead ?? 0) > 0);
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(sockets[0]?.bytesRead).toBeLessThan(1_048_576);
  });
});
