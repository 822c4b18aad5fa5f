import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { type Attack, repeat, type Target } from '../attack.ts';
import { openSocket, rawSocketOf } from '../sockets.ts';

const SOCKETS = 200;
/** A text of as many values as it may have, with a mask of zeros. */
const frameOf = (text: string): Buffer => {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
};

const FRAME = frameOf(`{"type":"KEEP_ALIVE","x":[${'{},'.repeat(24_000)}{}]}`);

let sockets: WebSocket[] = [];

const watched = async (target: Target): Promise<WebSocket> => {
  const socket = await openSocket(target, { egress: 'false' });
  socket.on('message', (data) => target.count(String(JSON.parse(String(data)).type)));
  socket.on('close', (code) => target.count(`closed ${code}`));
  return socket;
};

/** Sockets that each send all of a large text but its last byte, and then all of those at the same moment. The text is refused, and its session ends. */
export const socketTexts: Attack = {
  name: 'socket-texts',
  by: 'a user',
  until: ['ERROR'],
  prepare: async (target) => {
    sockets = await Promise.all(Array.from({ length: SOCKETS }, () => watched(target)));
  },
  run: async (target) => {
    await repeat(target.signal, 1, async () => {
      const open = sockets.filter(({ readyState, OPEN }) => readyState === OPEN);
      for (const socket of open) rawSocketOf(socket).write(FRAME.subarray(0, -1));
      await wait(1_000);
      for (const socket of open) rawSocketOf(socket).write(FRAME.subarray(-1));
      await wait(500);
      // A refused text ends its session.
      const fresh = SOCKETS - sockets.filter(({ readyState, OPEN }) => readyState === OPEN).length;
      sockets = sockets.filter(({ readyState, OPEN }) => readyState === OPEN);
      const opened = await Promise.allSettled(Array.from({ length: fresh }, () => watched(target)));
      sockets.push(...opened.flatMap((socket) => (socket.status === 'fulfilled' ? [socket.value] : [])));
    });
    for (const socket of sockets) socket.terminate();
  },
  check: ({ outcomes }) => {
    expect(outcomes.get('ERROR')).toBeGreaterThan(0);
  },
};
