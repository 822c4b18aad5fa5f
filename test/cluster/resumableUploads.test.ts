import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PING_TEMPLATE, streamEnd } from '../e2e/client.ts';
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
  const bytes = randomBytes(400_000);
  const created = await creation(here.url, bytes.length, { query: QUERY });
  const [location, streamId] = [created.headers.get('location') ?? '', created.headers.get('tributary-stream-id') ?? ''];
  const send = async (url: string, from: number, to: number) => {
    const { status, headers } = await chunk(url, location, from, bytes.subarray(from, to));
    return [status, headers.get('upload-offset')];
  };
  expect(await send(here.url, 0, 100_000)).toEqual([204, '100000']);
  expect((await standing(there.url, location)).headers.get('upload-offset')).toBe('100000');
  expect(await send(there.url, 100_000, 200_000)).toEqual([204, '200000']);
  expect(await send(here.url, 200_000, 300_000)).toEqual([204, '300000']);
  await here.kill();
  await eventually(() => expect(others.log()).toContain('removed a dead node'), 10 * TTL);
  expect((await creation(there.url, 1, { query: QUERY })).status).toBe(429);
  expect(await send(there.url, 300_000, 400_000)).toEqual([204, '400000']);
  expect((await streamEnd(there.url, streamId)).state).toBe('COMPLETED');
});
