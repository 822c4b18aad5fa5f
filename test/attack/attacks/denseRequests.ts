import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';

const CONNECTIONS = 50;
/** With its headers, one read of a socket. */
const CHUNKS = 10_800;
const HEAD = 'POST /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const REQUEST = Buffer.from(`${HEAD}${'1\r\nx\r\n'.repeat(CHUNKS)}0\r\n\r\n`);

/** Whole requests with bodies of tiny chunks, each in one read of a connection that has had an answer before. */
export const denseRequests: Attack = {
  name: 'dense-requests',
  by: 'nobody',
  run: ({ port, signal, count }) =>
    repeat(signal, CONNECTIONS, async () => {
      const socket = connect(port, '127.0.0.1');
      const leave = () => socket.destroy();
      signal.addEventListener('abort', leave);
      socket.on('error', () => {});
      socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      const closed = once(socket, 'close');
      while (!socket.destroyed) {
        const [data] = await Promise.race([once(socket, 'data'), closed.then(() => [Buffer.from('HTTP/1.1 closed')])]);
        count((data as Buffer).toString().slice(9, 15).trim());
        if (!socket.destroyed) socket.write(REQUEST);
      }
      signal.removeEventListener('abort', leave);
    }),
  check: ({ outcomes }) => {
    expect(outcomes.size).toBeGreaterThan(0);
  },
};
