import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const BASE = '/stream-configuration-service/api/v1';
const LANES = 6;
const PAUSE_MILLISECONDS = 100;
const [RUNS, FEW_RUNS] = [3_000, 200];

let hanging: { readonly server: Server; readonly templateId: string } | null = null;

/** Runs whose processor takes the request and never answers, as many as the server accepts, and reads of them. */
export const hangingRuns: Attack = {
  name: 'hanging-runs',
  by: 'a user',
  environment: { MAX_CONCURRENT_STREAMS: '3000' },
  prepare: async ({ url, key, headers, short }) => {
    const server = createServer((request) => void request.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = { name: 'hanging', url: address, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const { body: declared } = await call(url, `${BASE}/processor-declarations`, { method: 'PUT', key, body: own });
    const template = { name: 'hanging', processors: [{ id: 'own', processorDeclarationId: declared.id }] };
    const { body } = await call(url, `${BASE}/stream-configuration-templates`, { method: 'PUT', key, body: template });
    hanging = { server, templateId: body.id };
    let left = short ? FEW_RUNS : RUNS;
    let hung = 0;
    const one = async (): Promise<void> => {
      for (; left > 0; left -= 1) {
        if (await begun(url, headers)) hung += 1;
        else await wait(PAUSE_MILLISECONDS);
      }
    };
    await Promise.all(Array.from({ length: LANES }, one));
    expect(hung).toBeGreaterThan(0);
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, LANES, async (lane) => {
      if (lane % 2 === 0) {
        const isBegun = await begun(url, headers, signal);
        count(isBegun ? 'run begun' : 'run refused');
        if (!isBegun) await wait(PAUSE_MILLISECONDS);
        return;
      }
      const answer = await fetch(`${url}/stream-service/api/v1/streams?state=READY&size=100`, { headers, signal });
      await answer.arrayBuffer();
      count(`list ${answer.status}`);
    }),
  check: ({ outcomes }) => {
    hanging?.server.closeAllConnections();
    hanging?.server.close();
    const allowed = ['run begun', 'run refused', 'list 200', 'list 503'];
    expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
    expect(outcomes.get('list 200')).toBeGreaterThan(0);
  },
};

/** Whether a run has begun. Too many are 429. */
const begun = async (url: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean> => {
  const query = `streamConfigurationTemplateId=${hanging?.templateId}`;
  const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, {
    method: 'POST',
    headers,
    body: 'x',
    ...(signal && { signal }),
  });
  await answer.arrayBuffer();
  if (!answer.ok && answer.status !== 429 && answer.status !== 503) throw new Error(`a run was answered with ${answer.status}`);
  return answer.ok;
};
