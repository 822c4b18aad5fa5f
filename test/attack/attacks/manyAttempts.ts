import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const STREAMS = '/stream-service/api/v1/streams';
const MEMBERS = 300;

let streamId = '';
const groupId = randomUUID();

/** Requests that lengthen what one resource keeps, or read it: reruns of one stream, one large group, idempotency keys, bulk reruns, timelines. */
const asks = ({ url, headers }: Target): readonly ((signal: AbortSignal) => Promise<Response>)[] => {
  const json = { ...headers, 'content-type': 'application/json' };
  const post = (path: string, body: object) => (signal: AbortSignal) =>
    fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body), signal });
  const get = (path: string) => (signal: AbortSignal) => fetch(url + path, { headers, signal });
  const uploadPath = `${url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}`;
  return [
    post(`${STREAMS}/${streamId}/rerun`, { reason: 'again' }),
    get(`${STREAMS}/${streamId}/attempts`),
    get(`${STREAMS}/${streamId}/events`),
    post(`${STREAMS}/rerun`, { filter: { state: 'COMPLETED' }, reason: 'all of them' }),
    post(`${STREAMS}/rerun`, { filter: { state: 'COMPLETED' }, dryRun: true }),
    get(`/stream-service/api/v1/groups/${groupId}`),
    (signal) => fetch(`${uploadPath}&groupId=${groupId}`, { method: 'POST', headers, body: 'x', signal }),
    (signal) => fetch(uploadPath, { method: 'POST', headers: { ...headers, 'idempotency-key': randomUUID() }, body: 'x', signal }),
  ];
};

/** One stream with very many attempts, one group with very many members, and very many idempotency keys. */
export const manyAttempts: Attack = {
  name: 'many-attempts',
  by: 'a user',
  prepare: async ({ url, key, short }) => {
    for (let n = 0; n < (short ? MEMBERS / 3 : MEMBERS); n += 1) {
      const { body } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, groupId }, 'x', { key });
      streamId = body.streamId;
    }
  },
  run: (target) => {
    const requests = asks(target);
    return repeat(target.signal, 2 * requests.length, async (lane) => {
      const answer = await requests[lane % requests.length]?.(target.signal);
      await answer?.arrayBuffer();
      target.count(`${lane % requests.length} ${answer?.status}`);
    });
  },
  check: ({ outcomes }) => {
    const allowed = [200, 202, 409, 429];
    expect([...outcomes.keys()].filter((outcome) => !allowed.includes(Number(outcome.split(' ')[1])))).toEqual([]);
    expect(outcomes.get('1 200')).toBeGreaterThan(0);
  },
};
