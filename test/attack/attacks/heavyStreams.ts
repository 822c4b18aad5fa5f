import { connect } from 'node:net';
import { expect } from 'vitest';
import { call, upload } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';
import { heavyTemplate } from './heavyTemplates.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const STREAMS = '/stream-service/api/v1/streams';
const COUNT = 100;
const UNREAD = 25;
const LANES = 4;
const QUERIES = ['?size=100', '?size=100', '?nameContains=x&size=100', '?size=1&page=99'];

const readNothing = ({ port, headers }: Target): (() => void) => {
  const head = `GET ${STREAMS}?size=100 HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
  const sockets = Array.from({ length: UNREAD }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.once('data', () => socket.pause());
    socket.write(head);
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
};

/** Pages and searches of streams with the largest allowed configurations, also by readers that read nothing. */
export const heavyStreams: Attack = {
  name: 'heavy-streams',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    const { body: template } = await call(url, TEMPLATES, { method: 'PUT', key, body: heavyTemplate('Heavy') });
    for (let n = 0; n < (short ? COUNT / 2 : COUNT); n += 1) {
      const { status, text } = await upload(url, { streamConfigurationTemplateId: template.id }, 'x', { key });
      if (status !== 200) throw new Error(`an upload was answered with ${status}: ${text.slice(0, 200)}`);
    }
  },
  run: async (target) => {
    const { url, headers, signal, count } = target;
    const leave = readNothing(target);
    await repeat(signal, LANES, async (lane) => {
      const answer = await fetch(`${url}${STREAMS}${QUERIES[lane]}`, { headers, signal });
      await answer.arrayBuffer();
      count(answer.status);
    });
    leave();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '503')).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
