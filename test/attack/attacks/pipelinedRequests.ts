import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';
import { untilClosed } from '../sockets.ts';

const CONNECTIONS = 20;
/** One read of a socket holds about 1,600 of them. */
const REQUESTS = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_600);

/** Connections that send very many small requests at once, without waiting for answers. */
export const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  by: 'nobody',
  run: (target) =>
    repeat(target.signal, CONNECTIONS, async () => {
      await untilClosed(target, (socket) => {
        socket.on('data', () => {});
        socket.once('connect', () => socket.write(REQUESTS));
      });
      target.count('closed');
    }),
  check: ({ outcomes }) => {
    expect(outcomes.get('closed')).toBeGreaterThan(CONNECTIONS);
  },
};
