import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { type Attack, repeat } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const ALLOWED = 500;

/** The largest number of sockets of one user, which wait for their configuration and take no slot of a stream. */
export const manySockets: Attack = {
  name: 'many-sockets',
  by: 'a user',
  run: async (target) => {
    const sockets = new Set<WebSocket>();
    await repeat(target.signal, 16, async () => {
      try {
        const socket = await openSocket(target, { configurationMessage: 'true' });
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        // The server closes sockets that were idle for a minute; then others may be opened.
        target.count(sockets.size <= ALLOWED ? 'open' : 'too many');
      } catch (error) {
        target.count(error instanceof Error && error.message.endsWith('429') ? 429 : String(error));
        await wait(50);
      }
    });
    for (const socket of sockets) socket.terminate();
  },
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'open' && outcome !== '429')).toEqual([]);
  },
};
