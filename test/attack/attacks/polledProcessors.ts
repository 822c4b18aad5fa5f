import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const MEMBERS = 14_000;
const LANES = 16;

let own: { readonly server: Server; readonly templateId: string } | null = null;
/** Runs of the attacker's own processor with long properties. It never has an answer, and tells all of them to ask again at the same moment. */
export const polledProcessors: Attack = {
  name: 'polled-processors',
  by: 'a user',
  until: ['poll'],
  prepare: async ({ url, key, count }) => {
    const waiting = new Set<ServerResponse>();
    const answerAll = (): void => {
      for (const response of waiting) response.writeHead(202, { location: '/job', 'retry-after': '0' }).end();
      waiting.clear();
    };
    const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
      if (request.method === 'GET') count('poll');
      request.resume();
      waiting.add(response);
      if (waiting.size >= LANES) answerAll();
    });
    const answering = setInterval(answerAll, 1_000);
    server.on('close', () => clearInterval(answering));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const limits = { concurrency: 64, timeoutMs: 600_000, attempts: 1 };
    const declaration = { name: 'polled', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes', limits };
    const content = { ...declaration, propertiesJsonSchema: { type: 'object' } };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: content });
    // Not in the order of canonical JSON.
    const properties = Object.fromEntries(Array.from({ length: MEMBERS }, (_, n) => [`${(n * 7_919) % 1_000_003}z`, n]));
    const template = { name: 'polled', processors: [{ id: 'own', processorDeclarationId: declared.id, properties }] };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    own = { server, templateId: body.id };
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, LANES, async () => {
      const query = `streamConfigurationTemplateId=${own?.templateId}`;
      const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body: 'x', signal });
      await answer.arrayBuffer();
      count(answer.status);
      // The runs poll meanwhile.
      await wait(20_000, undefined, { signal });
    }),
  check: ({ outcomes }) => {
    own?.server.closeAllConnections();
    own?.server.close();
    expect(outcomes.get('poll')).toBeGreaterThan(0);
  },
};
