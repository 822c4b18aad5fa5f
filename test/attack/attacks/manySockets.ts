import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { type Attack, repeat } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const ALLOWED = 500;

/** As many sockets as one user gets, which wait for their configuration and take no slot of a stream. */
export const manySockets: Attack = {
  name: 'many-sockets',
  by: 'a user',
  run: async (target) => {
    const sockets: WebSocket[] = [];
    await repeat(target.signal, 16, async () => {
      try {
        sockets.push(await openSocket(target, { configurationMessage: 'true' }));
        target.count('open');
      } catch (error) {
        target.count(error instanceof Error && error.message.endsWith('429') ? 429 : String(error));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    for (const socket of sockets) socket.terminate();
  },
  check: ({ outcomes }) => {
    expect(outcomes.get('open') ?? 0).toBeLessThanOrEqual(ALLOWED);
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'open' && outcome !== '429')).toEqual([]);
  },
};
