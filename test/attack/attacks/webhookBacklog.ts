import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { PING_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const COUNT = 20;
const LANES = 4;
const PAUSE_MILLISECONDS = 200;

/** A port that refuses connections. */
export const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
};

/** Small uploads, each of which makes a hundred and more deliveries that wait for an origin that refuses them. */
export const webhookBacklog: Attack = {
  name: 'webhook-backlog',
  by: 'a user',
  prepare: async ({ url, headers }) => {
    const port = await closedPort();
    for (let n = 0; n < COUNT; n += 1) {
      const body = JSON.stringify({ url: `http://127.0.0.1:${port}/${n}`, events: ['*'] });
      await fetch(url + ENDPOINTS, { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body });
    }
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, LANES, async () => {
      const query = `streamConfigurationTemplateId=${PING_TEMPLATE}`;
      const answer = await fetch(`${url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers, body: 'x', signal });
      await answer.arrayBuffer();
      count(answer.status);
      if (!answer.ok) await wait(PAUSE_MILLISECONDS);
    }),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].filter((status) => status !== '200' && status !== '429')).toEqual([]);
  },
};
