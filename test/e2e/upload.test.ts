import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { call, getStream, PING_TEMPLATE, readCaughtUp, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';
import { tributary } from './tributary.ts';

let server: RunningServer;
beforeAll(async () => {
  // On a slow machine, the last of 100 uploads at once wait in line for more than ten seconds.
  server = await startServer({ environment: { UPLOAD_MAX_BYTES: '3000000', REQUEST_WAIT_S: '60' } });
});
afterAll(() => server.kill());

const ping = { streamConfigurationTemplateId: PING_TEMPLATE };
const persisted = { ...ping, persist: 'true' };

const exportEvents = async (streamId: string) => {
  const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${streamId}`);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const echoed = async (streamId: string): Promise<Buffer> =>
  Buffer.concat((await exportEvents(streamId)).map(({ payload }) => Buffer.from(payload, 'base64')));

describe('an upload of raw bytes', () => {
  test('is answered with the READY stream, which then completes', async () => {
    const answer = await upload(server.url, { ...persisted, name: 'first' }, 'hello');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name: 'first', stateDescription: null, finalizedTimestamp: null });
    expect(answer.body.groupId).toBe(answer.body.streamId);
    const stream = await streamEnd(server.url, answer.body.streamId);
    expect(stream).toMatchObject({ state: 'COMPLETED', stateDescription: null });
    expect(Date.parse(stream.finalizedTimestamp)).not.toBeNaN();
  });

  test('gets its own bytes back through the echo processor, over many frames', async () => {
    const bytes = randomBytes(2_500_000);
    const { body } = await upload(server.url, persisted, bytes);
    await streamEnd(server.url, body.streamId);
    expect((await echoed(body.streamId)).equals(bytes)).toBe(true);
  });

  test('shows every documented member, null, {} or [] without a value', async () => {
    const { body } = await upload(server.url, persisted, 'x');
    expect(Object.keys(body).sort()).toEqual(
      [
        'attempt',
        'configuration',
        'createdTimestamp',
        'creatorId',
        'finalizedTimestamp',
        'groupCreatorId',
        'groupId',
        'labels',
        'name',
        'state',
        'stateDescription',
        'streamId',
      ].sort(),
    );
    const { dataSource, dataSinks, processors, dynamicWebhookEndpoints } = body.configuration;
    expect(dataSource.topic).toMatch(/^persistent:\/\/[^/]+\/data-sources\/[0-9a-f-]{36}$/);
    expect(dataSource.messageSchema).toBe('bytes');
    expect(dynamicWebhookEndpoints).toEqual([]);
    expect(processors).toHaveLength(1);
    expect(processors[0].egress).toEqual({ persist: true, sink: true, tags: ['echo', 'main'] });
    expect(processors[0].source.subscription).toMatch(/^echo-.{5}$/);
    expect(dataSinks.echo.topic).toMatch(/^persistent:\/\/[^/]+\/persistent-data-sinks\/[0-9a-f-]{36}$/);
  });

  test('may be chunked', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const part of ['one ', 'two ', 'three']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const answer = await fetch(`${server.url}/http-gateway/api/v1/upload?${new URLSearchParams(persisted)}`, {
      method: 'POST',
      headers: { authorization: `Basic ${ADMIN_KEY}`, 'content-type': 'audio/wav' },
      body,
      duplex: 'half',
    } as RequestInit);
    const { streamId } = (await answer.json()) as { streamId: string };
    await streamEnd(server.url, streamId);
    expect((await echoed(streamId)).toString()).toBe('one two three');
  });

  test('is 400 if empty, creates nothing and leaves its id free', async () => {
    const id = randomUUID();
    const empty = await upload(server.url, { ...ping, id }, '');
    expect(empty.status).toBe(400);
    expect(empty.body.nestedErrors).toEqual([]);
    expect((await getStream(server.url, id)).status).toBe(404);
    expect((await upload(server.url, { ...ping, id }, 'now')).status).toBe(200);
  });

  test('is 409 if its id is in use', async () => {
    const id = randomUUID();
    await upload(server.url, { ...ping, id }, 'one');
    const second = await upload(server.url, { ...ping, id }, 'two');
    expect([second.status, second.body.internalErrorName]).toEqual([409, 'GENERAL_CONFLICT_ERROR']);
  });

  test('is accepted once for two simultaneous requests with one id', async () => {
    const id = randomUUID();
    const answers = await Promise.all(['one', 'two', 'three', 'four'].map((text) => upload(server.url, { ...ping, id }, text)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

describe('an upload that is too large', () => {
  test('is refused at once if its length is announced, and nothing is stored', async () => {
    const id = randomUUID();
    const answer = await upload(server.url, { ...ping, id }, Buffer.alloc(3_000_001));
    expect(answer.status).toBe(413);
    expect((await getStream(server.url, id)).status).toBe(404);
  });

  test('is refused when it passes the limit, and its stream is FAILED', async () => {
    const id = randomUUID();
    const status = await sendChunks(
      id,
      Array.from({ length: 40 }, () => Buffer.alloc(100_000)),
    );
    expect(status).toBe(413);
    expect(await streamEnd(server.url, id)).toMatchObject({ state: 'FAILED' });
  });
});

/** Sends chunks without an announced length; resolves with the status. */
const sendChunks = (id: string, chunks: Buffer[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.url}/http-gateway/api/v1/upload?${new URLSearchParams({ ...ping, id })}`,
      { method: 'POST', headers: { authorization: `Basic ${ADMIN_KEY}` } },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.resume();
      },
    );
    outgoing.on('error', reject);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });

describe('a client that disconnects', () => {
  test('leaves a FAILED stream with a reason and no bytes', async () => {
    const id = randomUUID();
    const outgoing = request(`${server.url}/http-gateway/api/v1/upload?${new URLSearchParams({ ...persisted, id })}`, {
      method: 'POST',
      headers: { authorization: `Basic ${ADMIN_KEY}`, 'content-length': '1000' },
    });
    outgoing.on('error', () => {});
    outgoing.write('only a part');
    await eventually(async () => (await getStream(server.url, id)).status === 200);
    outgoing.destroy();
    const stream = await streamEnd(server.url, id);
    expect(stream.state).toBe('FAILED');
    expect(stream.stateDescription).toBeTruthy();
    const components = await call(server.url, `/stream-service/api/v1/streams/${id}/components`);
    expect(components.body.gateway.state).toBe('CLOSED');
  });
});

describe('a multipart upload', () => {
  const multipart = (parts: readonly (readonly [headers: string, body: string])[]) => {
    const boundary = 'xBOUNDARYx';
    const text = parts.map(([headers, body]) => `--${boundary}\r\n${headers}\r\n\r\n${body}\r\n`).join('');
    return { body: `${text}--${boundary}--\r\n`, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
  };
  const send = (query: Record<string, string>, parts: Parameters<typeof multipart>[0]) => {
    const { body, headers } = multipart(parts);
    return upload(server.url, query, body, { headers });
  };
  const JSON_PART = 'Content-Disposition: form-data; name="configuration"\r\nContent-Type: application/json';
  const BARE_FILE_PART = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';

  test('accepts a file part without a filename', async () => {
    const { status, body } = await send(persisted, [
      [JSON_PART, '{}'],
      [BARE_FILE_PART, 'the bytes'],
    ]);
    expect(status).toBe(200);
    await streamEnd(server.url, body.streamId);
    expect((await echoed(body.streamId)).toString()).toBe('the bytes');
  });

  test('accepts the file alone', async () => {
    const { status, body } = await send(persisted, [['Content-Disposition: form-data; name="a"; filename="a.bin"', 'alone']]);
    expect(status).toBe(200);
    await streamEnd(server.url, body.streamId);
    expect((await echoed(body.streamId)).toString()).toBe('alone');
  });

  test('is patched by its configuration part, with text values coerced, and shows its webhooks', async () => {
    const url = 'https://example.com/hook';
    const { status, body } = await send({ streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'false' }, [
      [JSON_PART, JSON.stringify({ type: 'CONFIGURATION', patches: { summary: 'true' }, webhook: { [url]: ['stream.*'] } })],
      [BARE_FILE_PART, 'Some text. More text.'],
    ]);
    expect(status).toBe(200);
    expect(body.configuration.processors[0].properties.summary.enabled).toBe(true);
    expect(body.configuration.dynamicWebhookEndpoints).toMatchObject([{ url, events: ['stream.*'], enabled: true }]);
  });

  test('is 400 HTTP_STREAM_CONFIGURATION_ERROR for a bad configuration part and creates nothing', async () => {
    const id = randomUUID();
    const { status, body } = await send({ ...ping, id }, [
      [JSON_PART, '{"patches": 5}'],
      [BARE_FILE_PART, 'x'],
    ]);
    expect([status, body.internalErrorName]).toEqual([400, 'HTTP_STREAM_CONFIGURATION_ERROR']);
    expect((await getStream(server.url, id)).status).toBe(404);
  });

  test('refuses a forbidden patch in the configuration part like anywhere else', async () => {
    const { status, body } = await send(ping, [
      [JSON_PART, '{"patches": {"langs": "en"}}'],
      [BARE_FILE_PART, 'x'],
    ]);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      internalErrorName: 'STREAM_CONFIGURATION_BAD_PATCH',
      title: 'Invalid stream configuration',
      message: 'Forbidden patch: /langs',
    });
  });
});

describe('patches', () => {
  const text = { streamConfigurationTemplateId: TEXT_TEMPLATE };

  test('are accepted as aliases in the query and coerced to the type of the property', async () => {
    const { body } = await upload(server.url, { ...text, summary: 'true', ask0: 'Who called?', summaryLength: 'brief' }, 'A text.');
    expect(body.configuration.processors[0].properties).toMatchObject({
      summary: { enabled: true, properties: { length: 'brief' } },
      askAnything: { 0: { content: 'Who called?' } },
    });
  });

  test('are accepted in the header, but the query takes precedence', async () => {
    const header = JSON.stringify([{ op: 'replace', path: '/processors/llm/properties/summary/enabled', value: false }]);
    const { body } = await upload(server.url, { ...text, summary: 'true' }, 'A text.', {
      headers: { 'x-vat-meta-template-patch': header },
    });
    expect(body.configuration.processors[0].properties.summary.enabled).toBe(true);
  });

  test.each([
    ['an unknown key', { langs: 'en' }, 'STREAM_CONFIGURATION_BAD_PATCH'],
    ['a prototype', { 'processors.llm.properties.__proto__.x': '1' }, 'STREAM_CONFIGURATION_BAD_PATCH'],
    ['a value that the schema refuses', { summaryLength: 'endless' }, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR'],
    ['a webhook of another resource', { 'webhook.gateway': 'https://example.com/' }, 'WEBHOOK_CONFIGURATION_ERROR'],
    ['a webhook into the network of the operator', { webhook: 'http://127.0.0.1/' }, 'WEBHOOK_CONFIGURATION_ERROR'],
    ['no template', { streamConfigurationTemplateId: '' }, 'STREAM_CONFIGURATION_BAD_TEMPLATE'],
  ])('%s is refused', async (_, query, name) => {
    const { status, body } = await upload(server.url, { ...text, ...query } as Record<string, string>, 'x');
    expect([status, body.internalErrorName]).toEqual([400, name]);
  });

  test('are 404 for an unknown template', async () => {
    for (const streamConfigurationTemplateId of ['000000000000000000000000', 'x'.repeat(2_000), '\u0000'])
      expect((await upload(server.url, { streamConfigurationTemplateId }, 'x')).status).toBe(404);
  });
});

describe('an id', () => {
  test('is read in any case: of the upload, of its group, in paths and in queries', async () => {
    const [id, groupId] = [randomUUID(), randomUUID()];
    const [ID, GROUP] = [id.toUpperCase(), groupId.toUpperCase()];
    const first = await upload(server.url, { ...persisted, id: ID, groupId: GROUP }, 'hello');
    expect(first.body).toMatchObject({ streamId: id, groupId });
    expect((await upload(server.url, { ...persisted, id }, 'again')).status).toBe(409);
    const second = await upload(server.url, { ...persisted, groupId }, 'hello');
    await streamEnd(server.url, ID);
    await streamEnd(server.url, second.body.streamId);
    expect((await getStream(server.url, ID)).body.streamId).toBe(id);
    expect((await call(server.url, `/stream-service/api/v1/groups/${GROUP}`)).body).toMatchObject({ groupId, streamsCount: 2 });
    expect((await call(server.url, `/stream-service/api/v1/streams?group=${GROUP}`)).body.totalElements).toBe(2);
    for (const query of [`streams=${ID}`, `streams=${id},${ID}&group=${GROUP}`]) {
      const { text } = await call(server.url, `/export-service/api/v1/export/EVENTS?${query}`);
      expect(text.trim().split('\n').length).toBe(1);
    }
    expect((await call(server.url, `/usage-service/api/v1/usage/streams/${ID}`)).status).toBe(200);
  });
});

describe('an Idempotency-Key', () => {
  test('makes a repeated upload answer with the same stream', async () => {
    const headers = { 'idempotency-key': `key-${randomUUID()}` };
    const first = await upload(server.url, ping, 'bytes', { headers });
    const again = await upload(server.url, ping, 'bytes', { headers });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.streamId).toBe(first.body.streamId);
  });

  test('with other parameters is 409', async () => {
    const headers = { 'idempotency-key': `key-${randomUUID()}` };
    await upload(server.url, ping, 'bytes', { headers });
    expect((await upload(server.url, { ...ping, name: 'other' }, 'bytes', { headers })).status).toBe(409);
  });
});

const AT_ONCE = 100;

describe(`${AT_ONCE} uploads at once`, () => {
  test('are found and listed right after their answers', async () => {
    const group = randomUUID();
    const one = async (index: number) => {
      const answer = await upload(server.url, { ...ping, name: `parallel-${index}`, groupId: group }, randomBytes(100));
      expect(answer.status).toBe(200);
      const { streamId } = answer.body;
      // A list that says that it is behind is asked again with its position, as the API documents, until it is not 503.
      const list = async () => {
        const caughtUp = await readCaughtUp(server.url, `/stream-service/api/v1/streams?name=parallel-${index}&group=${group}`);
        return caughtUp.status !== 503 && caughtUp;
      };
      const [found, listed] = await Promise.all([getStream(server.url, streamId), eventually(list, 20_000)]);
      expect(found.status).toBe(200);
      expect(listed.body.content.map((stream: { streamId: string }) => stream.streamId)).toEqual([streamId]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => one(index)));
    const { body } = await call(server.url, `/stream-service/api/v1/groups/${group}`);
    expect(body.streamsCount).toBe(AT_ONCE);
  });
});

describe('the running streams of one user', () => {
  test('are limited even if uploads start at once: 429 with Retry-After', async () => {
    const limited = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '3' } });
    const refused: IncomingMessage[] = [];
    const held = Array.from({ length: 12 }, () => {
      const outgoing = request(`${limited.url}/http-gateway/api/v1/upload?${new URLSearchParams(ping)}`, {
        method: 'POST',
        headers: { authorization: `Basic ${ADMIN_KEY}`, 'content-length': '100' },
      });
      outgoing.on('error', () => {});
      outgoing.on('response', (answer) => refused.push(answer.resume()));
      outgoing.write('held open');
      return outgoing;
    });
    await eventually(() => refused.length === 9);
    expect(new Set(refused.map(({ statusCode }) => statusCode))).toEqual(new Set([429]));
    for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^\d+$/);
    await eventually(async () => (await call(limited.url, '/stream-service/api/v1/streams?state=READY')).body.totalElements === 3);
    const one = await upload(limited.url, ping, 'x');
    expect([one.status, one.body.internalErrorName]).toEqual([429, 'STREAM_USAGE_LIMIT_REACHED']);
    expect((await call(limited.url, '/stream-service/api/v1/streams')).body.totalElements).toBe(3);
    for (const outgoing of held) outgoing.destroy();
    await eventually(async () => (await upload(limited.url, ping, 'x')).status === 200);
  });
});

test('the stored bytes have the SHA-256 of the log', async () => {
  const bytes = randomBytes(50_000);
  const { body } = await upload(server.url, ping, bytes);
  const events = await eventStream(`stream-${body.streamId}`);
  expect(events.find(({ type }) => type === 'UploadCompleted')?.data).toMatchObject({
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

const eventStream = async (name: string): Promise<{ type: string; data: object }[]> => {
  const { stdout } = await tributary(server.dataDir, ['audit', 'events', name, '--json'], server.environment);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};
