import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const PAUSE_MILLISECONDS = 200;
const MEBIBYTE = 1_048_576;

/** Writes a piece repeatedly until its reader leaves. */
const endless = (response: ServerResponse, piece: string): void => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more).on('error', () => {});
  more();
};

/** Answers that are endless, one line without an end, nothing but values, many tiny outputs, or no answer in the protocol. */
const ANSWERS: readonly ((response: ServerResponse) => void)[] = [
  (response) => endless(response, `{"output":"${'QUFB'.repeat(5_000)}"}\n`),
  (response) => endless(response, 'x'.repeat(65_536)),
  (response) => endless(response, `{"progress":1,"more":[${'{},'.repeat(300_000)}{}]}\n`),
  (response) => endless(response, '{"output":"QQ=="}\n'.repeat(4_000)),
  (response) => endless(response, '{"progress":1}\n'.repeat(4_000)),
  (response) => endless(response, '\n'.repeat(65_536)),
  (response) => void response.writeHead(500, { 'content-type': 'text/html' }).end('<'.repeat(4 * MEBIBYTE)),
];

let hostile: { readonly server: Server; readonly templateId: string; runs: number } | null = null;

/** Uploads whose processor is the attacker's own server, which answers what costs most to read. */
export const hostileProcessors: Attack = {
  name: 'hostile-processors',
  by: 'a user',
  prepare: async ({ url, key }) => {
    const server = createServer((request, response) => {
      request.resume();
      if (hostile) ANSWERS[hostile.runs++ % ANSWERS.length]?.(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = { name: 'hostile', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: own });
    const processors = [{ id: 'own', processorDeclarationId: declared.id }];
    const template = { name: 'hostile', processors };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    hostile = { server, templateId: body.id, runs: 0 };
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, 4, async () => {
      const query = `streamConfigurationTemplateId=${hostile?.templateId}`;
      const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body: 'x', signal });
      await answer.arrayBuffer();
      count(answer.status);
      await wait(PAUSE_MILLISECONDS);
    }),
  check: ({ outcomes }) => {
    hostile?.server.closeAllConnections();
    hostile?.server.close();
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '429')).toEqual([]);
    expect(hostile?.runs).toBeGreaterThan(0);
  },
};
