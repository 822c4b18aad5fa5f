import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type Attack, repeat } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const LANES = 50;
const MESSAGE = Buffer.alloc(500_000, 'a');
const MOST_BUFFERED = 4_194_304;
const PAUSE_MILLISECONDS = 20;

/** Sockets whose stream echoes everything that they send, and that read nothing of it. */
export const unreadSockets: Attack = {
  name: 'unread-sockets',
  by: 'a user',
  run: async (target) => {
    const sockets: (WebSocket | null)[] = [];
    await repeat(target.signal, LANES, async (lane) => {
      let socket = sockets[lane] ?? null;
      if (socket?.readyState !== WebSocket.OPEN) {
        socket = await openSocket(target);
        socket.once('close', (code) => target.count(`closed ${code}`));
        socket.pause();
        sockets[lane] = socket;
        target.count('open');
      }
      if (socket.bufferedAmount < MOST_BUFFERED) socket.send(MESSAGE, { binary: true });
      await wait(PAUSE_MILLISECONDS);
    });
    for (const socket of sockets) socket?.terminate();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => !['open', 'closed 1000', 'closed 1006', 'closed 1008'].includes(outcome))).toEqual([]);
    expect(outcomes.get('open')).toBeGreaterThan(0);
  },
};
