import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, repeat, type Target } from '../attack.ts';

const LANES = 4;
const MOST_BUFFERED = 16_777_216;
const MEBIBYTE = 1_048_576;

/** The largest messages that the gateway reads: many values, one long text, and deep nesting. */
const MESSAGES = [
  `{"type":"session.update","session":{"a":[${'{},'.repeat(9_000)}{}]}}`,
  `{"type":"session.update","session":{"a":[${'[],'.repeat(5 * MEBIBYTE)}1]}}`,
  `{"type":"input_audio_buffer.append","audio":"${'A'.repeat(12 * MEBIBYTE)}"}`,
  `{"type":"${'x'.repeat(4 * MEBIBYTE)}","a":${'['.repeat(60)}${']'.repeat(60)}}`,
];

/** `null` if the handshake was refused, for example because the server has no live engine. */
const openSession = ({ url, headers, count }: Target): Promise<WebSocket | null> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?intent=transcription`, { headers });
  return new Promise((resolve) => {
    socket.on('error', () => resolve(null));
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, { statusCode }) => {
      count(`handshake ${statusCode}`);
      resolve(null);
    });
    socket.on('message', (data) => count(String(JSON.parse(String(data)).type)));
    socket.once('close', (code) => count(`closed ${code}`));
  });
};

/** Realtime sessions that repeatedly send the most expensive messages. */
export const realtimeMessages: Attack = {
  name: 'realtime-messages',
  by: 'a user',
  run: async (target) => {
    const sockets: (WebSocket | null)[] = [];
    let number = 0;
    await repeat(target.signal, LANES, async (lane) => {
      let socket = sockets[lane] ?? null;
      if (socket?.readyState !== WebSocket.OPEN) {
        socket = await openSession(target);
        sockets[lane] = socket;
      }
      const message = MESSAGES[number % MESSAGES.length];
      number += 1;
      if (socket && message && socket.bufferedAmount < MOST_BUFFERED) socket.send(message);
      await wait(20);
    });
    for (const socket of sockets) socket?.terminate();
  },
};
