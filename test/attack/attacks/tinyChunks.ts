import { connect } from 'node:net';
import { expect } from 'vitest';
import { PING_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const CONNECTIONS = 200;
/** One read of a socket. */
const CHUNKS = Buffer.from('1\r\nx\r\n'.repeat(10_922));

/** Uploads whose chunks have one byte each, over many connections at once. */
export const tinyChunks: Attack = {
  name: 'tiny-chunks',
  by: 'a user',
  run: ({ port, headers, signal, count }) =>
    repeat(signal, CONNECTIONS, async () => {
      const socket = connect(port, '127.0.0.1');
      const leave = () => socket.destroy();
      signal.addEventListener('abort', leave);
      await new Promise<void>((resolve) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(CHUNKS)) count('sent');
        };
        socket.on('error', () => {}).on('drain', more);
        socket.on('data', (data) => count(data.subarray(9, 12).toString()));
        socket.once('close', () => resolve());
        socket.once('connect', () => {
          const lines = [
            `POST /http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE} HTTP/1.1`,
            ...[
              'Host: x',
              `Authorization: ${headers.authorization}`,
              'Content-Type: application/octet-stream',
              'Transfer-Encoding: chunked',
            ],
          ];
          socket.write(`${lines.join('\r\n')}\r\n\r\n`);
          count('opened');
          more();
        });
      });
      signal.removeEventListener('abort', leave);
    }),
  check: ({ outcomes }) => {
    expect(outcomes.get('opened')).toBeGreaterThanOrEqual(CONNECTIONS);
  },
};
