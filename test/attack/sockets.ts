import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { PING_TEMPLATE } from '../e2e/client.ts';
import type { Target } from './attack.ts';

/** An open WebSocket of the attacker with a stream of its own. Rejects with the status of a refused handshake. */
export const openSocket = ({ url, headers }: Target, query: Readonly<Record<string, string>> = {}): Promise<WebSocket> => {
  const parameters = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE, ...query });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws-gateway/api/v1?${parameters}`, { headers });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(`the handshake was answered with ${statusCode}`)));
  });
};

/** The connection below a WebSocket, for bytes that are not a whole message. */
export const rawSocketOf = (socket: WebSocket): Socket => (socket as unknown as { readonly _socket: Socket })._socket;

/** Uses a connection until the server closes it or the attack ends. */
export const untilClosed = async ({ port, signal }: Target, use: (socket: Socket) => void): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  const leave = () => socket.destroy();
  signal.addEventListener('abort', leave);
  socket.on('error', () => {});
  // `once` would reject if the server resets the connection, which closes it too.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  use(socket);
  await closed;
  signal.removeEventListener('abort', leave);
};
