import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { eventually } from '../../eventually.ts';
import { type Attack, repeat } from '../attack.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const COUNT = 20;
const MEBIBYTE = 1_048_576;
/** Approximate size of a body: one more may be in flight. */
const BODY_BYTES = 100_000;

let victim: { readonly server: Server; readonly port: number; bytes: number; began: number } | null = null;

const startVictim = async (): Promise<NonNullable<typeof victim>> => {
  const server = createServer((incoming, outgoing) => {
    incoming.on('data', (chunk: Buffer) => {
      if (victim) victim.bytes += chunk.byteLength;
    });
    incoming.on('end', () => outgoing.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, bytes: 0, began: performance.now() };
};

/** Twenty endpoints at an origin that never asked for webhooks, and uploads with large webhook bodies. */
export const webhookAmplification: Attack = {
  name: 'webhook-amplification',
  by: 'a user',
  prepare: async ({ url, headers }) => {
    victim = await startVictim();
    for (let n = 0; n < COUNT; n += 1) {
      const body = JSON.stringify({ url: `http://127.0.0.1:${victim.port}/${n}`, events: ['*'] });
      await fetch(url + ENDPOINTS, { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body });
    }
    victim.began = performance.now();
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, 2, async () => {
      const form = new FormData();
      form.append('configuration', new Blob([JSON.stringify({ patches: { ask0: 'x'.repeat(60_000) } })], { type: 'application/json' }));
      form.append('file', new Blob(['Some text.'], { type: 'application/octet-stream' }), 'file');
      const target = `${url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}`;
      const answer = await fetch(target, { method: 'POST', headers, body: form, signal });
      await answer.arrayBuffer();
      count(answer.status);
    }),
  check: async () => {
    if (!victim) throw new Error('there is no victim');
    await eventually(() => expect(victim?.bytes).toBeGreaterThan(0), 20_000);
    const { server, bytes, began } = victim;
    const seconds = (performance.now() - began) / 1_000;
    server.closeAllConnections();
    server.close();
    expect(bytes).toBeLessThanOrEqual(seconds * MEBIBYTE + 2 * BODY_BYTES);
  },
};
