import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

describe('webhooks over real HTTP', () => {
  let server: RunningServer;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    server = await startServer({
      environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_RETRY_BASE_MS: '50', WEBHOOK_RETRY_WINDOW_MS: '2000', WEBHOOK_TIMEOUT_MS: '1000' },
    });
  });
  afterAll(async () => {
    await server.kill();
    await receiver.close();
  });

  const createEndpoint = async (url: string, events: string[]) => {
    const { status, body } = await call(server.url, ENDPOINTS, { method: 'PUT', body: { url, events, enabled: true } });
    expect(status).toBe(200);
    return body;
  };

  it('tells a standard endpoint of all that happens to a stream, signed', async () => {
    const endpoint = await createEndpoint(receiver.url('/all'), ['*']);
    const { body: secret } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/secret`);
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    await streamEnd(server.url, stream.streamId);
    const expected = [
      'gateway.closed',
      'gateway.connected',
      'gateway.disconnected',
      'group.completed',
      'group.created',
      'group.stream-joined',
      'processor.completed',
      'processor.running',
      'stream.completed',
      'stream.ready',
    ];
    await eventually(() => expect(receiver.types('/all')).toEqual(expect.arrayContaining(expected)));
    for (const request of receiver.at('/all')) {
      const event = request.verified(secret.secret);
      expect(Object.keys(event)).toEqual(['id', 'type', 'webhookEndpointId', 'timestamp', 'payloadSchema', 'payload']);
      expect(event.webhookEndpointId).toBe(endpoint.id);
      expect(request.headers['webhook-id']).toBe(event.id);
      expect(request.headers['content-length']).toBe(String(Buffer.byteLength(request.body)));
    }
  });
});
