import { connect } from 'node:net';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import type { Attack } from '../attack.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const READERS = 25;
const SIZE = 200_000;

/** A page of very large templates, requested on many connections that read nothing. */
export const unreadPages: Attack = {
  name: 'unread-pages',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    for (let n = 0; n < (short ? 30 : 100); n += 1) {
      const processors = [{ id: 'echo', processorDeclarationId: 'echo', destinationTopicHeaders: { text: 'x'.repeat(SIZE) } }];
      const { status, text } = await call(url, TEMPLATES, { method: 'PUT', key, body: { name: `Large ${n}`, processors } });
      if (status !== 200) throw new Error(`a template was answered with ${status}: ${text.slice(0, 200)}`);
    }
  },
  run: async ({ port, headers, signal, count }) => {
    const head = `GET ${TEMPLATES}?size=100 HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
    const sockets = Array.from({ length: READERS }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        socket.pause();
        count(data.toString().slice(9, 12));
      });
      socket.write(head);
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    for (const socket of sockets) socket.destroy();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '503')).toEqual([]);
  },
};
