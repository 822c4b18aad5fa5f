import { expect } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Attack, repeat } from '../attack.ts';
import { uploads } from '../uploads.ts';
import { closedPort } from './webhookBacklog.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const COUNT = 20;
const [UPLOADS, FEW_UPLOADS] = [1_000, 100];

const endpoints: string[] = [];

/** Recoveries of all that twenty endpoints have missed, all at once and over and over. Their origin refuses every connection. */
export const recoveries: Attack = {
  name: 'recoveries',
  until: ['202'],
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    await uploads({ url, key }, short ? FEW_UPLOADS : UPLOADS);
    const port = await closedPort();
    for (let n = 0; n < COUNT; n += 1) {
      const { status, body } = await call(url, ENDPOINTS, {
        method: 'PUT',
        key,
        body: { url: `http://127.0.0.1:${port}/${n}`, events: ['*'] },
      });
      expect(status).toBeLessThan(300);
      endpoints.push(body.id);
    }
  },
  run: ({ url, headers, signal, count }) =>
    repeat(signal, COUNT, async (lane) => {
      const body = JSON.stringify({ since: '2020-01-01T00:00:00Z' });
      const json = { ...headers, 'content-type': 'application/json' };
      const answer = await fetch(`${url}${ENDPOINTS}/${endpoints[lane]}/recover`, { method: 'POST', headers: json, body, signal });
      await answer.arrayBuffer();
      count(answer.status);
    }),
  check: ({ outcomes }) => {
    const allowed = ['200', '202', '409', '429', '503'];
    expect([...outcomes.keys()].filter((status) => !allowed.includes(status))).toEqual([]);
    expect((outcomes.get('200') ?? 0) + (outcomes.get('202') ?? 0)).toBeGreaterThan(0);
  },
};
