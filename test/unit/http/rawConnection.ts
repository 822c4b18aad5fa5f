import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import type { HttpServer } from '../../../src/http/server/server.ts';
import { route, serve } from './testServer.ts';

export interface RawConnection {
  readonly socket: Socket;
  /** All that has come back. */
  readonly text: () => string;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** An open connection that sends bytes as they are, the given ones first. It is gone when the test has finished. */
export const openRaw = async ({ port }: Pick<HttpServer, 'port'>, bytes = ''): Promise<RawConnection> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += chunk.toString();
    });
  // `once` would reject if the server resets the connection.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, text: () => text, closed };
};

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server that answers each body of `/taken` with its length, answers `/answered` at once, and leaves bodies of `/left` unread. */
export const takingServer = async (clock?: Clock): Promise<{ server: HttpServer; bodies: Buffer[][] }> => {
  const bodies: Buffer[][] = [];
  const body = { kind: 'raw', contentTypes: ['*/*'] } as const;
  const taken = route({
    ...{ path: '/taken', method: 'POST', body },
    handle: async ({ incoming }) => {
      const pieces: Buffer[] = [];
      bodies.push(pieces);
      for await (const piece of incoming) pieces.push(piece);
      return { status: 200, body: lengthOf(pieces) };
    },
  });
  const answered = route({ path: '/answered', method: 'POST', handle: async () => ({ status: 200, body: 'ok' }) });
  const left = route({
    ...{ path: '/left', method: 'POST', body },
    handle: ({ incoming }) => once(incoming, 'close').then(() => ({ status: 200, body: 'left' })),
  });
  return {
    server: await serve([taken, answered, left], {}, { upgrades: ({ method }) => method === 'GET', ...(clock ? { clock } : {}) }),
    bodies,
  };
};

export const lengthOf = (pieces: readonly Buffer[]): number => Buffer.concat(pieces).length;

/** Headers of a chunked request. */
export const chunked = (path: string, ...lines: string[]): string =>
  `${[`POST ${path} HTTP/1.1`, 'Host: x', ...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`;

/** Fits into one read. */
export const DENSE_READ = '1\r\nx\r\n'.repeat(10_000);
export const LAST_CHUNK = '0\r\n\r\n';
