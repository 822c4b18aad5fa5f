import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { serverAddress } from '../../../../src/stores/eventstoredb/connectionString.ts';
import { askOverHttp } from '../../../../src/stores/eventstoredb/httpQuestion.ts';
import { ManualClock } from '../../../manualClock.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const listening = async (server: Server): Promise<string> => {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('ends its connection to a server that never answers the TLS handshake', async () => {
  const silent = createServer();
  const host = await listening(silent);
  const clock = new ManualClock();
  const connected = once(silent, 'connection');
  const asked = askOverHttp(serverAddress(`esdb://${host}`), host, '/info', clock);
  const [socket] = (await connected) as [Socket];
  socket.on('error', () => {});
  // Reads the hello of the client, otherwise the end of the connection is never noticed.
  const closed = once(socket.resume(), 'close');
  await clock.advance(5_000);
  expect(await asked).toBeNull();
  await closed;
});

test('gives the status and the beginning of a long answer', async () => {
  const host = await listening(createHttpServer((_, response) => response.writeHead(200).end('x'.repeat(1_000_000))));
  const answer = await askOverHttp(serverAddress(`esdb://${host}?tls=false`), host, '/info', new ManualClock());
  expect(answer?.status).toBe(200);
  expect(answer?.body).toMatch(/^x{65536}/);
});

test('presents the credentials of the connection string, and names its program', async () => {
  const server = createHttpServer(({ headers }, response) => response.end(`${headers['user-agent']} ${headers.authorization}`));
  const host = await listening(server);
  const answer = await askOverHttp(serverAddress(`esdb://ops:secret@${host}?tls=false`), host, '/info', new ManualClock());
  expect(answer?.body).toMatch(/^Tributary\/\S+ Basic /);
  expect(answer?.body).toContain(Buffer.from('ops:secret').toString('base64'));
});

test('has no answer from a server that is away', async () => {
  const server = createServer();
  const host = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await askOverHttp(serverAddress(`esdb://${host}?tls=false`), host, '/info', new ManualClock())).toBeNull();
});
