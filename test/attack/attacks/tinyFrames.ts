import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, repeat } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const LANES = 4;
const AT_ONCE = 15_000;
const MOST_BUFFERED = 4_194_304;

/** Sockets that send data in frames of one byte. */
export const tinyFrames: Attack = {
  name: 'tiny-frames',
  by: 'a user',
  run: async (target) => {
    const sockets = await Promise.all(Array.from({ length: LANES }, () => openSocket(target, { egress: 'false' })));
    await repeat(target.signal, LANES, async (lane) => {
      const socket = sockets[lane];
      if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_BUFFERED) {
        for (let n = 0; n < AT_ONCE; n += 1) socket.send('x', { binary: true });
        target.count('bursts');
      }
      await wait(20);
    });
    for (const socket of sockets) socket.terminate();
  },
};
