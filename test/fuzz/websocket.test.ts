import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PING_TEMPLATE } from '../e2e/client.ts';
import { ADMIN_KEY, startServer } from '../e2e/server.ts';
import { expectErrorShape, FUZZ_TIMEOUT, tries } from './budget.ts';
import { conversation, framesOf } from './frames.ts';
import { expectNotReady, faultsOf } from './uploading.ts';

/** Close codes of the protocol and of this API. 1011, an error of the server, is not allowed. */
const CLOSE_CODES = [1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1010];
const CLOSE = 8;
const TEXT = 1;
/** Longest wait for all answers before the client leaves. */
const LISTENS_MILLISECONDS = 50;

/** Sends the pieces over a new connection, disconnects, and returns the data after the handshake. */
const talk = async (url: string, id: string, pieces: readonly Buffer[]): Promise<Buffer> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A client that is cut off while writing has already got its answer.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(
    [
      `GET /ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}&id=${id} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Basic ${ADMIN_KEY}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
  await Promise.race([once(socket, 'data'), closed]);
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.race([closed, wait(LISTENS_MILLISECONDS)]);
  socket.end();
  await Promise.race([closed, wait(15_000)]);
  expect(socket.destroyed, 'the server lets go of who has left').toBe(true);
  const all = Buffer.concat(received);
  expect(all.subarray(0, 12).toString()).toBe('HTTP/1.1 101');
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
};

test('WebSocket: any frames get documented messages and close codes, and leave no stream READY', FUZZ_TIMEOUT, async () => {
  const server = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '10000' } });
  await tries(conversation, async (pieces) => {
    const id = randomUUID();
    for (const { opcode, payload } of framesOf(await talk(server.url, id, pieces))) {
      if (opcode === CLOSE && payload.length >= 2) expect(CLOSE_CODES).toContain(payload.readUInt16BE());
      if (opcode !== TEXT) continue;
      const message = JSON.parse(payload.toString());
      expect(['STREAM_METADATA', 'RESPONSE', 'KEEP_ALIVE', 'ERROR', 'END_OF_STREAM']).toContain(message.type);
      if (message.type !== 'ERROR') continue;
      expectErrorShape(message.error.statusCode, message.error);
      expect(message.error.statusCode).toBeLessThan(500);
    }
    await expectNotReady(server.url, id);
  });
  expect(faultsOf(server)).toEqual([]);
});
