import { expect } from 'vitest';
import { PING_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';
import { untilClosed } from '../sockets.ts';

const CONNECTIONS = 200;
/** One read of a socket. */
const CHUNKS = Buffer.from('1\r\nx\r\n'.repeat(10_922));

/** Uploads whose chunks have one byte each, over many connections at once. */
export const tinyChunks: Attack = {
  name: 'tiny-chunks',
  by: 'a user',
  run: (target) =>
    repeat(target.signal, CONNECTIONS, () =>
      untilClosed(target, (socket) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(CHUNKS)) target.count('sent');
        };
        socket.on('drain', more);
        socket.on('data', (data) => target.count(data.subarray(9, 12).toString()));
        socket.once('connect', () => {
          const lines = [
            `POST /http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE} HTTP/1.1`,
            ...[
              'Host: x',
              `Authorization: ${target.headers.authorization}`,
              'Content-Type: application/octet-stream',
              'Transfer-Encoding: chunked',
            ],
          ];
          socket.write(`${lines.join('\r\n')}\r\n\r\n`);
          target.count('opened');
          more();
        });
      }),
    ),
  check: ({ outcomes }) => {
    expect(outcomes.get('opened')).toBeGreaterThanOrEqual(CONNECTIONS);
  },
};
