import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE } from './client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from './server.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ environment: { UPLOAD_MAX_BYTES: '20000000', MAX_CONCURRENT_STREAMS: '25' } });
});
afterAll(() => server.kill());

// biome-ignore lint/suspicious/noExplicitAny: messages are checked by assertions, which fail on a wrong shape
type Message = any;

interface Client {
  readonly socket: WebSocket;
  readonly messages: Message[];
  readonly binary: Buffer[];
  /** The close code. */
  readonly closed: Promise<number>;
  /** The first message of the type. */
  next(type: string): Promise<Message>;
}

interface Connecting {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
  readonly query?: Record<string, string>;
}

const addressOf = (query: Record<string, string>, path = '/ws-gateway/api/v1') =>
  `${server.url.replace('http', 'ws')}${path}?${new URLSearchParams(query)}`;

const connect = ({ path, headers = { authorization: `Basic ${ADMIN_KEY}` }, protocols = [], query = {} }: Connecting = {}): Client => {
  const socket = new WebSocket(addressOf({ streamConfigurationTemplateId: PING_TEMPLATE, ...query }, path), protocols, { headers });
  const messages: Message[] = [];
  const binary: Buffer[] = [];
  socket.on('message', (data: Buffer, isBinary) => (isBinary ? binary.push(data) : messages.push(JSON.parse(data.toString()))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  const next = (type: string) => eventually(() => messages.find((message) => message.type === type));
  return { socket, messages, binary, closed, next };
};

const opened = (client: Client): Promise<void> =>
  new Promise((resolve, reject) => client.socket.once('open', () => resolve()).once('error', reject));

const refusedWith = (client: Client): Promise<{ status: number; headers: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    client.socket.once('unexpected-response', (_, { statusCode = 0, headers }) => resolve({ status: statusCode, headers }));
    client.socket.once('open', () => reject(new Error('it was accepted')));
  });

const responses = ({ messages }: Client): Buffer =>
  Buffer.concat(messages.filter(({ type }) => type === 'RESPONSE').map(({ response }) => Buffer.from(response.payload, 'base64')));

describe('a session', () => {
  test('receives its stream first, then its echo, and ends with END_OF_STREAM and 1000', async () => {
    const client = connect({ query: { name: 'live' } });
    const { stream } = await client.next('STREAM_METADATA');
    expect(stream).toMatchObject({ name: 'live', state: 'READY' });
    client.socket.send(Buffer.from('one'));
    const { response } = await client.next('RESPONSE');
    expect(response).toMatchObject({ streamId: stream.streamId, processorId: 'echo', sequenceId: 0, frameType: 'final' });
    client.socket.send(Buffer.from(' two'));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    expect(await client.closed).toBe(1000);
    expect(client.messages[0].type).toBe('STREAM_METADATA');
    expect(client.messages.at(-1)).toEqual({ type: 'END_OF_STREAM' });
    expect(responses(client).toString()).toBe('one two');
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });

  test('has a COMPLETED stream when it receives END_OF_STREAM', async () => {
    const states: unknown[] = [];
    for (let n = 0; n < 20; n++) {
      const client = connect();
      const { stream } = await client.next('STREAM_METADATA');
      client.socket.send(Buffer.from('x'));
      client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
      await client.closed;
      states.push((await getStream(server.url, stream.streamId)).body.state);
    }
    expect(new Set(states)).toEqual(new Set(['COMPLETED']));
  });

  test('accepts 12 MiB before the client reads anything, and sends all of it back', async () => {
    const client = connect();
    await opened(client);
    client.socket.pause();
    const chunks = Array.from({ length: 192 }, () => randomBytes(65_536));
    for (const chunk of chunks) await new Promise((resolve) => client.socket.send(chunk, resolve));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    client.socket.resume();
    expect(await client.closed).toBe(1000);
    expect(responses(client).equals(Buffer.concat(chunks))).toBe(true);
  });

  test('sends its output as binary messages with format=RAW', async () => {
    const client = connect({ query: { format: 'RAW' } });
    await opened(client);
    client.socket.send(Buffer.from('raw bytes'));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    expect(Buffer.concat(client.binary).toString()).toBe('raw bytes');
    expect(client.messages.map(({ type }) => type)).toEqual(['STREAM_METADATA', 'END_OF_STREAM']);
  });

  test('sends neither responses nor END_OF_STREAM with egress=false', async () => {
    const client = connect({ query: { egress: 'false' } });
    await opened(client);
    client.socket.send(Buffer.from('quiet'));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    expect(await client.closed).toBe(1000);
    expect(client.messages.map(({ type }) => type)).toEqual(['STREAM_METADATA']);
  });

  test('completes without data', async () => {
    const client = connect();
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });

  test('completes with the data sent so far if the client leaves without END_OF_STREAM', async () => {
    const client = connect({ query: { persist: 'true' } });
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(Buffer.from('all of it'), () => client.socket.close());
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${stream.streamId}`);
    expect(Buffer.from(JSON.parse(text.split('\n')[0] ?? '').payload, 'base64').toString()).toBe('all of it');
  });

  test("completes if the client's connection is cut", async () => {
    const client = connect();
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(Buffer.from('x'));
    await client.next('RESPONSE');
    client.socket.terminate();
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });

  test('answers KEEP_ALIVE with KEEP_ALIVE', async () => {
    const client = connect();
    await opened(client);
    client.socket.send(JSON.stringify({ type: 'KEEP_ALIVE' }));
    await client.next('KEEP_ALIVE');
    client.socket.close();
  });

  test('answers pings', async () => {
    const client = connect();
    await opened(client);
    const pong = new Promise((resolve) => client.socket.once('pong', (data) => resolve(String(data))));
    client.socket.ping('there?');
    expect(await pong).toBe('there?');
    client.socket.close();
  });

  test('sends text results too', async () => {
    const client = connect({ query: { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' } });
    await opened(client);
    client.socket.send(Buffer.from('A first sentence. A second one.'));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    await client.closed;
    const { response } = client.messages.find(({ type }) => type === 'RESPONSE');
    expect(response.payload.summary[0].content.length).toBeGreaterThan(0);
  });

  test('reports a failed processor and still closes with 1000', async () => {
    const client = connect({ query: { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' } });
    await opened(client);
    client.socket.send(Buffer.from([0xff, 0xfe, 0xc3]));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    expect(await client.closed).toBe(1000);
    const errors = client.messages.filter(({ type }) => type === 'ERROR');
    expect(errors).toHaveLength(1);
    // The processor's own name for it.
    expect(errors[0].error).toMatchObject({ title: 'The stream failed', internalErrorName: 'PROCESSOR_GENERAL_ERROR' });
  });

  test.each([
    ['text that is no message', (socket: WebSocket) => socket.send('{')],
    ['a CONFIGURATION', (socket: WebSocket) => socket.send('{"type":"CONFIGURATION"}')],
    ['data', (socket: WebSocket) => socket.send(Buffer.from('late'))],
  ])('is complete once it has sent END_OF_STREAM, whatever follows: %s', async (_, say) => {
    const client = connect();
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(Buffer.from('all'));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    say(client.socket);
    expect(await client.closed).toBe(1000);
    expect(client.messages.at(-1)).toEqual({ type: 'END_OF_STREAM' });
    expect(responses(client).toString()).toBe('all');
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });

  test('is accepted on both paths', async () => {
    const client = connect({ path: '/ws-gateway/api/v1/' });
    await client.next('STREAM_METADATA');
    client.socket.close();
  });

  test('is closed after 10 s of silence, and its stream completes', { timeout: 30_000 }, async () => {
    const client = connect();
    const { stream } = await client.next('STREAM_METADATA');
    const began = performance.now();
    expect(await client.closed).toBe(1000);
    expect(performance.now() - began).toBeGreaterThan(9_000);
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('COMPLETED');
  });
});

describe('a CONFIGURATION message', () => {
  const configured = { configurationMessage: 'true', streamConfigurationTemplateId: TEXT_TEMPLATE };

  test('patches the template, defines webhooks, and only then creates the stream', async () => {
    const id = randomUUID();
    const client = connect({ query: { ...configured, id } });
    await opened(client);
    expect((await getStream(server.url, id)).status).toBe(404);
    const webhook = { 'https://example.com/hook': ['stream.*'] };
    client.socket.send(JSON.stringify({ type: 'CONFIGURATION', patches: { summary: 'true' }, webhook }));
    const { stream } = await client.next('STREAM_METADATA');
    expect(stream.configuration.processors[0].properties.summary.enabled).toBe(true);
    expect(stream.configuration.dynamicWebhookEndpoints).toMatchObject([{ url: 'https://example.com/hook', events: ['stream.*'] }]);
    client.socket.close();
  });

  test('may be followed by all data before anything is read', async () => {
    const client = connect({ query: { ...configured, streamConfigurationTemplateId: PING_TEMPLATE } });
    await opened(client);
    client.socket.send(JSON.stringify({ type: 'CONFIGURATION' }));
    for (const text of ['a', 'b', 'c']) client.socket.send(Buffer.from(text));
    client.socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    expect(await client.closed).toBe(1000);
    expect(responses(client).toString()).toBe('abc');
  });

  test.each([
    ['something else first', { type: 'KEEP_ALIVE' }, 'GENERAL_BAD_REQUEST_ERROR'],
    ['patches that are no object', { type: 'CONFIGURATION', patches: 5 }, 'HTTP_STREAM_CONFIGURATION_ERROR'],
    ['a forbidden patch', { type: 'CONFIGURATION', patches: { langs: 'en' } }, 'STREAM_CONFIGURATION_BAD_PATCH'],
    ['a webhook inwards', { type: 'CONFIGURATION', webhook: { 'http://127.0.0.1/': ['*'] } }, 'WEBHOOK_CONFIGURATION_ERROR'],
  ])('%s is an ERROR, and nothing is created', async (_, message, name) => {
    const id = randomUUID();
    const client = connect({ query: { ...configured, id } });
    await opened(client);
    client.socket.send(JSON.stringify(message));
    expect(await client.closed).toBe(1000);
    expect(client.messages).toMatchObject([{ type: 'ERROR', error: { internalErrorName: name } }]);
    expect((await getStream(server.url, id)).status).toBe(404);
  });

  test('may arrive in one burst with all data and the end of the connection, without loss', async () => {
    const id = randomUUID();
    const client = connect({ query: { ...configured, streamConfigurationTemplateId: PING_TEMPLATE, id, persist: 'true' } });
    await opened(client);
    client.socket.send(JSON.stringify({ type: 'CONFIGURATION' }));
    client.socket.send(Buffer.from('all '));
    client.socket.send(Buffer.from('of it'));
    client.socket.close();
    await eventually(async () => (await getStream(server.url, id)).status === 200);
    expect((await streamEnd(server.url, id)).state).toBe('COMPLETED');
    const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${id}`);
    const lines = text.trim().split('\n');
    expect(lines.map((line) => Buffer.from(JSON.parse(line).payload, 'base64').toString()).join('')).toBe('all of it');
  });

  test('that is malformed is an ERROR at once, however early it arrives', async () => {
    const client = connect({ query: configured });
    client.socket.once('open', () => client.socket.send('{'));
    const began = performance.now();
    expect(await client.closed).toBe(1000);
    expect(client.messages).toMatchObject([{ type: 'ERROR', error: { internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' } }]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('of more than 1 MiB is 413 as an ERROR, and creates nothing', async () => {
    const id = randomUUID();
    const client = connect({ query: { ...configured, id } });
    await opened(client);
    client.socket.send(JSON.stringify({ type: 'CONFIGURATION', patches: { 'processors/0/properties/x': 'y'.repeat(1_048_576) } }));
    expect(await client.closed).toBe(1000);
    expect(client.messages).toMatchObject([{ type: 'ERROR', error: { statusCode: 413, internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' } }]);
    expect((await getStream(server.url, id)).status).toBe(404);
  });

  test('in one burst before END_OF_STREAM is an ERROR if it was not announced', async () => {
    const client = connect();
    client.socket.once('open', () => {
      client.socket.send('{"type":"CONFIGURATION"}');
      client.socket.send('{"type":"END_OF_STREAM"}');
    });
    const { stream } = await client.next('STREAM_METADATA');
    expect(await client.closed).toBe(1000);
    expect(client.messages.at(-1)).toMatchObject({ type: 'ERROR', error: { internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' } });
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('FAILED');
  });

  test('that was not announced is an ERROR, and the stream is FAILED', async () => {
    const client = connect();
    const { stream } = await client.next('STREAM_METADATA');
    client.socket.send(JSON.stringify({ type: 'CONFIGURATION', patches: {} }));
    expect(await client.closed).toBe(1000);
    expect(client.messages.at(-1)).toMatchObject({
      type: 'ERROR',
      error: { internalErrorName: 'GENERAL_BAD_REQUEST_ERROR', statusCode: 400 },
    });
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('FAILED');
  });
});

describe('a credential', () => {
  const pair = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
  const token = async (): Promise<string> => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
    const { body } = await call(server.url, '/realms/tributary/protocol/openid-connect/token', { method: 'POST', body: form, key: null });
    return body.access_token;
  };

  test.each([
    ['an API key in the protocol header', async () => ({ headers: { 'sec-websocket-protocol': `Basic ${ADMIN_KEY}` } })],
    ['a pair in the protocol header', async () => ({ headers: { 'sec-websocket-protocol': `Basic ${pair}` } })],
    ['a token in the protocol header', async () => ({ headers: { 'sec-websocket-protocol': `Bearer ${await token()}` } })],
    ['a token in the query', async () => ({ headers: {}, query: { access_token: await token() } })],
    ['the X-Client headers', async () => ({ headers: { 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET } })],
  ])('%s is accepted', async (_, how: () => Promise<Connecting>) => {
    const client = connect(await how());
    await client.next('STREAM_METADATA');
    client.socket.close();
  });

  test('is offered by a browser as "Bearer, <token>" and answered with "Bearer"', async () => {
    const client = connect({ headers: {}, protocols: ['Bearer', await token()] });
    await opened(client);
    expect(client.socket.protocol).toBe('Bearer');
    client.socket.close();
  });

  test.each([', third', ',third', ', third, fourth'])('among other protocols is 401: Bearer, <token>%s', async (more) => {
    const good = await token();
    const { status } = await refusedWith(connect({ headers: { 'sec-websocket-protocol': `Bearer, ${good}${more}` } }));
    expect(status).toBe(401);
  });

  test.each([
    ['none', {}],
    ['a wrong key', { authorization: 'Basic wrong' }],
    ['a wrong protocol header', { 'sec-websocket-protocol': 'Basic wrong' }],
  ])('%s is HTTP 401 at the handshake', async (_, headers: Record<string, string>) => {
    const { status, headers: answered } = await refusedWith(connect({ headers }));
    expect(status).toBe(401);
    expect(answered['www-authenticate']).toBeTruthy();
  });
});

describe('a refused session', () => {
  test('is 426 for a plain GET', async () => {
    for (const path of ['/ws-gateway/api/v1', '/ws-gateway/api/v1/']) expect((await call(server.url, path)).status).toBe(426);
  });

  test.each([
    ['with', `Authorization: Basic ${ADMIN_KEY}\r\n`],
    ['without', ''],
  ])('is 405 for a wrong method, even with an offer of WebSocket, %s a credential', async (_, credential) => {
    const { hostname, port } = new URL(server.url);
    const socket = createConnection(Number(port), hostname);
    let answered = '';
    socket.on('data', (data) => {
      answered += data;
    });
    const offer =
      'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.write(`POST /ws-gateway/api/v1 HTTP/1.1\r\n${offer}${credential}Content-Length: 0\r\n\r\n`);
    await eventually(() => answered.includes('}'));
    socket.destroy();
    expect(answered).toMatch(/^HTTP\/1.1 405 /);
    expect(answered).toMatch(/^allow: .*GET/im);
  });

  test('is not attempted for another protocol: the request and the next one on its connection are served', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = createConnection(Number(port), hostname);
    let answered = '';
    socket.on('data', (data) => {
      answered += data;
    });
    const offer = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
    const upload = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}`;
    socket.write(`POST ${upload} HTTP/1.1\r\n${offer}Authorization: Basic ${ADMIN_KEY}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`);
    socket.write('0\r\n\r\n');
    await eventually(() => answered.includes('"READY"'));
    socket.write(`GET /health/live HTTP/1.1\r\n${offer}\r\n`);
    await eventually(() => answered.split('HTTP/1.1 ').length === 3);
    socket.write(`GET /ws-gateway/api/v1 HTTP/1.1\r\n${offer}\r\n`);
    await eventually(() => answered.split('HTTP/1.1 ').length === 4);
    socket.destroy();
    expect(answered.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 426']);
  });

  test.each([
    ['an invalid key', { 'sec-websocket-key': 'short' }, 400],
    ['an invalid list of protocols', { 'sec-websocket-protocol': 'a,,b' }, 400],
    ['an unknown version', { 'sec-websocket-version': '99' }, 426],
    ['the draft version 8', { 'sec-websocket-version': '8' }, 426],
    ['a body, which would be read as frames,', { 'content-length': '5' }, 400],
  ])('with %s gets the documented error shape', async (_, wrong, status) => {
    const { hostname, port } = new URL(server.url);
    const headers = { 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64'), ...wrong };
    const answer = await new Promise<{ status: number; type: string; version: string; body: string }>((resolve, reject) => {
      const asked = request({
        hostname,
        port,
        path: `/ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}`,
        headers: {
          ...{ connection: 'Upgrade', upgrade: 'websocket', authorization: `Basic ${ADMIN_KEY}` },
          ...headers,
        },
      });
      asked.on('response', (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: String(response.headers['content-type']),
            version: String(response.headers['sec-websocket-version']),
            body,
          }),
        );
      });
      asked.on('error', reject);
      asked.end();
    });
    expect([answer.status, answer.version]).toEqual([status, '13']);
    expect(answer.type).toMatch(/^application\/json/);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: status, internalErrorName: 'GENERAL_BAD_REQUEST_ERROR', nestedErrors: [] });
  });

  test('is 404 on another path', async () => {
    expect((await refusedWith(connect({ path: '/elsewhere' }))).status).toBe(404);
  });

  test.each([
    ['an unknown template', { streamConfigurationTemplateId: 'none' }, 'GENERAL_NOT_FOUND_ERROR'],
    ['a forbidden patch', { langs: 'en' }, 'STREAM_CONFIGURATION_BAD_PATCH'],
    ['a bad id', { id: 'x' }, 'GENERAL_VALIDATION_ERROR'],
    ['a format that is none', { format: 'XML' }, 'GENERAL_VALIDATION_ERROR'],
  ])('is an ERROR and is closed: %s', async (_, query, name) => {
    const client = connect({ query: query as Record<string, string> });
    expect(await client.closed).toBe(1000);
    expect(client.messages).toMatchObject([{ type: 'ERROR', error: { internalErrorName: name, nestedErrors: expect.any(Array) } }]);
  });

  test('is an ERROR if its id is in use', async () => {
    const id = randomUUID();
    const first = connect({ query: { id } });
    await first.next('STREAM_METADATA');
    const second = connect({ query: { id } });
    expect((await second.next('ERROR')).error).toMatchObject({ statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' });
    first.socket.close();
  });

  test('closes with 1008 for a message of too many fragments', async () => {
    const client = connect();
    await client.next('STREAM_METADATA');
    for (let n = 0; n < 16_400; n += 1) client.socket.send('', { fin: false, binary: true });
    expect(await client.closed).toBe(1008);
  });

  test('closes with the code of the protocol for a message over 16 MiB', async () => {
    const client = connect();
    await client.next('STREAM_METADATA');
    client.socket.send(Buffer.alloc(16 * 1024 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  test('is 413 as an ERROR above UPLOAD_MAX_BYTES, and the stream is FAILED', async () => {
    const client = connect({ query: { egress: 'false' } });
    const { stream } = await client.next('STREAM_METADATA');
    for (let sent = 0; sent < 3; sent += 1) client.socket.send(Buffer.alloc(8_000_000));
    expect((await client.next('ERROR')).error.statusCode).toBe(413);
    expect((await streamEnd(server.url, stream.streamId)).state).toBe('FAILED');
  });
});

test('any text that a client sends gets the documented error and leaves no stream READY', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
      const client = connect();
      const { stream } = await client.next('STREAM_METADATA');
      client.socket.send(text);
      expect(await client.closed).toBe(1000);
      expect(client.messages.at(-1)).toMatchObject({ type: 'ERROR', error: { internalErrorName: 'GENERAL_BAD_REQUEST_ERROR' } });
      expect((await streamEnd(server.url, stream.streamId)).state).toBe('FAILED');
    }),
    { numRuns: 20 },
  );
});

/** A frame as bytes, with the given first byte (FIN, RSV, opcode) and masking. */
const frame = ({ head, masked, payload }: { head: number; masked: boolean; payload: Uint8Array }): Buffer =>
  Buffer.concat([Buffer.from([head, (masked ? 0x80 : 0) | payload.length]), Buffer.alloc(masked ? 4 : 0), payload]);

test('any frames that a client sends end its session and leave no stream READY', { timeout: 60_000 }, async () => {
  const { hostname, port } = new URL(server.url);
  const frames = fc.array(
    fc.record({ head: fc.integer({ min: 0, max: 255 }), masked: fc.boolean(), payload: fc.uint8Array({ maxLength: 100 }) }).map(frame),
    { maxLength: 8 },
  );
  const garbage = fc.uint8Array({ maxLength: 300 }).map((bytes) => [Buffer.from(bytes)]);
  await fc.assert(
    fc.asyncProperty(fc.oneof(frames, garbage), async (sent) => {
      const id = randomUUID();
      const socket = createConnection(Number(port), hostname);
      let answered = '';
      socket.on('data', (data) => {
        answered += data.toString('latin1');
      });
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const offer = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ';
      const address = `/ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}&id=${id}`;
      socket.write(`GET ${address} HTTP/1.1\r\n${offer}${randomBytes(16).toString('base64')}\r\nAuthorization: Basic ${ADMIN_KEY}\r\n\r\n`);
      await eventually(() => answered.includes('STREAM_METADATA'));
      for (const bytes of sent) if (socket.writable) socket.write(bytes);
      socket.end();
      await closed;
      expect(['COMPLETED', 'FAILED']).toContain((await streamEnd(server.url, id)).state);
    }),
    { numRuns: 40 },
  );
});

test("a session above a user's concurrent streams is 429 as an ERROR, and running ones continue", async () => {
  const { body } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'many', role: 'user' },
  });
  const headers = { authorization: `Basic ${body.secret}` };
  const clients = Array.from({ length: 25 }, () => connect({ headers }));
  await Promise.all(clients.map((client) => client.next('STREAM_METADATA')));
  const late = connect({ headers });
  expect(await late.closed).toBe(1000);
  expect(late.messages).toMatchObject([{ type: 'ERROR', error: { statusCode: 429, internalErrorName: 'STREAM_USAGE_LIMIT_REACHED' } }]);
  for (const { socket } of clients) socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  for (const client of clients) {
    expect(await client.closed).toBe(1000);
    expect(client.messages.at(-1)).toEqual({ type: 'END_OF_STREAM' });
  }
});

test.each(['true', 'false'])(
  'a cancelled stream ends its session with a single ERROR, the 409 of any upload (egress=%s)',
  async (egress) => {
    const client = connect({ query: { egress } });
    const { stream } = await client.next('STREAM_METADATA');
    await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/cancel`, { method: 'PUT' });
    expect(await client.closed).toBe(1000);
    const errors = client.messages.filter(({ type }) => type === 'ERROR');
    expect(errors).toEqual([
      { type: 'ERROR', error: expect.objectContaining({ statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' }) },
    ]);
  },
);

test("a handshake above a user's sockets is refused, whatever the others wait for", async () => {
  const limited = await startServer({ environment: { MAX_SOCKETS_PER_USER: '2' } });
  const handshake = (query: Record<string, string> = {}) => {
    const address = `${limited.url.replace('http', 'ws')}/ws-gateway/api/v1?${new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE, ...query })}`;
    const socket = new WebSocket(address, { headers: { authorization: `Basic ${ADMIN_KEY}` } });
    socket.on('error', () => {});
    return new Promise<{ status: number; retryAfter: unknown; socket: WebSocket }>((resolve) => {
      socket.once('open', () => resolve({ status: 101, retryAfter: null, socket }));
      socket.once('unexpected-response', (_, { statusCode = 0, headers }) =>
        resolve({ status: statusCode, retryAfter: headers['retry-after'], socket }),
      );
    });
  };
  const first = await handshake({ configurationMessage: 'true' });
  const second = await handshake();
  const third = await handshake();
  expect([first.status, second.status, third.status, third.retryAfter]).toEqual([101, 101, 429, '5']);
  first.socket.close();
  await eventually(async () => (await handshake()).status === 101);
});

test('a revoked credential ends what it has open: a WebSocket session and a live read', async () => {
  const credentials = '/credential-service/api/v1/credentials';
  const { body } = await call(server.url, credentials, { method: 'POST', body: { kind: 'api-key', label: 'c', role: 'user' } });
  const headers = { authorization: `Basic ${body.secret}` };
  const path = `/ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}`;
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
  onTestFinished(() => socket.terminate());
  const messages: string[] = [];
  socket.on('message', (text) => messages.push(String(text)));
  await eventually(() => expect(messages).toHaveLength(1));
  const { stream } = JSON.parse(messages[0] ?? '');
  const read = await fetch(`${server.url}/egress-service/api/v1/egress/live?streams=${stream.streamId}`, { headers });
  expect(read.status).toBe(200);
  const cutOff = expect(read.text()).rejects.toThrow();
  await call(server.url, `${credentials}/${body.id}`, { method: 'DELETE' });
  await eventually(() => expect(messages.at(-1)).toContain('The credential of this session was revoked.'));
  await cutOff;
  await eventually(async () => expect((await getStream(server.url, stream.streamId)).body.state).toBe('FAILED'));
}, 30_000);
