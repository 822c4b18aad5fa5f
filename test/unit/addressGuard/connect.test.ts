import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { AddressRefused, type ConnectionGuard, guardedConnect } from '../../../src/addressGuard/connect.ts';
import { parseRanges } from '../../../src/addressGuard/ranges.ts';
import { openResolver } from '../../../src/addressGuard/resolve.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../../fakes/certificate.ts';

const LOOPBACK = parseRanges('127.0.0.0/8');
const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that counts the connections that reach it. */
const countingServer = async (): Promise<{ port: number; connections: () => number }> => {
  let connections = 0;
  const server: Server = createServer((_, response) => response.setHeader('Connection', 'close').end('hello'));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
};

const resolving = (addresses: Record<string, string[]>): { resolve: ConnectionGuard['resolve']; asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (name) => {
      asked.push(name);
      return addresses[name] ?? [];
    },
  };
};

const agentOf = (guard: Partial<ConnectionGuard>): Agent => {
  const agent = new Agent({ connect: guardedConnect({ allow: [], resolve: async () => [], ...guard }) });
  closing.push(() => agent.destroy());
  return agent;
};

const get = async (url: string, dispatcher: Agent): Promise<string> => {
  const { body } = await request(url, { dispatcher });
  return body.text();
};

describe('the guard at the connection', () => {
  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::]', '0.0.0.0'])('refuses the literal %s without connecting', async (host) => {
    const { port, connections } = await countingServer();
    await expect(get(`http://${host}:${port}/`, agentOf({}))).rejects.toBeInstanceOf(AddressRefused);
    expect(connections()).toBe(0);
  });

  test('refuses a name that resolves to an internal address, without connecting', async () => {
    const { port, connections } = await countingServer();
    const { resolve, asked } = resolving({ 'rebound.example.org': ['127.0.0.1'] });
    await expect(get(`http://rebound.example.org:${port}/`, agentOf({ resolve }))).rejects.toBeInstanceOf(AddressRefused);
    expect([asked, connections()]).toEqual([['rebound.example.org'], 0]);
  });

  test('refuses a name if one of its addresses is internal', async () => {
    const { port, connections } = await countingServer();
    const { resolve } = resolving({ 'mixed.example.org': ['93.184.216.34', '127.0.0.1', '2606:2800:220:1::1'] });
    await expect(get(`http://mixed.example.org:${port}/`, agentOf({ resolve }))).rejects.toBeInstanceOf(AddressRefused);
    expect(connections()).toBe(0);
  });

  test('resolves the name for every new connection', async () => {
    const { port, connections } = await countingServer();
    let times = 0;
    const resolve = async () => [times++ === 0 ? '127.0.0.1' : '10.0.0.1'];
    const dispatcher = agentOf({ resolve, allow: LOOPBACK });
    expect(await get(`http://a.example.org:${port}/`, dispatcher)).toBe('hello');
    await expect(get(`http://a.example.org:${port}/`, dispatcher)).rejects.toBeInstanceOf(AddressRefused);
    expect([times, connections()]).toEqual([2, 1]);
  });

  test("refuses an internal name even if its address is public, unless all its addresses are in the operator's ranges", async () => {
    const { port } = await countingServer();
    const { resolve } = resolving({ receiver: ['127.0.0.1'], 'printer.local': ['93.184.216.34'] });
    await expect(get(`http://printer.local:${port}/`, agentOf({ resolve }))).rejects.toBeInstanceOf(AddressRefused);
    expect(await get(`http://receiver:${port}/`, agentOf({ resolve, allow: LOOPBACK }))).toBe('hello');
  });

  test('checks the connected peer too', async () => {
    const { port } = await countingServer();
    const { resolve } = resolving({ 'a.example.org': ['127.0.0.1'] });
    let asked = 0;
    const guard = {
      resolve,
      // Allowed when the name is resolved, but no longer when the connection is open.
      get allow() {
        return asked++ === 0 ? LOOPBACK : [];
      },
    };
    const agent = new Agent({ connect: guardedConnect(guard) });
    closing.push(() => agent.destroy());
    await expect(get(`http://a.example.org:${port}/`, agent)).rejects.toBeInstanceOf(AddressRefused);
    expect(asked).toBe(2);
  });

  test('verifies TLS against the name, and refuses an unknown certificate', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      cert: CERTIFICATE,
      key: PRIVATE_KEY,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { resolve } = resolving({ 'receiver.example.org': ['127.0.0.1'] });
    const dispatcher = agentOf({ resolve, allow: LOOPBACK });
    await expect(get(`https://receiver.example.org:${port}/`, dispatcher)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(names).toEqual(['receiver.example.org']);
  });

  test('refuses before TLS begins', async () => {
    const { port, connections } = await countingServer();
    const { resolve } = resolving({ 'a.example.org': ['127.0.0.1'] });
    await expect(get(`https://a.example.org:${port}/`, agentOf({ resolve }))).rejects.toBeInstanceOf(AddressRefused);
    await expect(get(`https://127.0.0.1:${port}/`, agentOf({}))).rejects.toBeInstanceOf(AddressRefused);
    expect(connections()).toBe(0);
  });

  test('ignores proxies set in the environment', async () => {
    const [target, proxy] = [await countingServer(), await countingServer()];
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, http_proxy: `http://127.0.0.1:${proxy.port}` });
    try {
      expect(await get(`http://127.0.0.1:${target.port}/`, agentOf({ allow: LOOPBACK }))).toBe('hello');
    } finally {
      process.env = before;
    }
    expect([target.connections(), proxy.connections()]).toEqual([1, 0]);
  });

  test('reports a name without an address as a DNS failure, not as a refusal', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    await expect(get('http://nowhere.example.org/', agentOf({ resolve }))).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});

test('resolves localhost to loopback without a DNS query', async () => {
  const resolve = openResolver();
  expect(await resolve('localhost')).toEqual(['127.0.0.1']);
  expect(await resolve('app.localhost')).toEqual(['127.0.0.1']);
});
