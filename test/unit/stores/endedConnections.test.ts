import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failWaitingWrites } from '../../../src/stores/mongodb/endedConnections.ts';

const server = createServer();

beforeAll(async () => {
  await failWaitingWrites();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** A connection of the driver, and the server's end of it. */
const connected = async (): Promise<{ connection: Connection; peer: Socket }> => {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  const options = { hostAddress: { toString: () => 'server' }, id: 1, generation: 0, monitorCommands: false };
  return { connection: new Connection(socket, options), peer: peer.pause() };
};

const LARGE = Buffer.alloc(16_000_000);
const command = (bytes: Promise<Uint8Array>) => ({ toBin: async () => [await bytes] });

test('a command that the server does not take fails when the connection ends', async () => {
  const { connection, peer } = await connected();
  const sending = connection.writeCommand(command(Promise.resolve(LARGE)), { agreedCompressor: 'none' });
  await new Promise((resolve) => setImmediate(resolve));
  connection.cleanup(new Error('timed out'));
  await expect(sending).rejects.toThrow('timed out');
  peer.destroy();
});

test('a command that is still being compressed fails if the connection has ended', async () => {
  const { connection, peer } = await connected();
  let finish = (_: Uint8Array): void => {};
  const compressed = new Promise<Uint8Array>((resolve) => {
    finish = resolve;
  });
  const sending = connection.writeCommand(command(compressed), { agreedCompressor: 'none' });
  const closed = new Promise((resolve) => connection.socket.once('close', resolve));
  peer.end();
  await closed;
  finish(Buffer.from('abc'));
  await expect(sending).rejects.toThrow('writing to socket');
});
