import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { chunked, DENSE_READ, LAST_CHUNK, lengthOf, nextTurn, openRaw, takingServer } from './rawConnection.ts';

const UPGRADE = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';

const bodyOf = (length: number, lines: readonly string[] = []): string => {
  const head = ['POST /taken HTTP/1.1', 'Host: x', `Content-Length: ${length}`, ...lines];
  return `${head.join('\r\n')}\r\n\r\n${'x'.repeat(length)}`;
};

// These promises do not depend on how the server divides its reading among turns of the event loop.
describe('what a connection sends', () => {
  test('is answered whole and in order if long bodies and small requests follow each other', async () => {
    const { server, bodies } = await takingServer();
    const { socket, text } = await openRaw(server);
    const lengths = [10, 1_000_000, 3, 70_000, 131_072, 140_000, 1];
    socket.write(lengths.map((length) => bodyOf(length)).join(''));
    await eventually(() => text().match(/HTTP\/1.1 200/g)?.length === lengths.length);
    expect(bodies.map(lengthOf)).toEqual(lengths);
  });

  test('is parsed to its end although the client has said that it sends no more', async () => {
    const { server, bodies } = await takingServer();
    const { socket } = await openRaw(server);
    socket.end(chunked('/taken') + DENSE_READ + LAST_CHUNK);
    await eventually(() => expect(bodies.map(lengthOf)).toEqual([10_000]));
  });

  test.each([
    ['at once', async () => {}],
    ['in a later turn', nextTurn],
  ])('behind an upgrade is passed on whole and in order, if it is taken %s', async (_, wait) => {
    const { server } = await takingServer();
    const received: Buffer[] = [];
    server.server.on('upgrade', async (_request, upgraded: Duplex, first: Buffer) => {
      if (wait === nextTurn) await wait();
      if (first.length > 0) upgraded.unshift(first);
      upgraded.on('data', (bytes: Buffer) => received.push(bytes));
    });
    const { socket } = await openRaw(server);
    const sent = Buffer.from(Uint8Array.from({ length: 200_000 }, (_element, n) => (n * 7) % 251));
    socket.write(Buffer.concat([Buffer.from(UPGRADE), sent]));
    await eventually(() => Buffer.concat(received).length >= sent.length);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  test('is an ordinary request if its upgrade is ignored, however long its body', async () => {
    const { server, bodies } = await takingServer();
    const { socket, text } = await openRaw(server);
    socket.write(bodyOf(300_000, ['Connection: Upgrade', 'Upgrade: other']));
    await eventually(() => text().startsWith('HTTP/1.1 200'));
    expect(bodies.map(lengthOf)).toEqual([300_000]);
  });

  test('stays with the operating system while nothing reads its body', async () => {
    const { server } = await takingServer();
    const sockets: Socket[] = [];
    server.server.on('connection', (socket) => sockets.push(socket));
    const { socket } = await openRaw(server);
    socket.write('POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n');
    for (let sent = 0; sent < 8; sent += 1) socket.write(Buffer.alloc(1_048_576));
    await eventually(() => (sockets[0]?.bytesRead ?? 0) > 0);
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(sockets[0]?.bytesRead).toBeLessThan(1_048_576);
  });
});
