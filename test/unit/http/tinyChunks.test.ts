import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { JoinedPieces } from '../../../src/http/input/joinedPieces.ts';
import { route, serve } from './testServer.ts';

const CHUNKS = 1_000_000;

test('a body in chunks of one byte is read in short turns, to its end', async () => {
  let [inThisTurn, most, all] = [0, 0, 0];
  const server = await serve([
    route({
      method: 'POST',
      body: { kind: 'raw', contentTypes: ['*/*'] },
      handle: async ({ incoming }) => {
        // Much has arrived before the first read.
        await wait(100);
        const count = (): void => {
          inThisTurn = 0;
          if (!incoming.readableEnded) setImmediate(count);
        };
        setImmediate(count);
        incoming.on('data', ({ length }: Buffer) => {
          inThisTurn += 1;
          most = Math.max(most, inThisTurn);
          all += length;
        });
        await new Promise((resolve) => incoming.once('end', resolve));
        return { status: 204 };
      },
    }),
  ]);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST /thing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(`${'1\r\na\r\n'.repeat(CHUNKS)}0\r\n\r\n`);
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.destroy();
  expect(answer.toString('latin1', 0, 12)).toBe('HTTP/1.1 204');
  expect(all).toBe(CHUNKS);
  // Those of one read of the connection, 64 KiB, and those that had been buffered.
  expect(most).toBeLessThan(40_000);
});

test('pieces of one byte are joined', () => {
  const pieces = new JoinedPieces();
  for (let at = 0; at < 1_000; at += 1) pieces.add(Buffer.from([at % 256]));
  expect(pieces.bytes).toBe(1_000);
  expect(pieces.whole()).toEqual(Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256)));
});
