import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type Attack, repeat, type Target } from '../attack.ts';

const SOCKETS = 100;
const LANES = 4;
const PAUSE_MILLISECONDS = 20;
const LONG = 'p'.repeat(3_145_728);
const LARGEST_ANSWER = 65_536;
const UPDATE = JSON.stringify({
  ...{ type: 'session.update', event_id: LONG },
  session: { audio: { input: { transcription: { prompt: LONG, language: LONG } } } },
});

const openSession = ({ url, headers, count }: Target): Promise<WebSocket | null> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?intent=transcription`, { headers });
  return new Promise((resolve) => {
    socket.on('error', () => resolve(null));
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, { statusCode }) => {
      count(`handshake ${statusCode}`);
      resolve(null);
    });
    socket.on('message', (data) => {
      const text = String(data);
      count(text.length > LARGEST_ANSWER ? 'long answer' : JSON.parse(text).type);
    });
  });
};

/** Realtime sessions that stay open, each with the longest texts as its settings and as the id of a message. */
export const realtimeSettings: Attack = {
  name: 'realtime-settings',
  by: 'a user',
  until: ['error'],
  run: async (target) => {
    const sockets: WebSocket[] = [];
    await repeat(target.signal, LANES, async () => {
      const socket = sockets.length < SOCKETS ? await openSession(target) : null;
      if (socket) sockets.push(socket);
      socket?.send(UPDATE);
      do await wait(PAUSE_MILLISECONDS);
      while (!target.signal.aborted && socket && socket.bufferedAmount > 0);
    });
    for (const socket of sockets) socket.terminate();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => ['session.updated', 'long answer'].includes(outcome))).toEqual([]);
    expect(outcomes.get('error')).toBeGreaterThan(0);
  },
};
