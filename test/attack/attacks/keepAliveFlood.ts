import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, repeat } from '../attack.ts';
import { openSocket } from '../sockets.ts';

const MESSAGE = JSON.stringify({ type: 'KEEP_ALIVE' });
const LANES = 4;
const AT_ONCE = 5_000;
/** Most data that the client queues, so that it does not run out of memory before the server slows it down. */
const MOST_BUFFERED = 4_194_304;

/** Sockets that send only KEEP_ALIVE messages and pings, as fast as they can. */
export const keepAliveFlood: Attack = {
  name: 'keep-alive-flood',
  by: 'a user',
  run: async (target) => {
    const sockets = await Promise.all(Array.from({ length: LANES }, () => openSocket(target)));
    for (const socket of sockets) socket.on('message', () => target.count('answered'));
    await repeat(target.signal, LANES, async (lane) => {
      const socket = sockets[lane];
      if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_BUFFERED)
        for (let n = 0; n < AT_ONCE; n += 1) {
          socket.send(MESSAGE);
          if (n % 2 === 0) socket.ping();
        }
      await wait(20);
    });
    for (const socket of sockets) socket.terminate();
  },
};
