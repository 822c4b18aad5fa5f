import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectProxy } from '../connectProxy.ts';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const DECLARATIONS = '/stream-configuration-service/api/v1/processor-declarations';

describe('webhooks and own processors behind WEBHOOK_PROXY_URL', () => {
  let proxy: ConnectProxy;
  let receiver: Receiver;
  let server: RunningServer;

  beforeAll(async () => {
    [proxy, receiver] = await Promise.all([ConnectProxy.start(), Receiver.start()]);
    server = await startServer({
      environment: { WEBHOOK_PROXY_URL: `http://user:p%40ss@127.0.0.1:${proxy.port}`, WEBHOOK_RETRY_BASE_MS: '50' },
    });
  });
  afterAll(async () => {
    await server.kill();
    await Promise.all([receiver.close(), proxy.close()]);
  });

  const CREDENTIALS = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  const portOf = (url: string): string => new URL(url).port;
  const put = (url: string) => call(server.url, ENDPOINTS, { method: 'PUT', body: { url, events: ['stream.ready'] } });

  it('says at the start that names and literal addresses are checked as text only', () => {
    expect(server.log() + server.output()).toContain('only names and literal addresses are checked here');
    expect(server.log() + server.output()).not.toContain('p%40ss');
  });

  it('go through a tunnel of the proxy, which resolves their names', async () => {
    const url = `http://receiver.example.com:${portOf(receiver.url('/'))}/named`;
    const { body: endpoint } = await put(url);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    await eventually(() => receiver.at('/named').length === 1);
    const [received] = receiver.at('/named');
    expect(received?.headers.host).toBe(new URL(url).host);
    expect(received?.headers['proxy-authorization']).toBeUndefined();
    expect(proxy.tunnels).toContain(`${new URL(url).host} ${CREDENTIALS}`);
    expect(proxy.userAgents[0]).toMatch(/^Tributary\/\d/);
    await call(server.url, `${ENDPOINTS}/${endpoint.id}`, { method: 'DELETE' });
  });

  it('include the requests to own processors', async () => {
    receiver.answer('/processor', (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('done'));
    const url = `http://processor.example.com:${portOf(receiver.url('/'))}/processor`;
    const body = { name: 'mine', url, mode: 'batch', inputSchema: 'string', outputSchema: 'string' };
    const declared = await call(server.url, DECLARATIONS, { method: 'PUT', body });
    const tried = await call(server.url, `${DECLARATIONS}/${declared.body.id}/test`, { method: 'POST', body: { input: 'hi' } });
    expect(tried.body).toMatchObject({ output: 'done' });
    expect(proxy.tunnels).toContain(`${new URL(url).host} ${CREDENTIALS}`);
  });

  it('are still refused at local names and private addresses', async () => {
    for (const url of ['http://127.0.0.1:9/', 'http://10.0.0.1/', 'http://localhost/', 'http://[::1]/', 'http://intranet/'])
      expect([url, (await put(url)).status]).toEqual([url, 400]);
  });

  it('fail with a reason of their own if the proxy opens no tunnel, and are retried', async () => {
    proxy.status = 403;
    const { body: endpoint } = await put(`http://another.example.com:${portOf(receiver.url('/'))}/refused`);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    const list = `${ENDPOINTS}/${endpoint.id}/deliveries`;
    const attempts = await eventually(async () => {
      const [delivery] = (await call(server.url, list)).body.content;
      return delivery?.attempts.length > 0 && delivery.attempts;
    });
    expect(attempts[0]).toMatchObject({ status: null, outcome: 'failed', reason: 'refused by the proxy' });
    proxy.status = 200;
    await eventually(() => receiver.at('/refused').length === 1);
  });
});
