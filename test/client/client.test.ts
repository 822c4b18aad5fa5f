import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type SinkMessage, type Stream, Tributary, TributaryError, verifyWebhook } from '#client';
import { PING_TEMPLATE, TEXT_TEMPLATE } from '../e2e/client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';

const TEXT = 'The food was wonderful. The waiter was rude. We will come again.';

const collected = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('the typed client', () => {
  let server: RunningServer;
  let tributary: Tributary;

  beforeAll(async () => {
    server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
    tributary = new Tributary({ url: `${server.url}/`, credential: { apiKey: ADMIN_KEY } });
  });
  afterAll(() => server.kill());

  /** A client whose requests are recorded, and may get other answers. */
  const watched = (
    credential: ConstructorParameters<typeof Tributary>[0]['credential'],
    around: (path: string, go: () => Promise<Response>) => Promise<Response>,
  ) => {
    const asked: string[] = [];
    const fetcher: typeof fetch = (input, init) => {
      const path = new URL(input instanceof Request ? input.url : String(input)).pathname;
      asked.push(path);
      return around(path, () => fetch(input, init));
    };
    return { client: new Tributary({ url: server.url, credential, fetch: fetcher }), asked };
  };

  test('matches the current API document; npm run client generates it', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a script, which has no declarations
    const { fingerprintOf }: any = await import('../../scripts/apiFingerprint.mjs' as string);
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    const [, made] = /API document (\w+)/.exec(readFileSync('clients/typescript/src/generated/openapi.ts', 'utf8')) ?? [];
    expect(made, 'clients/typescript is stale: npm run client').toBe(fingerprintOf(document));
  });

  describe('uploads', () => {
    const bytes = Buffer.alloc(300_000, 'abc');
    const bodies = {
      text: () => bytes.toString(),
      bytes: () => new Uint8Array(bytes),
      'a Blob': () => new Blob([bytes]),
      'a stream': () => new Blob([bytes]).stream(),
      'a file that is read': () => {
        const file = join(temporaryDirectory(), 'file');
        writeFileSync(file, bytes);
        return createReadStream(file);
      },
    };

    test.each(Object.entries(bodies))('send %s, with progress', async (_name, body) => {
      const progress: number[] = [];
      const stream = await tributary.upload({
        template: PING_TEMPLATE,
        body: body(),
        persist: true,
        onProgress: ({ sent }) => progress.push(sent),
      });
      expect(progress.at(-1)).toBe(bytes.length);
      expect(progress.length).toBeGreaterThan(2);
      await tributary.whenEnded(stream.streamId);
      const { data } = await tributary.http.GET('/usage-service/api/v1/usage/streams/{streamId}', {
        params: { path: { streamId: stream.streamId } },
      });
      expect(data?.processors[0]?.ingressSize).toBe(bytes.length);
    });

    test('are resumed after a cut connection, with progress that never goes back', async () => {
      let cuts = 2;
      const { client, asked } = watched({ apiKey: ADMIN_KEY }, async (path, go) => {
        const answer = await go();
        if (/\/tus\/.+/.test(path) && cuts > 0) {
          cuts -= 1;
          throw new TypeError('cut');
        }
        return answer;
      });
      const progress: number[] = [];
      const onProgress = ({ sent }: { sent: number }) => progress.push(sent);
      const body = new Blob([bytes]);
      const stream = await client.upload({ template: PING_TEMPLATE, body, name: 'Long', resumable: true, persist: true, onProgress });
      expect(stream.name).toBe('Long');
      expect([progress.at(-1), progress.toSorted((a, b) => a - b)]).toEqual([bytes.length, progress]);
      expect(asked.filter((path) => path.endsWith('/tus'))).toHaveLength(1);
      expect((await client.whenEnded(stream.streamId)).state).toBe('COMPLETED');
    });

    test('are continued by another process under one idempotency key', async () => {
      const settings = { template: PING_TEMPLATE, body: TEXT, resumable: true, persist: true, idempotencyKey: crypto.randomUUID() };
      const leaving = new AbortController();
      const { client } = watched({ apiKey: ADMIN_KEY }, async (path, go) => {
        if (/\/tus\/.+/.test(path)) leaving.abort(new Error('left'));
        return go();
      });
      await expect(client.upload({ ...settings, signal: leaving.signal })).rejects.toThrow('left');
      const stream = await tributary.upload(settings);
      expect((await tributary.upload(settings)).streamId).toBe(stream.streamId);
      await expect(tributary.upload({ ...settings, body: `${TEXT.slice(0, -1)}!` })).rejects.toMatchObject({ status: 422 });
    });

    test('of a stream cannot be resumable', async () => {
      const body = new Blob([bytes]).stream();
      await expect(tributary.upload({ template: PING_TEMPLATE, body, resumable: true })).rejects.toThrow('a stream cannot be sent twice');
    });

    test('pass patches and settings on to the stream, even values with special characters', async () => {
      const id = crypto.randomUUID();
      const stream = await tributary.upload({
        ...{ template: TEXT_TEMPLATE, body: TEXT, id, name: 'Ours', persist: true },
        patches: { summary: true, ask0: '-what now?', 'processors.llm.properties.summary.properties.length': 'detailed' },
      });
      expect(stream).toMatchObject({ streamId: id, groupId: id, name: 'Ours' });
      expect(stream.configuration.processors[0]?.properties).toMatchObject({
        summary: { enabled: true, properties: { length: 'detailed' } },
        askAnything: { 0: { content: '-what now?' } },
      });
    });

    test('create one stream for the same key twice', async () => {
      const once = () => tributary.upload({ template: PING_TEMPLATE, body: 'x', idempotencyKey: 'key-1' });
      expect((await once()).streamId).toBe((await once()).streamId);
    });

    test('can be aborted', async () => {
      const controller = new AbortController();
      const endless = async function* () {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield new Uint8Array(1_000);
        }
      };
      const uploading = tributary.upload({
        template: PING_TEMPLATE,
        body: endless(),
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      await expect(uploading).rejects.toThrow(/abort/);
    });
  });

  test('waits for the end of a stream, and returns its results', async () => {
    const { streamId } = await tributary.upload({
      template: TEXT_TEMPLATE,
      body: TEXT,
      persist: true,
      patches: { sentimentAnalysis: true },
    });
    const states: string[] = [];
    const ended = await tributary.whenEnded(streamId, { onState: ({ state }: Stream) => states.push(state) });
    expect(ended.state).toBe('COMPLETED');
    expect(states.at(-1)).toBe('COMPLETED');
    const results = await tributary.results(streamId);
    expect(results?.sentimentAnalysis?.segments).toHaveLength(3);
    const kept = await tributary.upload({ template: PING_TEMPLATE, body: 'x' });
    expect(await tributary.results(kept.streamId)).toBeNull();
  });

  test('throws a typed TributaryError for a refusal', async () => {
    const refused = tributary.stream('00000000-0000-4000-8000-000000000000');
    await expect(refused).rejects.toBeInstanceOf(TributaryError);
    await expect(refused).rejects.toMatchObject({
      status: 404,
      internalErrorName: 'GENERAL_NOT_FOUND_ERROR',
      correlationId: expect.any(String),
    });
    const wrong = tributary.upload({ template: TEXT_TEMPLATE, body: TEXT, patches: { nonsense: true } });
    await expect(wrong).rejects.toMatchObject({ status: 400, internalErrorName: 'STREAM_CONFIGURATION_BAD_PATCH' });
  });

  describe('client credentials', () => {
    const pair = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
    const TOKEN = '/realms/tributary/protocol/openid-connect/token';

    test('are exchanged once for many requests, even simultaneous ones', async () => {
      const { client, asked } = watched(pair, (_path, go) => go());
      await Promise.all([client.http.GET('/stream-service/api/v1/streams'), client.http.GET('/stream-service/api/v1/streams')]);
      await client.http.GET('/stream-service/api/v1/streams');
      expect(asked.filter((path) => path === TOKEN)).toHaveLength(1);
    });

    test('are exchanged again before the token expires, and after a refusal', async () => {
      const shortLived = async (path: string, go: () => Promise<Response>) => {
        const response = await go();
        if (path !== TOKEN) return response;
        return Response.json({ ...((await response.json()) as object), expires_in: 0 });
      };
      const { client, asked } = watched(pair, shortLived);
      await client.http.GET('/stream-service/api/v1/streams');
      await client.http.GET('/stream-service/api/v1/streams');
      expect(asked.filter((path) => path === TOKEN)).toHaveLength(2);
    });

    test("get the token endpoint's refusal if wrong", async () => {
      const { client } = watched({ clientId: CLIENT_ID, clientSecret: 'wrong' }, (_path, go) => go());
      await expect(client.http.GET('/stream-service/api/v1/streams')).rejects.toMatchObject({ status: 401, title: 'invalid_client' });
    });
  });

  describe('live results', () => {
    const uploaded = () =>
      tributary.upload({
        template: TEXT_TEMPLATE,
        body: TEXT,
        persist: true,
        patches: { summary: true, sentimentAnalysis: true, ask0: 'Who?' },
      });

    test('are complete', async () => {
      const { streamId } = await uploaded();
      const messages = await collected(tributary.live(streamId));
      expect(messages.map(({ sequenceId }) => sequenceId)).toEqual(messages.map((_, index) => index));
      expect(messages.length).toBeGreaterThan(2);
    });

    test('continue after the last message if cut off, without loss or duplicates', async () => {
      const { streamId } = await uploaded();
      const whole = await collected(tributary.live(streamId));
      let connections = 0;
      const { client } = watched({ apiKey: ADMIN_KEY }, async (_path, go) => {
        const response = await go();
        return ++connections <= 3 ? cutAfterALine(response) : response;
      });
      const messages = await collected(client.live(streamId));
      expect(messages).toEqual(whole);
      expect(connections).toBe(4);
    });

    test('end with the error if connections keep failing, and at once for an unknown stream', async () => {
      const { client, asked } = watched({ apiKey: ADMIN_KEY }, async () => {
        throw new TypeError('no network');
      });
      await expect(collected(client.live('x', { attempts: 2 }))).rejects.toThrow('no network');
      expect(asked).toHaveLength(3);
      await expect(collected(tributary.live(crypto.randomUUID(), { timeout: 0 }))).rejects.toMatchObject({ status: 404 });
    });

    /** One whole line, then half a line, then silence, as after a pulled cable. */
    const cutAfterALine = async (response: Response): Promise<Response> => {
      const [first = '', second = ''] = (await response.text()).split('\n');
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(`${first}\n${second.slice(0, 20)}`)),
        pull: (controller) => controller.error(new TypeError('terminated')),
      });
      return new Response(body, { status: response.status, headers: response.headers });
    };
  });

  describe('a WebSocket session', () => {
    test('sends data and receives results', async () => {
      const session = await tributary.session({ template: TEXT_TEMPLATE, name: 'Live', patches: { summary: true }, WebSocket });
      expect(session.stream.name).toBe('Live');
      await session.send(new TextEncoder().encode(TEXT));
      session.end();
      const messages: SinkMessage[] = await collected(session);
      expect(messages.map(({ processorId }) => processorId)).toContain('llm');
      expect((await tributary.whenEnded(session.stream.streamId)).state).toBe('COMPLETED');
    });

    test('accepts an access token, and a key that is not a valid protocol name', async () => {
      const pair = new Tributary({ url: server.url, credential: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } });
      (await pair.session({ template: PING_TEMPLATE, WebSocket })).close();
      const basic = btoa(`${CLIENT_ID}:${CLIENT_SECRET}`);
      expect(basic).toMatch(/=/);
      const illegal = new Tributary({ url: server.url, credential: { apiKey: basic } });
      await expect(illegal.session({ template: PING_TEMPLATE, WebSocket })).rejects.toThrow(/credential/);
    });

    test("is refused with the platform's error", async () => {
      const refused = tributary.session({ template: 'none', WebSocket });
      await expect(refused).rejects.toMatchObject({ status: 404, internalErrorName: 'GENERAL_NOT_FOUND_ERROR' });
    });
  });

  test('accepts only webhooks that the platform signed', async () => {
    const receiver = await Receiver.start();
    const { streamId } = await tributary.upload({
      template: PING_TEMPLATE,
      body: 'x',
      webhooks: { [receiver.url('/client')]: ['stream.completed'] },
    });
    const { data } = await tributary.http.GET('/notification-service/api/v1/webhook-endpoints/account-secret');
    const [received] = await eventually(() => receiver.at('/client').length > 0 && receiver.at('/client'));
    await receiver.close();
    if (!received || !data) throw new Error('nothing came');
    const webhook = { headers: received.headers, body: received.body, secret: data.secret };
    const event = await verifyWebhook(webhook);
    expect(event.payloadSchema === 'tributary.events.v1.StreamStateEvent' && event.payload.stream.streamId).toBe(streamId);
    expect(await verifyWebhook({ ...webhook, secret: ['whsec_b3RoZXI=', data.secret] })).toEqual(event);
    for (const wrong of [
      { ...webhook, body: `${received.body} ` },
      { ...webhook, secret: 'whsec_b3RoZXI=' },
      { ...webhook, headers: {} },
      { ...webhook, headers: { ...received.headers, 'webhook-timestamp': '1' } },
      { ...webhook, headers: { ...received.headers, 'webhook-signature': 'v1,?' } },
    ])
      await expect(verifyWebhook(wrong)).rejects.toMatchObject({ name: 'WebhookVerificationError' });
  });
});
