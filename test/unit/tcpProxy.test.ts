import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { openTcpProxy } from '../fakes/tcpProxy.ts';

/** A server that answers every byte with itself, behind a proxy. */
const echo = async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await openTcpProxy({ port: (server.address() as AddressInfo).port });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  const client = () => {
    const socket: Socket = connect(proxy.port, '127.0.0.1');
    const seen = { text: '', error: null as Error | null, socket };
    socket.on('data', (bytes) => (seen.text += bytes));
    socket.on('error', (error) => (seen.error = error));
    onTestFinished(() => void socket.destroy());
    return seen;
  };
  return { proxy, client };
};

describe('the TCP proxy', () => {
  it('passes data, holds it, and passes it on later', async () => {
    const { proxy, client } = await echo();
    const seen = client();
    seen.socket.write('a');
    await eventually(() => seen.text === 'a');
    await proxy.become('hold');
    seen.socket.write('b');
    const late = client();
    late.socket.write('c');
    await eventually(() => proxy.connections === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect([seen.text, late.text]).toEqual(['a', '']);
    await proxy.become('pass');
    await eventually(() => seen.text === 'ab' && late.text === 'c');
  });

  it('drops data and connections, refuses new ones, and returns under its port', async () => {
    const { proxy, client } = await echo();
    const first = client();
    first.socket.write('a');
    await eventually(() => first.text === 'a');
    await proxy.become('drop');
    await eventually(() => first.error !== null || first.socket.closed);
    const second = client();
    await eventually(() => second.socket.closed);
    await proxy.become('refuse');
    const third = client();
    await eventually(() => third.error !== null);
    expect(third.error).toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.become('pass');
    const last = client();
    last.socket.write('z');
    await eventually(() => last.text === 'z');
  });
});
