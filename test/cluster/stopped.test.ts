import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../e2e/client.ts';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { startCluster, type TestCluster, TTL } from './node.ts';

vi.setConfig({ testTimeout: 40 * TTL, hookTimeout: 40 * TTL });

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startCluster({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '600000' });
});
afterAll(() => cluster.stop());

test('a node that stops records what a receiver answers meanwhile, and ends at once', async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  const [front, deliverer] = await Promise.all([cluster.node('http,projections,policies,processors'), cluster.node('delivery')]);
  let answer = (): void => undefined;
  receiver.answer('/slow', (_, response) => {
    answer = () => response.writeHead(418).end('I am a teapot');
  });
  await eventually(async () => {
    const { body: leases } = await call(front.url, '/operations-service/api/v1/leases');
    expect(leases.filter(({ name }: { name: string }) => name.startsWith('delivery/'))).toHaveLength(16);
    return true;
  });
  const endpoint = { url: receiver.url('/slow'), events: ['stream.completed'] };
  const { body: made } = await call(front.url, ENDPOINTS, { method: 'PUT', body: endpoint });
  const { body } = await upload(front.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'bytes');
  await streamEnd(front.url, body.streamId);
  await eventually(() => receiver.at('/slow').length === 1);
  const stopped = deliverer.stop();
  // No connection any more: the node drains.
  await eventually(async () => (await call(deliverer.url, '/health/live', { key: null }).catch(() => null)) === null);
  const answered = performance.now();
  answer();
  expect(await stopped).toBe(0);
  expect(performance.now() - answered).toBeLessThan(8_000);
  await eventually(async () => {
    const { body: found } = await call(front.url, `${ENDPOINTS}/${made.id}/deliveries`);
    expect(found.content[0].attempts).toEqual([expect.objectContaining({ status: 418, response: 'I am a teapot' })]);
    return true;
  });
});
