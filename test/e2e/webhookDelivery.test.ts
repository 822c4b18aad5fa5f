import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { slowUpload } from './live.ts';
import { type RunningServer, startServer } from './server.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

describe('webhooks over real HTTP', () => {
  let server: RunningServer;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    server = await startServer({
      environment: {
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        WEBHOOK_RETRY_BASE_MS: '50',
        WEBHOOK_HOLD_S: '1',
        WEBHOOK_RETRY_WINDOW_MS: '2000',
        WEBHOOK_TIMEOUT_MS: '1000',
      },
    });
  });
  afterAll(async () => {
    await server.kill();
    await receiver.close();
  });

  const createEndpoint = async (url: string, events: string[], more: object = {}) => {
    const { status, body } = await call(server.url, ENDPOINTS, { method: 'PUT', body: { url, events, enabled: true, ...more } });
    expect(status).toBe(200);
    return body;
  };

  it('sends a standard endpoint all events of a stream, signed', async () => {
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

  it('shows the result of each delivery, and resends or recovers it on request', async () => {
    receiver.answer('/shown', (_, response) => response.writeHead(418).end('I am a teapot'));
    const endpoint = await createEndpoint(receiver.url('/shown'), ['stream.ready']);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    const list = `${ENDPOINTS}/${endpoint.id}/deliveries`;
    const [exhausted] = await eventually(async () => {
      const { body } = await call(server.url, `${list}?state=exhausted`);
      return body.totalElements === 1 && body.content;
    });
    expect(exhausted).toMatchObject({ type: 'stream.ready', sequence: 1, state: 'exhausted', nextAttempt: null });
    expect(exhausted.attempts[0]).toMatchObject({ attempt: 1, status: 418, outcome: 'failed', response: 'I am a teapot' });
    expect(exhausted.attempts.at(-1)).toMatchObject({ outcome: 'exhausted' });

    receiver.answerStatus('/shown', 204);
    expect((await call(server.url, `${list}/${exhausted.deliveryId}/resend`, { method: 'POST' })).status).toBe(202);
    await eventually(async () => (await call(server.url, `${list}?state=delivered`)).body.totalElements === 1);
    const recovered = await call(server.url, `${ENDPOINTS}/${endpoint.id}/recover`, {
      method: 'POST',
      body: { since: '2020-01-01T00:00:00Z' },
    });
    expect(recovered).toMatchObject({ status: 202, body: { scheduled: 1 } });
    const again = await call(server.url, `${ENDPOINTS}/${endpoint.id}/recover`, {
      method: 'POST',
      body: { since: '2020-01-01T00:00:00Z' },
    });
    expect(again.body).toEqual({ scheduled: 0 });
    const ping = await call(server.url, `${ENDPOINTS}/${endpoint.id}/test`, { method: 'POST' });
    expect(ping.status).toBe(202);
    await eventually(() => receiver.types('/shown').includes('ping'));
    expect((await call(server.url, `${list}?state=nonsense`)).status).toBe(400);
    expect((await call(server.url, `${ENDPOINTS}/${crypto.randomUUID()}/deliveries`)).status).toBe(404);
  });

  it('shows the health of an endpoint, lists endpoints by it, and sends a held delivery at once on request', async () => {
    receiver.answerStatus('/ill', 500);
    // Long enough for five failures, on a busy machine too.
    const endpoint = await createEndpoint(receiver.url('/ill'), ['stream.ready'], { retryWindow: 3_600 });
    expect(endpoint.health).toMatchObject({ state: 'unknown', lastFailure: null });
    const health = async () => (await call(server.url, `${ENDPOINTS}/${endpoint.id}`)).body.health;
    const listed = async (query: string): Promise<string[]> =>
      (await call(server.url, `${ENDPOINTS}?${query}`)).body.map(({ id }: { id: string }) => id);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    const held = await eventually(async () => {
      const now = await health();
      return now.state === 'held' && now;
    });
    expect(held).toMatchObject({ lastSuccess: null, lastFailure: expect.any(String), since: expect.any(String), reason: 'status 500' });
    for (const query of ['health=held', 'health=failing,held&subject=*']) expect(await listed(query)).toContain(endpoint.id);
    for (const query of ['health=healthy', 'health=failing&subject=*']) expect(await listed(query)).not.toContain(endpoint.id);

    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    const list = `${ENDPOINTS}/${endpoint.id}/deliveries`;
    const pending = await eventually(async () => (await call(server.url, `${list}?state=pending`)).body.content[0]);
    expect((await health()).nextProbe).toEqual(expect.any(String));
    receiver.answerStatus('/ill', 204);
    const sendNow = (id: string) => call(server.url, `${list}/${id}/send-now`, { method: 'POST' });
    expect((await sendNow(pending.deliveryId)).status).toBe(202);
    await eventually(async () => (await call(server.url, `${list}?state=delivered&eventId=${pending.eventId}`)).body.totalElements === 1);
    await eventually(async () => expect(await health()).toMatchObject({ state: 'healthy', reason: null, nextProbe: null }));
    expect((await sendNow(pending.deliveryId)).status).toBe(409);
    expect((await sendNow(crypto.randomUUID())).status).toBe(404);
  });

  it('lists deliveries by the status class of their last attempt and by time', async () => {
    const list = async (endpoint: { id: string }, query: string): Promise<string[]> => {
      const { status, body } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/deliveries?${query}`);
      expect(status).toBe(200);
      return body.content.map(({ attempts }: { attempts: { status: number | null }[] }) => String(attempts.at(-1)?.status ?? 'none'));
    };
    receiver.answerStatus('/classes', 404);
    const endpoint = await createEndpoint(receiver.url('/classes'), ['stream.ready']);
    const before = new Date().toISOString();
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'refused');
    await eventually(async () => expect(await list(endpoint, 'statusClass=4xx')).toEqual(['404']));
    expect(await list(endpoint, 'statusClass=2xx')).toEqual([]);
    receiver.answerStatus('/classes', 204);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'taken');
    await eventually(async () => expect(await list(endpoint, `statusClass=2xx&since=${before}`)).toContain('204'));
    expect(await list(endpoint, 'statusClass=none')).toEqual([]);
    expect(await list(endpoint, `until=${before}`)).toEqual([]);
    expect(await list(endpoint, `since=${before}&until=2100-01-01T00:00:00Z&size=100`)).not.toEqual([]);

    const silent = await createEndpoint('http://127.0.0.1:1/', ['stream.ready']);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'unheard');
    await eventually(async () => expect(await list(silent, 'statusClass=none')).toEqual(['none']));
    const wrong = await call(server.url, `${ENDPOINTS}/${endpoint.id}/deliveries?since=yesterday`);
    expect(wrong).toMatchObject({ status: 400, body: { message: expect.stringContaining('since') } });
    expect((await call(server.url, `${ENDPOINTS}/${endpoint.id}/deliveries?statusClass=6xx`)).status).toBe(400);
  });

  it('lists deliveries newest first, also those of one event or one recovery', async () => {
    const listening = await createEndpoint(receiver.url('/ordered'), ['*']);
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    await streamEnd(server.url, stream.streamId);
    const late = await createEndpoint(receiver.url('/recovered'), ['*']);
    const sequences = async (id: string): Promise<number[]> => {
      const { body } = await call(server.url, `${ENDPOINTS}/${id}/deliveries?size=100`);
      return body.content.map(({ sequence }: { sequence: number }) => sequence);
    };
    const told = await eventually(async () => {
      const found = await sequences(listening.id);
      return found.length >= 10 && found;
    });
    expect(told).toEqual(told.toSorted((a, b) => b - a));
    const body = { since: '2020-01-01T00:00:00Z' };
    const { scheduled } = (await call(server.url, `${ENDPOINTS}/${late.id}/recover`, { method: 'POST', body })).body;
    expect(scheduled).toBeGreaterThanOrEqual(10);
    const recovered = await eventually(async () => {
      const found = await sequences(late.id);
      return found.length >= Math.min(scheduled, 100) && found;
    });
    expect(recovered).toEqual(recovered.toSorted((a, b) => b - a));
  });

  it('sends headers of its own with events that pass the filter of an endpoint', async () => {
    const settings = { headers: { Authorization: 'Bearer abc' }, filter: { 'payload.stream.labels': 'sales' } };
    const body = { url: receiver.url('/filtered'), events: ['stream.ready'], ...settings };
    expect((await call(server.url, ENDPOINTS, { method: 'PUT', body })).body).toMatchObject({ headers: { Authorization: '***' } });
    await createEndpoint(receiver.url('/unfiltered'), ['stream.ready']);
    for (const label of ['other', 'sales']) await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, label }, 'hello');
    await eventually(() => receiver.at('/unfiltered').length === 2 && receiver.at('/filtered').length === 1);
    const [received] = receiver.at('/filtered');
    expect(received?.headers.authorization).toBe('Bearer abc');
    expect(received?.event.payload.stream.labels).toEqual(['sales']);
  });

  it('signs with the old and the new secret after a rotation', async () => {
    const endpoint = await createEndpoint(receiver.url('/rotated'), ['stream.ready']);
    const { body: before } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/secret`);
    const { body: after } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/secret/rotate`, { method: 'POST' });
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
    const [request] = await eventually(() => receiver.at('/rotated').length > 0 && receiver.at('/rotated'));
    expect(() => request?.verified(before.secret)).not.toThrow();
    expect(() => request?.verified(after.secret)).not.toThrow();
  });

  it("shows the deliveries of a stream's dynamic webhooks with their URL", async () => {
    const url = receiver.url('/dynamic');
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, 'webhook.stream': url }, 'hello');
    const path = `${ENDPOINTS}/dynamic/${stream.streamId}/deliveries`;
    const { body: page } = await eventually(async () => {
      const answer = await call(server.url, `${path}?state=delivered`);
      return answer.body.totalElements === 2 && answer;
    });
    expect(page.content.map((row: { type: string }) => row.type).sort()).toEqual(['stream.completed', 'stream.ready']);
    expect(page.content[0].url).toBe(url);
    const { body: account } = await call(server.url, `${ENDPOINTS}/account-secret`);
    for (const request of receiver.at('/dynamic')) expect(() => request.verified(account.secret)).not.toThrow();
  });

  it('announces the group of a lone stream once, and again for each stream that joins it', async () => {
    const endpoint = await createEndpoint(receiver.url('/groups'), ['group.*']);
    const sent = async (count: number) => {
      const list = `${ENDPOINTS}/${endpoint.id}/deliveries?state=delivered`;
      const content = await eventually(async () => {
        const { body } = await call(server.url, list);
        return body.totalElements === count && body.content;
      });
      const inOrder = [...content].sort((a, b) => a.sequence - b.sequence);
      for (const { groupId, streamId } of inOrder) expect({ groupId, streamId }).toEqual({ groupId: first.streamId, streamId: null });
      return inOrder.map(({ type }) => type);
    };
    const groupNow = async () => (await call(server.url, `/stream-service/api/v1/groups/${first.streamId}`)).body;
    const parameters = { streamConfigurationTemplateId: PING_TEMPLATE };
    const { body: first } = await upload(server.url, parameters, 'hello');
    expect(await groupNow()).toMatchObject({ groupId: first.streamId, creatorId: first.creatorId, streamsCount: 1 });
    await streamEnd(server.url, first.streamId);
    const ofFirst = ['group.created', 'group.stream-joined', 'group.completed'];
    expect(await sent(3)).toEqual(ofFirst);
    expect(await groupNow()).toMatchObject({ state: 'COMPLETED', finalizedTimestamp: expect.any(String) });

    const { status, body: second } = await upload(server.url, { ...parameters, groupId: first.streamId }, 'hello again');
    expect([status, second.groupId]).toEqual([200, first.streamId]);
    expect(await groupNow()).toMatchObject({ streamsCount: 2 });
    await streamEnd(server.url, second.streamId);
    expect(await sent(5)).toEqual([...ofFirst, 'group.stream-joined', 'group.completed']);
    expect(await groupNow()).toMatchObject({ state: 'COMPLETED', streamsCount: 2 });
  });

  it('shows in a list what a webhook has said, as soon as the webhook arrives', async () => {
    const listed: boolean[] = [];
    receiver.answer('/lists', async ({ event }, response) => {
      // The server may end before it has answered.
      const answer = await call(server.url, '/stream-service/api/v1/streams?state=READY').catch(() => null);
      if (answer === null) return void response.destroy();
      const { body } = answer;
      listed.push(body.content.some(({ streamId }: { streamId: string }) => streamId === event.payload.streamId));
      response.writeHead(204).end();
    });
    await createEndpoint(receiver.url('/lists'), ['stream.ready']);
    for (let n = 1; n <= 5; n += 1) {
      // Its upload has not been answered, so only the events of the stream can make the list wait.
      const sending = slowUpload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE });
      sending.send('hello');
      await eventually(() => expect(listed).toHaveLength(n));
      sending.end();
      await sending.answered;
    }
    expect(listed).toEqual([true, true, true, true, true]);
  });
});
