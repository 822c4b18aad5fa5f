import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Attack } from '../attack.ts';

const CONNECTIONS = 200;
const PATHS = [
  '/stream-service/api/v1/streams?size=1',
  '/stream-configuration-service/api/v1/stream-configuration-templates?size=1',
  '/notification-service/api/v1/webhook-endpoints',
  '/usage-service/api/v1/usage/report',
];

/** Small reads on very many connections, each asked again as soon as it is answered. */
export const requestFlood: Attack = {
  name: 'request-flood',
  by: 'a user',
  run: async ({ port, headers, signal, count }) => {
    const sockets = Array.from({ length: CONNECTIONS }, (_, n) => {
      const request = `GET ${PATHS[n % PATHS.length]} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1', 0, 12)) ?? [];
        // A small answer may come in two pieces.
        if (status === undefined) return;
        count(status);
        socket.write(request);
      });
      socket.once('connect', () => socket.write(request));
      return socket;
    });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    for (const socket of sockets) socket.destroy();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => status !== '200')).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(CONNECTIONS);
  },
};
