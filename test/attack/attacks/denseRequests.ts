import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';
import { untilClosed } from '../sockets.ts';

const CONNECTIONS = 50;
const FIRST_REQUEST = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
/** With its headers, one read of a socket. */
const CHUNKS = 10_800;
const HEAD = 'POST /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const DENSE_REQUEST = Buffer.from(`${HEAD}${'1\r\nx\r\n'.repeat(CHUNKS)}0\r\n\r\n`);

/** Whole requests with bodies of tiny chunks, each in one read of a connection that has had an answer before. */
export const denseRequests: Attack = {
  name: 'dense-requests',
  by: 'nobody',
  until: ['405'],
  run: (target) =>
    repeat(target.signal, CONNECTIONS, () =>
      untilClosed(target, (socket) => {
        socket.on('data', (answer) => {
          target.count(answer.toString().slice(9, 12));
          socket.write(DENSE_REQUEST);
        });
        socket.write(FIRST_REQUEST);
      }),
    ),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '405'].includes(status))).toEqual([]);
    expect(outcomes.get('405')).toBeGreaterThan(0);
  },
};
