import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Attack } from '../attack.ts';

const CONNECTIONS = 400;
const HEAD = [
  'POST /realms/tributary/protocol/openid-connect/token HTTP/1.1',
  'Host: x',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 1000',
  '\r\n',
].join('\r\n');

/** Connections whose bodies arrive a byte at a time. */
export const drippingBodies: Attack = {
  name: 'dripping-bodies',
  by: 'nobody',
  run: async ({ port, signal, count }) => {
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', (error) => count(String(error)));
      socket.on('data', (data) => count(String(data).slice(9, 12)));
      socket.on('connect', () => count('connected'));
      socket.write(HEAD);
    }
    while (!signal.aborted) {
      for (const socket of sockets) if (socket.writable) socket.write('a');
      await wait(500);
    }
    for (const socket of sockets) socket.destroy();
  },
  check: ({ outcomes }) => {
    expect(outcomes.get('connected')).toBe(CONNECTIONS);
  },
};
