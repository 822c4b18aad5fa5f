import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const LANES = 4;
/** The attacker's own limit of running streams. */
const PAUSE_MILLISECONDS = 200;

let hanging: { readonly server: Server; readonly templateId: string; runs: number } | null = null;

/** Streams whose processor is the attacker's server, which never answers: each holds a batch slot until its time is up. */
export const batchSlots: Attack = {
  name: 'batch-slots',
  by: 'a user',
  prepare: async ({ url, key }) => {
    const server = createServer(() => {
      if (hanging) hanging.runs += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = { name: 'hangs', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: own });
    const processors = [{ id: 'own', processorDeclarationId: declared.id }];
    const template = { name: 'hangs', processors };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    hanging = { server, templateId: body.id, runs: 0 };
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, LANES, async () => {
      const query = `streamConfigurationTemplateId=${hanging?.templateId}`;
      const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body: 'x', signal });
      await answer.arrayBuffer();
      count(answer.status);
      if (!answer.ok) await wait(PAUSE_MILLISECONDS);
    }),
  check: ({ outcomes }) => {
    hanging?.server.closeAllConnections();
    hanging?.server.close();
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '429')).toEqual([]);
    expect(hanging?.runs).toBeGreaterThan(0);
  },
};
