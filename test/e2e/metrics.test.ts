import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { lintMetrics, type MetricFamily, parseMetrics, valueIn } from '../promText.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

let server: RunningServer;
let receiver: Receiver;

/** From all processes of the server, because each shows only its own work. */
const scraped = async (): Promise<MetricFamily[]> => {
  const families = new Map<string, MetricFamily>();
  for (const url of server.nodes)
    for (const family of parseMetrics((await call(url, '/metrics', { key: null })).text)) {
      const known = families.get(family.name);
      families.set(family.name, known ? { ...known, samples: [...known.samples, ...family.samples] } : family);
    }
  return [...families.values()];
};
const own = (families: readonly MetricFamily[]) => families.filter(({ name }) => name.startsWith('tributary_'));

beforeAll(async () => {
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  receiver = await Receiver.start();
  const url = receiver.url('/hook');
  const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', 'webhook.stream.completed': url };
  const { body } = await upload(server.url, query, 'x'.repeat(1_000));
  await streamEnd(server.url, body.streamId);
  await eventually(() => receiver.received.length > 0);
  await call(server.url, '/nothing/here', { key: null });
  await call(server.url, `/stream-service/api/v1/streams/${body.streamId}`);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

describe('/metrics', () => {
  test('is open on loopback, in the text format', async () => {
    const { status, headers } = await call(server.url, '/metrics', { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  test.each([{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }])(
    'needs a credential if a proxy on the same machine forwards the request: %o',
    async (headers) => {
      expect((await call(server.url, '/metrics', { key: null, headers })).status).toBe(401);
      expect((await call(server.url, '/metrics', { headers })).status).toBe(200);
    },
  );

  test('follows the conventions for names, units, types and help', async () => {
    const families = await scraped();
    expect(own(families).length).toBeGreaterThan(25);
    expect(lintMetrics(families)).toEqual([]);
  });

  test('changes with requests, runs and deliveries', async () => {
    const metrics = await eventually(async () => {
      const now = await scraped();
      return valueIn(now, 'tributary_delivery_attempts_total', { outcome: 'delivered' }) > 0 && now;
    });
    const value = (name: string, labels?: Record<string, string>) => valueIn(metrics, `tributary_${name}`, labels);
    expect(value('upload_bytes_total')).toBe(1_000);
    expect(value('uploads_total', { outcome: 'completed' })).toBe(1);
    expect(value('stream_transitions_total', { state: 'READY' })).toBe(1);
    expect(value('stream_transitions_total', { state: 'COMPLETED' })).toBe(1);
    expect(value('events_appended_total', { type: 'StreamCreated' })).toBe(1);
    expect(value('append_duration_seconds_count')).toBeGreaterThan(3);
    expect(value('processor_run_duration_seconds_count', { operation: 'NO_OPERATION', outcome: 'completed' })).toBe(1);
    expect(value('delivery_attempt_duration_seconds_count')).toBe(1);
    expect(value('http_requests_total', { route: '/http-gateway/api/v1/upload', method: 'POST', status: '2xx' })).toBe(1);
    expect(value('http_requests_total', { route: 'unmatched', method: 'GET', status: '4xx' })).toBe(1);
    expect(value('http_requests_in_flight')).toBe(server.nodes.length);
    expect(value('uploads_open')).toBe(0);
    for (const store of ['eventLog', 'documents', 'vault', 'topics']) expect(value('store_up', { store })).toBe(server.nodes.length);
    expect(value('projection_state', { projection: 'streams', state: 'live' })).toBe(1);
    expect(value('leases_held', { kind: 'delivery' })).toBeGreaterThan(1);
    expect(value('node_role')).toBe(5);
    expect(value('disk_low')).toBe(0);
    expect(value('event_streams_damaged')).toBe(0);
    expect(valueIn(metrics, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(valueIn(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  test('shows every consumer at the head of the log with nothing pending', async () => {
    await eventually(async () => {
      const metrics = await scraped();
      for (const consumer of ['openStreams', 'groups']) {
        expect([consumer, valueIn(metrics, 'tributary_consumer_lag_seconds', { consumer })]).toEqual([consumer, 0]);
        expect(valueIn(metrics, 'tributary_consumer_events_total', { consumer })).toBeGreaterThan(0);
      }
      return true;
    });
  });

  test('gets no new series from unknown paths and callers', async () => {
    const seriesOf = (families: readonly MetricFamily[]) => own(families).flatMap(({ samples }) => samples).length;
    const ask = async (path: string, method = 'GET') => call(server.url, path, { method, key: null });
    await ask('/nothing/1');
    await ask('/stream-service/api/v1/streams/1');
    await ask('/nothing/1', 'PURGE');
    const before = seriesOf(await scraped());
    for (let n = 0; n < 20; n++) {
      await ask(`/nothing/${n}/x${n}`);
      await ask(`/stream-service/api/v1/streams/00000000-0000-4000-8000-0000000000${10 + n}`);
      await ask('/nothing', 'MKCOL');
    }
    expect(seriesOf(await scraped())).toBe(before);
  });

  test('has every metric that the dashboard and the alert rules query', async () => {
    const names = new Set((await scraped()).flatMap(({ name, samples }) => [name, ...samples.map((sample) => sample.name)]));
    for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
      const text = readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8');
      const asked = [...new Set(text.match(/\b(?:tributary|nodejs|process)_[a-z0-9_]+/g))];
      expect(asked.length).toBeGreaterThan(8);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
    }
  });
});

test('is for admins and auditors on an address that others can reach', async () => {
  const open = await startServer({ environment: { HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1' } });
  const url = open.url.replace('localhost', '127.0.0.1');
  expect((await call(url, '/metrics', { key: null })).status).toBe(401);
  expect((await call(url, '/metrics')).status).toBe(200);
  const credential = async (role: string) => {
    const body = { kind: 'api-key', label: role, role };
    return (await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
  };
  expect((await call(url, '/metrics', { key: await credential('auditor') })).status).toBe(200);
  expect((await call(url, '/metrics', { key: await credential('user') })).status).toBe(403);
});

test('a node shows the metrics of its roles', async () => {
  const node = await startServer({ environment: { ROLES: 'http,projections,policies' } });
  const shown = parseMetrics((await call(node.url, '/metrics', { key: null })).text).map(({ name }) => name.replace('tributary_', ''));
  expect(shown).toEqual(expect.arrayContaining(['projection_lag_events', 'consumer_lag_seconds', 'uploads_open', 'store_up']));
  for (const name of ['deliveries_pending', 'delivery_windows_open', 'processor_queue', 'processor_runs_active'])
    expect(shown).not.toContain(name);
});
