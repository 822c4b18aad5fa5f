import { connect } from 'node:net';
import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';

const CONNECTIONS = 20;
/** One read of a socket holds about 1,600 of them. */
const REQUESTS = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_600);

/** Connections that send very many small requests at once, without waiting for answers. */
export const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  by: 'nobody',
  run: ({ port, signal, count }) =>
    repeat(signal, CONNECTIONS, async () => {
      const socket = connect(port, '127.0.0.1');
      const leave = () => socket.destroy();
      signal.addEventListener('abort', leave);
      await new Promise<void>((resolve) => {
        socket.on('error', () => {});
        socket.on('data', () => {});
        socket.once('connect', () => socket.write(REQUESTS));
        socket.once('close', () => resolve());
      });
      signal.removeEventListener('abort', leave);
      count('closed');
    }),
  check: ({ outcomes }) => {
    expect(outcomes.get('closed')).toBeGreaterThan(CONNECTIONS);
  },
};
