import { randomUUID } from 'node:crypto';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { PING_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const STREAMS = 20;
const UNREAD = 25;
const LANES = 8;
const PIECE = Buffer.alloc(65_536, 'a');
const PAUSE_MILLISECONDS = 20;
const LIVE = '/egress-service/api/v1/egress/live';

/** Streams of one group: a live read takes no others. */
interface Streams {
  readonly ids: readonly string[];
  readonly groupId: string;
}

/** Uploads that send small pieces until the attack is over. */
const slowUploads = ({ url, headers }: Target, { ids, groupId }: Streams): (() => void)[] =>
  ids.map((id) => {
    const query = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE, id, groupId });
    const outgoing = send(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => {}).on('response', (response) => response.resume());
    const timer = setInterval(() => {
      if (outgoing.writableLength === 0) outgoing.write(PIECE);
    }, PAUSE_MILLISECONDS);
    return () => {
      clearInterval(timer);
      outgoing.destroy();
    };
  });

const readNothing = ({ port, headers, count }: Target, path: string): (() => void)[] =>
  Array.from({ length: UNREAD }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.once('data', (data) => {
      socket.pause();
      count(data.toString('latin1', 9, 12));
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`);
    return () => socket.destroy();
  });

/** Twenty uploads that never end, each echoed to live readers of all of them at once: some read everything, some nothing. */
export const readLive: Attack = {
  name: 'live-readers',
  by: 'a user',
  run: async (target) => {
    const { url, headers, signal, count } = target;
    const streams: Streams = { ids: Array.from({ length: STREAMS }, () => randomUUID()), groupId: randomUUID() };
    const path = `${LIVE}?streams=${streams.ids.join(',')}`;
    const ends = [...slowUploads(target, streams), ...readNothing(target, path)];
    await repeat(signal, LANES, async () => {
      const answer = await fetch(url + path, { headers, signal });
      count(answer.status);
      if (!answer.ok) await wait(PAUSE_MILLISECONDS);
      for await (const _ of answer.body ?? []);
    });
    for (const end of ends) end();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => !['200', '404', '429', '503'].includes(status))).toEqual([]);
    expect(outcomes.get('200')).toBeGreaterThan(0);
  },
};
