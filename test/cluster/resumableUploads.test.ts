import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { call, PING_TEMPLATE } from '../e2e/client.ts';
import { chunk, creation, standing } from '../e2e/tus.ts';
import { eventually } from '../eventually.ts';
import { startCluster, TTL } from './node.ts';

vi.setConfig({ testTimeout: 40 * TTL });

const QUERY = `streamConfigurationTemplateId=${PING_TEMPLATE}&persist=true`;

test('a resumable upload continues on any node, also when the node that took it is dead', async () => {
  const cluster = await startCluster({ MAX_CONCURRENT_STREAMS: '1' });
  onTestFinished(() => cluster.stop());
  const [others, here, there] = await Promise.all([
    cluster.node('projections,policies,processors,delivery'),
    cluster.node('http'),
    cluster.node('http'),
  ]);
  // A user of its own: on named servers, streams of earlier tests may still run, and a dead node may still hold the read models.
  const credential = { kind: 'api-key', role: 'user', label: 'one place' };
  const { body: issued } = await call(here.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential });
  const headers = { authorization: `Basic ${issued.secret}` };
  const bytes = randomBytes(400_000);
  const created = await eventually(async () => {
    const answer = await creation(here.url, bytes.length, { query: QUERY, headers });
    return answer.status === 201 && answer;
  }, 10 * TTL);
  const [location, streamId] = [created.headers.get('location') ?? '', created.headers.get('tributary-stream-id') ?? ''];
  const send = async (url: string, from: number, to: number) => {
    const answer = await chunk(url, location, from, bytes.subarray(from, to), headers);
    return [answer.status, answer.headers.get('upload-offset')];
  };
  expect(await send(here.url, 0, 100_000)).toEqual([204, '100000']);
  expect((await standing(there.url, location, headers)).headers.get('upload-offset')).toBe('100000');
  expect(await send(there.url, 100_000, 200_000)).toEqual([204, '200000']);
  expect(await send(here.url, 200_000, 300_000)).toEqual([204, '300000']);
  await here.kill();
  await eventually(() => expect(others.log()).toContain('removed a dead node'), 10 * TTL);
  expect((await creation(there.url, 1, { query: QUERY, headers })).status).toBe(429);
  expect(await send(there.url, 300_000, 400_000)).toEqual([204, '400000']);
  const stream = () => call(there.url, `/stream-service/api/v1/streams/${streamId}`, { key: issued.secret });
  await eventually(async () => expect((await stream()).body.state).toBe('COMPLETED'));
});
