import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetStates } from '../../../../src/commands/handle.ts';
import { disableWebhookEndpoint } from '../../../../src/commands/webhookEndpoints.ts';
import { uuidv5 } from '../../../../src/domain/uuidv5.ts';
import { eventually } from '../../../eventually.ts';
import { ALICE, BOB, type Gateway, startGateway } from './gatewayServer.ts';

const PING = '65f46430c6d8985974ff9c9d';
const TEXT = '7472696275746172790a7478';
const SPEECH = '678e26e695f8f5742e8718f4';

let dataDir: string;
let gateway: Gateway;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-gateway-'));
  gateway = await startGateway(dataDir);
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: bodies are checked by assertions
type Answer = { status: number; headers: Headers; body: any };

const send = async (query: string, body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Answer> => {
  const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: body ?? null,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
/** The status of an upload that announces a body and sends nothing of it. */
const statusBeforeBody = (query: string, subject: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${gateway.url}/http-gateway/api/v1/upload?${query}`, {
      method: 'POST',
      headers: { 'x-subject': subject, 'content-length': '100' },
    });
    outgoing.on('response', ({ statusCode }) => {
      resolve(statusCode);
      outgoing.destroy();
    });
    outgoing.on('error', reject);
    outgoing.flushHeaders();
  });
const ping = (query = ''): string => `streamConfigurationTemplateId=${PING}&${query}`;
const text = (query = ''): string => `streamConfigurationTemplateId=${TEXT}&${query}`;

const open = (
  query: string,
  headers: Record<string, string | number> = {},
): { outgoing: ClientRequest; status: Promise<number>; closed: Promise<void> } => {
  const outgoing = request(`${gateway.url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers });
  const status = new Promise<number>((resolve) => {
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  outgoing.on('error', () => {});
  const closed = new Promise<void>((resolve) => outgoing.on('close', resolve));
  return { outgoing, status, closed };
};

const BOUNDARY = 'xBOUNDARYx';
const multipart = (...parts: [headers: string, body: string | Buffer][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([headers, body]) => [Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const CONFIGURATION = 'Content-Disposition: form-data; name="configuration"\r\nContent-Type: application/json';
const FILE = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';

describe('raw bytes', () => {
  test('are stored whole, hashed, and recorded in the log', async () => {
    const bytes = randomBytes(2_345_678);
    const { status, body } = await send(ping('name=big'), bytes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'big', state: 'READY', creatorId: ALICE });
    expect((await gateway.bytesOf(body.streamId))?.equals(bytes)).toBe(true);
    const aggregate = await gateway.streamOf(body.streamId);
    expect(aggregate?.upload).toMatchObject({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  });

  test('are 400 if empty, and leave the id free', async () => {
    const id = randomUUID();
    expect((await send(ping(`id=${id}`), '')).status).toBe(400);
    expect(await gateway.streamOf(id)).toBeNull();
    expect((await send(ping(`id=${id}`), 'x')).status).toBe(200);
  });

  test('are 409 before the body is read if their id is in use', async () => {
    const id = randomUUID();
    await send(ping(`id=${id}`), 'x');
    const { outgoing, status } = open(ping(`id=${id}`), { 'content-length': 100_000 });
    outgoing.flushHeaders();
    expect(await status).toBe(409);
    outgoing.destroy();
  });

  test('create the stream with their first byte', async () => {
    const id = randomUUID();
    const { outgoing, status } = open(ping(`id=${id}`));
    outgoing.flushHeaders();
    outgoing.write('first');
    await eventually(async () => (await gateway.streamOf(id))?.gateway.state === 'CONNECTED');
    outgoing.end(' last');
    expect(await status).toBe(200);
    expect((await gateway.bytesOf(id))?.toString()).toBe('first last');
  });

  test('are 415 with an encoding, multipart too', async () => {
    const encoded = await send(ping(), 'x', { 'content-encoding': 'gzip' });
    expect([encoded.status, encoded.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect((await send(ping(), 'x', { 'content-type': 'multipart/mixed; boundary=a' })).status).toBe(415);
  });
});

test.each([
  ['raw', ping(), {}, 'x'],
  ['a link or bytes', `streamConfigurationTemplateId=${SPEECH}`, {}, 'http'],
  ['multipart', ping(), FORM, `--${BOUNDARY}\r\n${FILE}`],
])('an upload that waits for its body (%s) holds no place among the requests of its user', async (_, query, headers, beginning) => {
  const small = await startGateway(join(dataDir, randomUUID()), {
    limits: { maxRequestsPerUser: 1, maxWaitingRequests: 0 },
    speechServer: { url: 'http://127.0.0.1:1', apiKey: null, model: 'whisper-1', timeoutMilliseconds: 1_000 },
  });
  const upload = (of: string) => `${small.url}/http-gateway/api/v1/upload?${of}`;
  const waiting = request(upload(query), { method: 'POST', headers });
  waiting.on('error', () => {});
  waiting.write(beginning);
  await eventually(async () => expect((await fetch(upload(ping()), { method: 'POST', body: 'all' })).status).toBe(200));
  waiting.destroy();
  await small.close();
});

test('an upload continues in smaller frames while the memory of its user is full', async () => {
  const small = await startGateway(join(dataDir, randomUUID()), { limits: { memoryPerUserMib: 4 } });
  const held = small.memory.open(ALICE);
  held.add(5_000_000);
  const data = randomBytes(2_500_000);
  const response = await fetch(`${small.url}/http-gateway/api/v1/upload?${ping()}`, { method: 'POST', body: data });
  const { streamId } = (await response.json()) as { streamId: string };
  expect(response.status).toBe(200);
  expect((await small.bytesOf(streamId))?.equals(data)).toBe(true);
  held.release();
  expect(small.memory.total).toBe(0);
  await small.close();
});

describe('an upload that fails', () => {
  test('by a leaving client is a FAILED stream with a reason and no bytes', async () => {
    const id = randomUUID();
    const { outgoing } = open(ping(`id=${id}`), { 'content-length': 1000 });
    outgoing.write('only a part');
    await eventually(async () => (await gateway.streamOf(id)) !== null);
    outgoing.destroy();
    const failed = await eventually(async () => {
      const aggregate = await gateway.streamOf(id);
      return aggregate?.stream.state === 'FAILED' && aggregate;
    });
    expect(failed.stream.stateDescription).toContain('closed the connection');
    expect(failed.upload.state).toBe('failed');
    await eventually(async () => (await gateway.bytesOf(id)) === null);
  });

  test('by its announced length is 413 at once and creates nothing', async () => {
    const id = randomUUID();
    const { outgoing, status } = open(ping(`id=${id}`), { 'content-length': 3_000_001 });
    outgoing.flushHeaders();
    expect(await status).toBe(413);
    outgoing.destroy();
    expect(await gateway.streamOf(id)).toBeNull();
  });

  test('by passing the limit is 413 and a FAILED stream without bytes', async () => {
    const id = randomUUID();
    const { outgoing, status } = open(ping(`id=${id}`));
    for (let n = 0; n < 40; n++) outgoing.write(Buffer.alloc(100_000));
    outgoing.end();
    expect(await status).toBe(413);
    expect((await gateway.streamOf(id))?.stream.state).toBe('FAILED');
    expect(await gateway.bytesOf(id)).toBeNull();
  });

  test('by a cancellation is 409, closes the connection and leaves no bytes', async () => {
    const id = randomUUID();
    const { outgoing, status, closed } = open(ping(`id=${id}`));
    outgoing.write('first');
    await eventually(async () => (await gateway.streamOf(id)) !== null);
    await gateway.cancel(id);
    expect(await status).toBe(409);
    await closed;
    expect((await gateway.streamOf(id))?.stream.stateDescription).toBe('Canceled by user');
    expect(await gateway.bytesOf(id)).toBeNull();
  });

  test('by a later cancellation is 409 as soon as there is news of it', async () => {
    const [id, before] = [randomUUID(), gateway.followed()];
    const { outgoing, status } = open(ping(`id=${id}`));
    outgoing.write('first');
    await eventually(() => gateway.followed() > before);
    await gateway.cancel(id);
    expect(await status).toBe(409);
    // Without the news, the upload looks again after ten seconds.
  }, 8_000);

  test('by any refusal leaves no topic behind', async () => {
    const before = readdirSync(join(dataDir, 'topics'), { recursive: true }).length;
    await send(ping(`groupId=${(await send(ping(), 'x', { 'x-subject': BOB })).body.groupId}`), 'x');
    await eventually(() => readdirSync(join(dataDir, 'topics'), { recursive: true }).length <= before + 1);
  });
});

describe('groups and limits', () => {
  test("refuse another owner's group with 404 before the body is read", async () => {
    const theirs = (await send(ping(), 'x', { 'x-subject': BOB })).body;
    const { status, body } = await send(ping(`groupId=${theirs.groupId}`), 'x');
    expect([status, body.internalErrorName]).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    const { outgoing, status: early } = open(ping(`groupId=${theirs.groupId}`), { 'content-length': 100_000 });
    outgoing.flushHeaders();
    expect(await early).toBe(404);
    outgoing.destroy();
  });

  test('put streams with one group id into one group', async () => {
    const first = (await send(ping(), 'x')).body;
    const second = (await send(ping(`groupId=${first.groupId}`), 'x')).body;
    expect([second.groupId, second.groupCreatorId]).toEqual([first.streamId, ALICE]);
  });

  test('refuse a stream above the concurrent ones with 429 and Retry-After', async () => {
    const subject = randomUUID();
    await Promise.all(Array.from({ length: 100 }, () => gateway.runningStreams.reserve(subject, randomUUID())));
    const { status, headers, body } = await send(ping(), 'x', { 'x-subject': subject });
    expect([status, body.internalErrorName]).toEqual([429, 'STREAM_USAGE_LIMIT_REACHED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test("refuse a stream above the limit, or in another's group by its id, before a byte of the body is sent", async () => {
    const full = randomUUID();
    await Promise.all(Array.from({ length: 100 }, () => gateway.runningStreams.reserve(full, randomUUID())));
    expect(await statusBeforeBody(ping(), full)).toBe(429);
    const groupId = randomUUID();
    await send(ping(`groupId=${groupId}`), 'x', { 'x-subject': randomUUID() });
    expect(await statusBeforeBody(ping(`id=${groupId}`), randomUUID())).toBe(404);
  });

  test.each([
    ['', 400, 'STREAM_CONFIGURATION_BAD_TEMPLATE'],
    ['streamConfigurationTemplateId=nope', 404, 'GENERAL_NOT_FOUND_ERROR'],
    [`streamConfigurationTemplateId=${SPEECH}`, 503, 'PROCESSOR_FAILED_RESERVATION_ERROR'],
    [ping('langs=en'), 400, 'STREAM_CONFIGURATION_BAD_PATCH'],
    [ping('id=1&id=2'), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping('persist=yes'), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping('persistTags='), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping('persistTags=a%20b'), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping(Array.from({ length: 11 }, (_, n) => `persistTags=t${n}`).join('&')), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping('id=not-a-uuid'), 400, 'GENERAL_VALIDATION_ERROR'],
    [ping('webhook.gateway=https://example.com'), 400, 'WEBHOOK_CONFIGURATION_ERROR'],
    [ping('webhook=http://127.0.0.1/'), 400, 'WEBHOOK_CONFIGURATION_ERROR'],
    [ping([1, 2, 3, 4].map((n) => `webhook=https://example.com/${n}`).join('&')), 400, 'WEBHOOK_CONFIGURATION_ERROR'],
    [text('summaryLength=huge'), 400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR'],
    [text('processors/llm/properties/unknown=1'), 400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR'],
    [text('enhancedTranscription=true'), 400, 'PROCESSOR_FEATURE_ERROR'],
    [text('ask0=Why%3F'), 200, undefined],
  ])('%s is %i %s', async (query, status, name) => {
    const answer = await send(query, 'Some text.');
    expect([answer.status, answer.body.internalErrorName]).toEqual([status, name]);
  });

  test('refuse a patch with the documented error, word for word', async () => {
    const { body } = await send(ping('langs=en'), 'x');
    expect(body).toMatchObject({ title: 'Invalid stream configuration', message: 'Forbidden patch: /langs' });
  });

  test.each([
    ['summry=true', 'There is no parameter "summry". Did you mean "summary"?'],
    ['persit=true', 'There is no parameter "persit". Did you mean "persist"?'],
    ['SummaryLenght=brief', 'There is no parameter "SummaryLenght". Did you mean "summaryLength"?'],
    ['somethingElse=1', 'There is no parameter "somethingElse".'],
  ])('name the parameter that %s was probably meant to be', async (query, message) => {
    const { status, body } = await send(text(query), 'x');
    expect([status, body.nestedErrors.map((nested: { message: string }) => nested.message)]).toEqual([400, [message]]);
    const part = await send(text(), multipart([CONFIGURATION, `{"patches":{"${query.split('=')[0]}":1}}`], [FILE, 'x']), FORM);
    expect(part.body.nestedErrors[0].message).toBe(message);
  });

  test('say how to send a webhook URL whose & was not percent-encoded', async () => {
    const { body } = await send(ping('webhook=https://example.com/?x=1&y=2'), 'x');
    expect(body.message).toBe('Forbidden patch: /y');
    expect(body.nestedErrors[1].message).toContain('percent-encode that URL');
    expect((await send(ping('webhook=https%3A%2F%2Fexample.com%2F%3Fx%3D1%26y%3D2'), 'x')).status).toBe(200);
  });

  test.each([
    ['persist=True', { persist: true }],
    ['persist=1', { persist: true }],
    ['persist=False', { persist: false }],
    ['matchPersistTags=all', {}],
  ])('take %s as programs in other languages write it', async (query, expected) => {
    const { status, body } = await send(ping(query), 'x');
    expect(status).toBe(200);
    expect(await gateway.streamOf(body.streamId)).toMatchObject(expected);
  });

  test.each(['persistTags[]=a&persistTags[]=b', 'persistTags[0]=a&persistTags[1]=b', 'persistTags=a&persistTags=b', 'persistTags=a,b'])(
    'take the list %s',
    async (query) => {
      const { status } = await send(ping(`persist=true&${query}`), 'x');
      expect(status).toBe(200);
      expect((await send(ping(`persist=true&${query.replaceAll('=b', '=b%20c').replace('a,b', 'a,b%20c')}`), 'x')).status).toBe(400);
    },
  );

  test('say in the message what is wrong with a parameter', async () => {
    const { body } = await send(ping('persist=yes&matchPersistTags=some'), 'x');
    expect(body.message).toBe(
      'The query is not valid: persist must be true or false; matchPersistTags must be equal to one of the allowed values: ALL, ANY.',
    );
  });

  test('refuse a resolved configuration over 256 KiB with 400 and create nothing', async () => {
    const patches = Object.fromEntries(
      [0, 1, 2].flatMap((n) => [
        [`ask${n}`, 'x'.repeat(60_000)],
        [`ask${n}System`, 'y'.repeat(60_000)],
      ]),
    );
    const id = randomUUID();
    const { status, body } = await send(text(`id=${id}`), multipart([CONFIGURATION, JSON.stringify({ patches })], [FILE, 'text']), FORM);
    expect([status, body.internalErrorName]).toEqual([400, 'HTTP_STREAM_CONFIGURATION_ERROR']);
    expect(await gateway.streamOf(id)).toBeNull();
  });
});

describe('patches of headers, query and configuration part', () => {
  const summary = ({ body }: Answer) => body.configuration.processors[0].properties.summary;

  test.each(['True', '1', 'TRUE'])('take the boolean %s, in the query and in a configuration part', async (value) => {
    expect(summary(await send(text(`summary=${value}`), 'x')).enabled).toBe(true);
    const part = multipart([CONFIGURATION, JSON.stringify({ patches: { summary: value } })], [FILE, 'x']);
    expect(summary(await send(text(), part, FORM)).enabled).toBe(true);
    expect((await send(text(`summary=${value}x`), 'x')).status).toBe(400);
  });

  test('prefer the query over the header, and the configuration part over both', async () => {
    const header = {
      'x-template-patch': JSON.stringify([
        { op: 'replace', path: 'summaryLength', value: 'detailed' },
        { op: 'replace', path: '/processors/0/properties/summary/properties/tone', value: 'informative' },
      ]),
    };
    expect(summary(await send(text('summary=true&summaryTone=conversational'), 'x', header))).toEqual({
      enabled: true,
      properties: { length: 'detailed', tone: 'conversational', structure: 'paragraphs' },
    });
    const part = multipart([CONFIGURATION, '{"patches":{"summary":"false"}}'], [FILE, 'x']);
    expect(summary(await send(text('summary=true'), part, FORM)).enabled).toBe(false);
  });

  test.each(['notjson', '[]', 'true', '"text"', '{"type":"nonsense"}', '{"properties":[]}', '['.repeat(60_000)])(
    'reject a response format that is not a JSON Schema with 400 before the body, with or without its question: %.20s',
    async (format) => {
      const configuration = JSON.stringify({ patches: { ask1Format: format } });
      const query = format.length < 1_000 ? [await send(text(`ask0Format=${encodeURIComponent(format)}`), 'x')] : [];
      for (const { status, body } of [...query, await send(text(), multipart([CONFIGURATION, configuration], [FILE, 'x']), FORM)]) {
        expect([status, body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
        expect(body.message).toContain('is not a JSON Schema as text');
      }
    },
  );

  test.each([
    '',
    '{}',
    '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}',
    '{"type":["string","null"],"pattern":"^a"}',
  ])('accept a valid or missing response format: %s', async (format) => {
    expect((await send(text(`ask0=x&ask0Format=${encodeURIComponent(format)}`), 'x')).status).toBe(200);
  });

  test('refuse a header that is not JSON', async () => {
    const { status, body } = await send(ping(), 'x', { 'X-Vat-Meta-Template-Patch': '{' });
    expect([status, body.internalErrorName]).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH']);
  });

  test('do not include credentials in the query', async () => {
    expect((await send(ping('access_token=a&client_id=b&client_secret=c'), 'x')).status).toBe(200);
  });
});

describe('multipart', () => {
  test('accepts a file without a filename after a configuration', async () => {
    const { status, body } = await send(
      text(),
      multipart(
        [CONFIGURATION, '{"type":"CONFIGURATION","patches":{"summary":"true"},"webhook":{"https://example.com/a":["*"]}}'],
        [FILE, 'the bytes'],
      ),
      FORM,
    );
    expect(status).toBe(200);
    expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('the bytes');
    expect(body.configuration.dynamicWebhookEndpoints).toMatchObject([{ url: 'https://example.com/a', events: ['*'], enabled: true }]);
  });

  test('accepts a file alone, small or large, JSON or not', async () => {
    const large = randomBytes(2_000_000);
    large[0] = 0;
    for (const bytes of [Buffer.from('alone'), Buffer.from('{"patches":{}}'), large]) {
      const { status, body } = await send(ping(), multipart([FILE, bytes]), FORM);
      expect(status).toBe(200);
      expect((await gateway.bytesOf(body.streamId))?.equals(bytes)).toBe(true);
    }
  });

  test.each([
    [
      'not JSON',
      [
        [CONFIGURATION, 'no json'],
        [FILE, 'x'],
      ],
      400,
      'HTTP_STREAM_CONFIGURATION_ERROR',
    ],
    [
      'no object',
      [
        [CONFIGURATION, '[]'],
        [FILE, 'x'],
      ],
      400,
      'HTTP_STREAM_CONFIGURATION_ERROR',
    ],
    [
      'patches no object',
      [
        [CONFIGURATION, '{"patches":5}'],
        [FILE, 'x'],
      ],
      400,
      'HTTP_STREAM_CONFIGURATION_ERROR',
    ],
    [
      'an unknown member',
      [
        [CONFIGURATION, '{"patch":{}}'],
        [FILE, 'x'],
      ],
      400,
      'HTTP_STREAM_CONFIGURATION_ERROR',
    ],
    [
      'a forbidden patch',
      [
        [CONFIGURATION, '{"patches":{"langs":"en"}}'],
        [FILE, 'x'],
      ],
      400,
      'STREAM_CONFIGURATION_BAD_PATCH',
    ],
    [
      'a nested value',
      [
        [CONFIGURATION, '{"patches":{"summary":{}}}'],
        [FILE, 'x'],
      ],
      400,
      'STREAM_CONFIGURATION_BAD_PATCH',
    ],
    [
      'an unknown event',
      [
        [CONFIGURATION, '{"webhook":{"https://example.com":["gateway.closed"]}}'],
        [FILE, 'x'],
      ],
      400,
      'WEBHOOK_CONFIGURATION_ERROR',
    ],
    [
      'an empty file',
      [
        [CONFIGURATION, '{}'],
        [FILE, ''],
      ],
      400,
      'GENERAL_BAD_REQUEST_ERROR',
    ],
    ['no part', [], 400, 'HTTP_STREAM_CONFIGURATION_ERROR'],
    [
      'a configuration of over 1 MiB',
      [
        [CONFIGURATION, `{"patches":{"a":"${'x'.repeat(1_100_000)}"}}`],
        [FILE, 'x'],
      ],
      413,
      'GENERAL_BAD_REQUEST_ERROR',
    ],
  ] as [string, [string, string][], number, string][])('with %s creates nothing', async (_what, parts, status, name) => {
    const id = randomUUID();
    const { body, ...answer } = await send(text(`id=${id}`), multipart(...parts), FORM);
    expect([answer.status, body.internalErrorName]).toEqual([status, name]);
    expect(await gateway.streamOf(id)).toBeNull();
  });

  const field = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
  const NAMED = 'Content-Disposition: form-data; name="audio"; filename="a.txt"\r\nContent-Type: text/plain';

  test('takes ordinary fields before the file as parameters of the query', async () => {
    const fields: [string, string][] = [
      [field('streamConfigurationTemplateId'), TEXT],
      [field('persist'), 'True'],
      [field('name'), 'Größe & co'],
      [field('summaryLength'), 'brief'],
      [field('persistTags[]'), 'a'],
      [field('persistTags[]'), 'b'],
      [field('webhook.stream'), 'https://example.com/?a=1&b=2'],
    ];
    for (const file of [NAMED, FILE]) {
      const { status, body } = await send('summary=true', multipart(...fields, [file, 'the bytes']), FORM);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        name: 'Größe & co',
        configuration: {
          dynamicWebhookEndpoints: [{ url: 'https://example.com/?a=1&b=2', events: ['stream.*'] }],
          processors: [{ properties: { summary: { enabled: true, properties: { length: 'brief' } } } }],
        },
      });
      expect((await gateway.bytesOf(body.streamId))?.toString()).toBe('the bytes');
      expect(await gateway.streamOf(body.streamId)).toMatchObject({ persist: true });
    }
  });

  test('takes fields beside a configuration part, in any order, and as one text field the file', async () => {
    const configuration: [string, string] = [CONFIGURATION, '{"patches":{"summary":true}}'];
    const length: [string, string] = [field('summaryLength'), 'brief'];
    for (const parts of [
      [configuration, length],
      [length, configuration],
    ]) {
      const { body } = await send(text(), multipart(...parts, [FILE, 'x']), FORM);
      expect(body.configuration.processors[0].properties.summary).toMatchObject({ enabled: true, properties: { length: 'brief' } });
    }
    const alone = await send(text(), multipart([field('text'), 'some text']), FORM);
    expect((await gateway.bytesOf(alone.body.streamId))?.toString()).toBe('some text');
  });

  test.each<[string, [string, string][], string]>([
    [
      'a wrong value',
      [
        [field('persist'), 'maybe'],
        [FILE, 'x'],
      ],
      'The query is not valid: persist must be true or false.',
    ],
    [
      'an unknown name',
      [
        [field('languge'), 'de'],
        [FILE, 'x'],
      ],
      'Forbidden patch: /languge',
    ],
    [
      'the file before it',
      [
        [FILE, 'x'],
        [field('summary'), 'true'],
      ],
      'The part "summary" comes after the file.',
    ],
    [
      'a named file before it',
      [
        [NAMED, 'x'],
        [field('summary'), 'true'],
      ],
      'The part "summary" comes after the file.',
    ],
    [
      'no file',
      [
        [field('summary'), 'true'],
        [field('persist'), 'true'],
      ],
      'The form has no file.',
    ],
  ])('refuses a field with %s by name, and creates nothing that runs', async (_, parts, message) => {
    const id = randomUUID();
    const { status, body } = await send(text(`id=${id}`), multipart(...parts), FORM);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await gateway.streamOf(id))?.stream.state ?? 'FAILED').toBe('FAILED');
  });

  test('with fields above MULTIPART_FIELDS_MAX_BYTES is 413', async () => {
    const fields = Array.from({ length: 5 }, (_, n): [string, string] => [field(`ask${n}`), 'x'.repeat(60_000)]);
    const { status, body } = await send(text(), multipart(...fields, [FILE, 'x']), FORM);
    expect([status, body.message]).toEqual([413, expect.stringContaining('262144 bytes together')]);
  });

  test('with more fields than MULTIPART_MAX_FIELDS is 413', async () => {
    const fields = Array.from({ length: 1_001 }, (_, n): [string, string] => [field(`ask${n}`), 'x']);
    const { status, body } = await send(text(), multipart(...fields, [FILE, 'x']), FORM);
    expect([status, body.message]).toEqual([413, expect.stringContaining('1000 fields')]);
  });

  const form = (field: string, more = '') => `Content-Disposition: form-data; name="file"${field}${more}`;
  const JSON_TYPE = '\r\nContent-Type: application/json';

  test.each([
    ['of a JSON file with its name', form('; filename="a.json"', JSON_TYPE), '{'],
    ['of a text file with its name', form('; filename="a.txt"', '\r\nContent-Type: text/plain'), '{'],
    ['of bytes without a name', FILE, '{'],
    ['of a text without a name', form(''), 'a'],
  ])('takes a single part %s as the file, also above 1 MiB', async (_what, header, first) => {
    const data = first.padEnd(1_500_000, 'x');
    const { status, body } = await send(ping(), multipart([header, data]), FORM);
    expect(status).toBe(200);
    expect((await gateway.bytesOf(body.streamId))?.toString() === data).toBe(true);
  });

  test.each([
    ['as a form field', form('')],
    ['as JSON', form('', JSON_TYPE)],
    ['as a Blob', form('; filename="blob"', JSON_TYPE)],
    ['as a named file', form('; filename="a.json"', JSON_TYPE)],
  ])('refuses a configuration above 1 MiB, sent %s, with 413 and a reason', async (_what, header) => {
    const { status, body } = await send(ping(), multipart([header, '{'.padEnd(1_500_000, 'x')], [FILE, 'x']), FORM);
    expect([status, body.message]).toEqual([413, expect.stringContaining('configuration part')]);
  });

  test('with more than 1 MiB outside its parts is 400', async () => {
    const preamble = Buffer.alloc(1_500_000, 'x\r\n');
    const { status, body } = await send(ping(), Buffer.concat([preamble, multipart([FILE, 'x'])]), FORM);
    expect([status, body.message]).toEqual([400, 'The body has more than 1048576 bytes outside its parts.']);
  });

  test('whose first part may be a configuration counts as held: 429 above MEMORY_PER_USER_MIB, while files are not held', async () => {
    const small = await startGateway(join(dataDir, 'small'), { limits: { memoryPerUserMib: 4 } });
    const begun = (start: string) => {
      const outgoing = request(`${small.url}/http-gateway/api/v1/upload?${ping()}`, { method: 'POST', headers: FORM });
      outgoing.on('error', () => {});
      const status = new Promise<number>((resolve) => outgoing.on('response', ({ statusCode = 0 }) => resolve(statusCode)));
      outgoing.write(multipart([FILE, start.padEnd(1_000_000, ' ')]).subarray(0, -100));
      return { outgoing, status };
    };
    const files = Array.from({ length: 6 }, () => begun('x'));
    const configurations = Array.from({ length: 6 }, () => begun('{'));
    expect(await Promise.any(configurations.map(({ status }) => status))).toBe(429);
    const answers = await Promise.race([Promise.any(files.map(({ status }) => status)), wait(200)]);
    expect(answers).toBeUndefined();
    for (const { outgoing } of [...files, ...configurations]) outgoing.destroy();
    await eventually(() => expect(small.memory.total).toBe(0));
    await small.close();
  });

  test('with a configuration part above CONFIGURATION_PART_MAX_BYTES is 413, and above JSON_MAX_VALUES or 64 levels 400', async () => {
    const small = await startGateway(join(dataDir, 'smaller'), { limits: { configurationPartMaxBytes: 10_000, jsonMaxValues: 1_000 } });
    const configured = async (value: unknown) => {
      const body = multipart([CONFIGURATION, JSON.stringify({ patches: { value } })], [FILE, 'x']);
      const response = await fetch(`${small.url}/http-gateway/api/v1/upload?${ping()}`, { method: 'POST', headers: FORM, body });
      const { message } = (await response.json()) as { message: string };
      return [response.status, message];
    };
    expect(await configured('x'.repeat(10_000))).toEqual([413, expect.stringContaining('exceeds 10000 bytes')]);
    expect(await configured(Array(1_000).fill(0))).toEqual([400, expect.stringContaining('at most 1000 values and 64 levels')]);
    const deep = Array.from({ length: 64 }).reduce<unknown>((inner) => [inner], 0);
    expect(await configured(deep)).toEqual([400, expect.stringContaining('at most 1000 values and 64 levels')]);
    await small.close();
  });

  test('fails the stream at a third part', async () => {
    const id = randomUUID();
    const { status, body } = await send(ping(`id=${id}`), multipart([CONFIGURATION, '{}'], [FILE, 'x'], [FILE, 'y']), FORM);
    expect([status, body.internalErrorName]).toEqual([400, 'HTTP_STREAM_CONFIGURATION_ERROR']);
    expect((await gateway.streamOf(id))?.stream.state).toBe('FAILED');
    expect(await gateway.bytesOf(id)).toBeNull();
  });

  test('is taken with a boundary in quotation marks, after other parameters', async () => {
    const quoted = { 'content-type': `multipart/form-data; charset=utf-8; Boundary="${BOUNDARY}"` };
    expect((await send(ping(), multipart([FILE, 'x']), quoted)).status).toBe(200);
  });

  test('is 400 without a boundary or without an end', async () => {
    for (const boundary of ['', '; boundary=', '; boundary=""', `; boundary=${'x'.repeat(10_000)}`])
      expect((await send(ping(), 'x', { 'content-type': `multipart/form-data${boundary}` })).status).toBe(400);
    const whole = multipart([CONFIGURATION, '{}'], [FILE, 'x'.repeat(10_000)]);
    for (const length of [10, 150, 300, whole.length - 10]) {
      const { status, body } = await send(ping(), whole.subarray(0, length), FORM);
      expect([status, body.internalErrorName]).toEqual([400, 'GENERAL_BAD_REQUEST_ERROR']);
    }
  });

  test('leaves a FAILED stream if the client leaves during the file', async () => {
    const id = randomUUID();
    const { outgoing } = open(ping(`id=${id}`), { ...FORM, 'content-length': 100_000 });
    outgoing.write(multipart([CONFIGURATION, '{}'], [FILE, 'x'.repeat(10_000)]).subarray(0, 5_000));
    await eventually(async () => (await gateway.streamOf(id)) !== null);
    outgoing.destroy();
    await eventually(async () => (await gateway.streamOf(id))?.stream.state === 'FAILED');
  });
});

describe('Idempotency-Key', () => {
  test('answers with the same stream for the same parameters, and 409 for others', async () => {
    const key = randomUUID();
    const first = await send(ping('name=a'), 'one', { 'idempotency-key': key });
    expect(first.body.streamId).toBe(uuidv5(ALICE, key));
    const again = await send(ping('name=a'), 'one', { 'idempotency-key': key });
    expect([again.status, again.body.streamId]).toEqual([200, first.body.streamId]);
    expect((await gateway.bytesOf(first.body.streamId))?.toString()).toBe('one');
    expect((await send(ping('name=b'), 'one', { 'idempotency-key': key })).status).toBe(409);
    expect((await send(ping('name=a'), 'x', { 'idempotency-key': key, 'x-subject': BOB })).body.streamId).toBe(uuidv5(BOB, key));
  });

  test.each([
    ['patches', text('ask0=a&ask1=b&summary=true'), text('summary=true&ask1=b&ask0=a')],
    ['tags', ping('persist=true&persistTags=a&persistTags=b'), ping('persistTags=b&persist=true&persistTags=a')],
    [
      'webhooks',
      ping('webhook=https%3A%2F%2Fa.example%2F&webhook.stream=https%3A%2F%2Fb.example%2F'),
      ping('webhook.stream=https%3A%2F%2Fb.example%2F&webhook=https%3A%2F%2Fa.example%2F'),
    ],
  ])('treats the same %s in another order as the same parameters', async (_what, one, other) => {
    const key = randomUUID();
    const first = await send(one, 'x', { 'idempotency-key': key });
    expect(first.status).toBe(200);
    const again = await send(other, 'x', { 'idempotency-key': key });
    expect([again.status, again.body.streamId]).toEqual([200, first.body.streamId]);
  });

  test('shows the current stream for a repeated upload, including a stopped webhook', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const query = ping('webhook=https%3A%2F%2Fexample.org%2Fgone');
    const first = (await send(query, 'x', headers)).body;
    const [{ id: endpointId }] = first.configuration.dynamicWebhookEndpoints;
    const by = { subject: ALICE, actor: 'test', correlationId: 'c', causationId: 'c' };
    await disableWebhookEndpoint({ log: gateway.log }, { endpointId, reason: 'The receiver answered 410 Gone.', dynamic: true }, by);
    const again = (await send(query, 'x', headers)).body;
    expect(again.streamId).toBe(first.streamId);
    expect(again.configuration.dynamicWebhookEndpoints).toMatchObject([
      { id: endpointId, enabled: false, disabledReason: 'The receiver answered 410 Gone.' },
    ]);
  });

  test('has at most 255 characters, whatever their bytes', async () => {
    const status = async (key: string) => (await send(ping(), 'x', { 'idempotency-key': Buffer.from(key).toString('latin1') })).status;
    expect([await status('é'.repeat(255)), await status('é'.repeat(256))]).toEqual([200, 400]);
  });

  test('counts patches of one property in another order as other parameters, since the last one wins', async () => {
    const key = randomUUID();
    const patches = ['brief', 'detailed'].map((value) => ({
      op: 'replace',
      path: '/processors/0/properties/summary/properties/length',
      value,
    }));
    const under = (list: object[]) => send(text(), 'x', { 'idempotency-key': key, 'x-template-patch': JSON.stringify(list) });
    expect((await under(patches)).status).toBe(200);
    expect((await under(patches.toReversed())).status).toBe(409);
  });

  test('is 409 with Retry-After while the first upload runs; after it failed, the next try is another stream', async () => {
    const key = randomUUID();
    const { outgoing } = open(ping(), { 'idempotency-key': key });
    outgoing.write('part');
    await eventually(async () => (await gateway.streamOf(uuidv5(ALICE, key))) !== null);
    const meanwhile = await send(ping(), 'x', { 'idempotency-key': key });
    expect(meanwhile.status).toBe(409);
    expect(meanwhile.headers.get('retry-after')).toBe('1');
    outgoing.destroy();
    await eventually(async () => (await gateway.streamOf(uuidv5(ALICE, key)))?.upload.state === 'failed');
    const next = await send(ping(), 'whole', { 'idempotency-key': key });
    expect([next.status, next.body.streamId]).toEqual([200, uuidv5(ALICE, `${key}#2`)]);
  });

  test('takes the next id if another user has a stream or group with the computed one', async () => {
    for (const taking of ['id', 'groupId']) {
      const key = randomUUID();
      const computed = uuidv5(ALICE, key);
      expect((await send(ping(`${taking}=${computed}`), 'x', { 'x-subject': BOB })).status).toBe(200);
      const first = await send(ping(), 'mine', { 'idempotency-key': key });
      expect([first.status, first.body.streamId]).toEqual([200, uuidv5(ALICE, `${key}#2`)]);
      expect((await send(ping(), 'mine', { 'idempotency-key': key })).body.streamId).toBe(first.body.streamId);
    }
  });

  test('lets only one of many simultaneous uploads create a stream', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(ping(), 'x', { 'idempotency-key': key })));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await gateway.streamOf(uuidv5(ALICE, `${key}#2`))).toBeNull();
  });

  test('is 409 if the given id is another, missing or new, also on a node without memory of it', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    const status = async (query: string, of = key) => {
      forgetStates(gateway.log);
      return (await send(ping(query), 'x', { 'idempotency-key': of })).status;
    };
    expect(await status(`id=${id}`)).toBe(200);
    expect(await status(`id=${randomUUID()}`)).toBe(409);
    expect(await status('')).toBe(409);
    expect(await status(`id=${id}`)).toBe(200);
    expect(await gateway.streamOf(uuidv5(ALICE, key))).toBeNull();
    const other = randomUUID();
    expect(await status('', other)).toBe(200);
    expect(await status(`id=${randomUUID()}`, other)).toBe(409);
  });

  test('stays free if the upload is refused before its first byte', async () => {
    const key = randomUUID();
    expect((await send(ping(`id=${randomUUID()}`), '', { 'idempotency-key': key })).status).toBe(400);
    expect((await send(ping(), 'x', { 'idempotency-key': key })).body.streamId).toBe(uuidv5(ALICE, key));
  });

  test('keeps a given id; a key of 256 characters is 400', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    expect((await send(ping(`id=${id}`), 'x', { 'idempotency-key': key })).body.streamId).toBe(id);
    expect((await send(ping(`id=${id}`), 'x', { 'idempotency-key': key })).body.streamId).toBe(id);
    expect((await send(ping(`id=${id}`), 'x', { 'idempotency-key': 'other' })).status).toBe(409);
    expect((await send(ping(), 'x', { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
  });
});

describe('templates', () => {
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${gateway.url}/stream-configuration-service/api/v1/${path}`, { headers });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  test('are listed in pages, including every built-in one', async () => {
    const { body } = await get('stream-configuration-templates?size=3&page=1');
    expect(body).toMatchObject({ totalElements: 7, totalPages: 3, size: 3, number: 1, numberOfElements: 3 });
  });

  test('are read by id and version, with an ETag', async () => {
    const { body, headers } = await get(`stream-configuration-templates/${PING}?version=1`);
    expect(body).toMatchObject({ id: PING, name: 'Ping', version: 1 });
    expect(headers.get('etag')).toBe('"builtin-1"');
    expect((await get(`stream-configuration-templates/${PING}?version=2`)).status).toBe(404);
    expect((await get('stream-configuration-templates/nope')).status).toBe(404);
  });

  test('show an overlay in the log to its user only', async () => {
    const subject = randomUUID();
    // The log lacks the members that only answers have.
    const { origin: _, runnable: _runnable, ...builtin } = (await get(`stream-configuration-templates/${PING}`)).body;
    const template = { ...builtin, description: 'mine', version: 1 };
    const context = { subject, actor: 'test', correlationId: 'c', causationId: 'c' };
    await get(`stream-configuration-templates/${PING}`, { 'x-subject': subject });
    await gateway.log.append(
      `templates-${subject}`,
      { revision: 'no stream', hash: null },
      [{ type: 'TemplateSaved', data: { template, baseVersion: 1 } }],
      context,
    );
    const mine = await get(`stream-configuration-templates/${PING}`, { 'x-subject': subject });
    expect([mine.body.description, mine.headers.get('etag')]).toEqual(['mine', '"user-1"']);
    expect((await get(`stream-configuration-templates/${PING}`)).body.description).not.toBe('mine');
    const list = await get('stream-configuration-templates', { 'x-subject': subject });
    expect(list.body.totalElements).toBe(7);
  });

  test('of another user are listed for admins only', async () => {
    expect((await get(`stream-configuration-templates?subject=${BOB}`)).status).toBe(403);
    expect((await get(`stream-configuration-templates?subject=${BOB}`, { 'x-role': 'admin' })).status).toBe(200);
  });
});
