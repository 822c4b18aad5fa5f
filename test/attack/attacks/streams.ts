import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { call, PING_TEMPLATE, TEXT_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, json, repeat, send, type Target } from '../attack.ts';

const CONFIGURATION = '/stream-configuration-service/api/v1';
const UPLOAD = '/http-gateway/api/v1/upload';

/** An open WebSocket with a stream of its own. Rejects with the status of a refused handshake. */
const openSocket = ({ url, headers }: Target, query: Readonly<Record<string, string>> = {}): Promise<WebSocket> => {
  const parameters = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE, ...query });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws-gateway/api/v1?${parameters}`, { headers });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
  });
};

const MESSAGES = [Buffer.alloc(500_000, 'a'), Buffer.from('x')];

/** As many WebSockets as are allowed: they send large and tiny messages that are echoed, and read nothing. */
export const manySockets: Attack = {
  name: 'many-sockets',
  by: 'a user',
  allowed: ['open', '429', '503', 'closed 1000', 'closed 1006', 'closed 1008'],
  run: async (target) => {
    const sockets = new Map<number, WebSocket>();
    await repeat(target.signal, 100, async (lane) => {
      let socket = sockets.get(lane);
      if (socket?.readyState !== WebSocket.OPEN) {
        const opened = await openSocket(target).catch((error: Error) => error.message);
        if (typeof opened === 'string') {
          if (!target.signal.aborted) target.count(opened);
          return void (await wait(200));
        }
        socket = opened.once('close', (code) => target.count(`closed ${code}`));
        socket.pause();
        sockets.set(lane, socket);
        target.count('open');
      }
      const message = MESSAGES[lane % 2] ?? '';
      for (let n = 0; n < (lane % 2 === 0 ? 1 : 2_000) && socket.bufferedAmount < 2_097_152; n += 1) socket.send(message, { binary: true });
      await wait(20);
    });
    for (const socket of sockets.values()) socket.terminate();
  },
};

/** Uploads of one byte, eight at a time, each a stream of its own, in groups. */
export const manyStreams: Attack = {
  name: 'many-streams',
  by: 'a user',
  allowed: [200, 429, 503],
  run: (target) =>
    repeat(target.signal, 16, async () => {
      await send(target, `${UPLOAD}?streamConfigurationTemplateId=${PING_TEMPLATE}&persist=true&name=${'x'.repeat(200)}`, {
        method: 'POST',
        body: 'x',
      });
    }),
};

let hanging: { readonly server: Server; readonly templateId: string } | null = null;

/** Streams whose processor is the attacker's server, which never answers. */
export const hangingProcessors: Attack = {
  name: 'hanging-processors',
  by: 'a user',
  allowed: [200, 429, 503],
  prepare: async ({ url, key }) => {
    const { server, port } = await listening(() => {});
    const own = { name: 'hangs', url: `http://127.0.0.1:${port}`, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const { body: declared } = await call(url, `${CONFIGURATION}/processor-declarations`, { method: 'PUT', key, body: own });
    const template = { name: 'hangs', processors: [{ id: 'own', processorDeclarationId: declared.id }] };
    const { body } = await call(url, `${CONFIGURATION}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    hanging = { server, templateId: body.id };
  },
  run: (target) =>
    repeat(target.signal, 8, async () => {
      const path = `${UPLOAD}?streamConfigurationTemplateId=${hanging?.templateId}`;
      if ((await send(target, path, { method: 'POST', body: 'x' })) !== 200) await wait(200);
    }),
  end: () => {
    hanging?.server.closeAllConnections();
    hanging?.server.close();
  },
};

const listening = async (handle: () => void): Promise<{ server: Server; port: number }> => {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
};

const ENDPOINTS = 20;
let victim: { readonly server: Server; attempts: number; open: number; most: number } | null = null;

/** Twenty endpoints at an origin that fails, and uploads with large webhook bodies. */
export const amplifyingWebhooks: Attack = {
  name: 'amplifying-webhooks',
  by: 'a user',
  allowed: [200, 429, 503],
  prepare: async (target) => {
    const server = createServer((incoming, outgoing) => {
      if (!victim) return;
      victim.attempts += 1;
      victim.open += 1;
      victim.most = Math.max(victim.most, victim.open);
      outgoing.once('close', () => {
        if (victim) victim.open -= 1;
      });
      incoming.resume().on('end', () => outgoing.writeHead(500).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    victim = { server, attempts: 0, open: 0, most: 0 };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (let n = 0; n < ENDPOINTS; n += 1)
      await send(
        { ...target, count: () => {} },
        '/notification-service/api/v1/webhook-endpoints',
        json('PUT', { url: `${url}/${n}`, events: ['*'] }),
      );
  },
  run: (target) =>
    repeat(target.signal, 4, async () => {
      const form = new FormData();
      form.append('configuration', new Blob([JSON.stringify({ patches: { ask0: 'x'.repeat(40_000) } })], { type: 'application/json' }));
      form.append('file', new Blob(['Some text.'], { type: 'application/octet-stream' }), 'file');
      await send(target, `${UPLOAD}?streamConfigurationTemplateId=${TEXT_TEMPLATE}`, { method: 'POST', body: form });
    }),
  end: () => {
    if (!victim) throw new Error('there is no victim');
    victim.server.closeAllConnections();
    victim.server.close();
    // Ten at a time until five have failed, then one attempt in 30 s.
    expect(victim.attempts).toBeGreaterThan(0);
    expect(victim.attempts).toBeLessThan(30);
    expect(victim.most).toBeLessThanOrEqual(10);
  },
};
