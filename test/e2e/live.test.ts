import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, PATIENCE } from '../eventually.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { LIVE, type LiveReader, readLive, slowUpload } from './live.ts';
import { type RunningServer, startServer } from './server.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ environment: { EXPORT_MAX_WAIT_MS: '15000' } });
});
afterAll(() => server.kill());

const ping = { streamConfigurationTemplateId: PING_TEMPLATE };

const textOf = (reader: LiveReader): string =>
  reader
    .messages()
    .map(({ payload }) => Buffer.from(payload, 'base64').toString())
    .join('');

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const sending = (more: Readonly<Record<string, string>> = {}) => {
  const id = more.id ?? randomUUID();
  return { id, upload: slowUpload(server.url, { ...ping, id, ...more }) };
};

/** A running upload whose first byte a reader has received. */
const underWay = async (more: Readonly<Record<string, string>> = {}) => {
  const { id, upload: sent } = sending(more);
  const reader = readLive(server.url, `streams=${id}`);
  sent.send('a');
  await eventually(() => expect(textOf(reader)).toBe('a'));
  return { id, sent, reader };
};

const problem = async (query: string): Promise<[number, string]> => {
  const { status, body } = await call(server.url, `${LIVE}?${query}`);
  return [status, body?.internalErrorName];
};

describe('a live read', () => {
  test('sends each message while the upload continues, and ends with the stream', async () => {
    const { id, sent, reader } = await underWay();
    expect((await reader.headers).contentType).toBe('application/x-ndjson');
    for (const text of ['b', 'c']) {
      sent.send(text);
      await eventually(() => expect(textOf(reader).endsWith(text)).toBe(true));
    }
    expect((await getStream(server.url, id)).body.state).toBe('READY');
    sent.end();
    await reader.done;
    const stream = await streamEnd(server.url, id);
    expect(reader.messages()[0]).toEqual({
      streamId: id,
      groupId: id,
      tags: ['echo', 'main'],
      sinkTopicName: stream.configuration.dataSinks.echo.topic,
      messageId: '0',
      processorId: 'echo',
      sequenceId: 0,
      publishTimestamp: expect.any(Number),
      frameType: 'final',
      payloadSchema: 'bytes',
      payload: Buffer.from('a').toString('base64'),
      headers: expect.any(Object),
    });
    expect(reader.messages().map(({ sequenceId }) => sequenceId)).toEqual([0, 1, 2]);
  });

  test('may start before the stream, answers when it is created, and sends the first message at once', async () => {
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id, upload: sent } = sending();
      const reader = readLive(server.url, `streamIds=${id}`);
      let begun = false;
      reader.headers.then(() => {
        begun = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(begun).toBe(false);
      const before = performance.now();
      sent.send('x');
      await eventually(() => expect(textOf(reader)).toBe('x'));
      times.push(performance.now() - before);
      sent.end();
      await reader.done;
    }
    // The promise is 200 ms on an idle machine; the best of five distinguishes it from a slow poll.
    expect(Math.min(...times)).toBeLessThan(200 * PATIENCE);
  });

  test('is 404 after its timeout if the stream is not created', async () => {
    const before = performance.now();
    expect(await problem(`streams=${randomUUID()}&timeout=300`)).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    expect(performance.now() - before).toBeGreaterThan(290);
    expect(await problem('streams=none&timeout=10000')).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    expect(await problem(`group=${randomUUID()}&timeout=0`)).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
  });

  test('that starts late gets everything stored so far, then new messages, then the end', async () => {
    const { id, sent, reader } = await underWay();
    sent.send('b');
    await eventually(() => expect(textOf(reader)).toBe('ab'));
    const late = readLive(server.url, `streams=${id}`);
    await eventually(() => expect(textOf(late)).toBe('ab'));
    sent.send('c');
    await eventually(() => expect(textOf(late)).toBe('abc'));
    sent.end();
    await Promise.all([late.done, reader.done]);
    await streamEnd(server.url, id);
    const last = readLive(server.url, `streams=${id}`);
    await last.done;
    expect(textOf(last)).toBe('abc');
  });

  test('as RAW returns the original bytes', async () => {
    const bytes = randomBytes(3_000_000);
    const id = randomUUID();
    const reader = readLive(server.url, `streams=${id}&format=RAW`);
    await upload(server.url, { ...ping, id }, bytes);
    expect((await reader.headers).contentType).toBe('application/octet-stream');
    expect(sha256(await reader.done)).toBe(sha256(bytes));
  });

  test('of messages sends a line each, as RAW their payloads, and can omit partial frames, payloads and empty messages', async () => {
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' };
    const { body } = await upload(server.url, query, 'A good day. A very good day for all of us.', {
      headers: { 'content-type': 'text/plain' },
    });
    const read = async (more: string) => {
      const reader = readLive(server.url, `streams=${body.streamId}&${more}`);
      await reader.done;
      return reader.messages();
    };
    const messages = await read('tags=llm&acceptFrameType=final');
    expect(messages.length).toBeGreaterThan(0);
    expect(messages[0].payload).toHaveProperty('promptId');
    expect(await read('format=RAW')).toEqual(messages.map(({ payload }) => payload));
    expect(await read('omitPayload=true&excludeNoPayload=true')).toEqual(messages.map((message) => ({ ...message, payload: null })));
    expect(await read('tags=none')).toEqual([]);
    expect(await read('tags=llm,none&matchTags=ALL')).toEqual([]);
  });

  test('that resumes after a message loses and repeats nothing, on a running and on an ended stream', async () => {
    const { id, sent, reader } = await underWay();
    for (const text of ['b', 'c', 'd']) {
      sent.send(text);
      await eventually(() => expect(textOf(reader).endsWith(text)).toBe(true));
    }
    const [, second] = reader.messages();
    const at = `${encodeURIComponent(second.sinkTopicName)}=${second.messageId}`;
    const resumed = readLive(server.url, `streams=${id}&resume=${at}`);
    await eventually(() => expect(textOf(resumed)).toBe('cd'));
    sent.send('e');
    await eventually(() => expect(textOf(resumed)).toBe('cde'));
    sent.end();
    await Promise.all([resumed.done, reader.done]);
    await streamEnd(server.url, id);
    const last = reader.messages().at(-1);
    const again = readLive(server.url, `streams=${id}&resume=${encodeURIComponent(last.sinkTopicName)}=${last.messageId}`);
    expect((await again.done).length).toBe(0);
    expect(await problem(`streams=${id}&resume=${encodeURIComponent(last.sinkTopicName)}=${Number(last.messageId) + 1}`)).toEqual([
      400,
      'GENERAL_VALIDATION_ERROR',
    ]);
  });

  test('of several streams of a group interleaves them and keeps each in order', async () => {
    const first = await underWay();
    const second = sending({ groupId: first.id });
    const both = readLive(server.url, `group=${first.id}&count=2`);
    second.upload.send('1');
    for (const [sent, text] of [
      [first.sent, 'b'],
      [second.upload, '2'],
      [first.sent, 'c'],
      [second.upload, '3'],
    ] as const) {
      await eventually(() => expect(textOf(both)).toContain(text === 'b' ? 'a' : text === '2' ? '1' : text === 'c' ? 'b' : '2'));
      sent.send(text);
    }
    await eventually(() => expect([...textOf(both)].sort().join('')).toBe('123abc'));
    const of = (id: string) => both.messages().filter(({ streamId }) => streamId === id);
    expect(of(first.id).map(({ sequenceId }) => sequenceId)).toEqual([0, 1, 2]);
    first.sent.end();
    await streamEnd(server.url, first.id);
    second.upload.end();
    await both.done;
    const excluding = readLive(server.url, `group=${first.id}&streamsInclusion=EXCLUDE&streams=${first.id}&count=1`);
    await excluding.done;
    expect(textOf(excluding)).toBe('123');
    first.reader.leave();
  });

  test('ends when the stream is cancelled, even if a sink was never created', async () => {
    const { id, reader, sent } = await underWay();
    const waiting = sending({ streamConfigurationTemplateId: TEXT_TEMPLATE });
    const never = readLive(server.url, `streams=${waiting.id}`);
    waiting.upload.send('text');
    expect((await never.headers).status).toBe(200);
    for (const one of [id, waiting.id]) await call(server.url, `/stream-service/api/v1/streams/${one}/cancel`, { method: 'PUT' });
    await Promise.all([reader.done, never.done]);
    expect((await never.done).length).toBe(0);
    sent.breakOff();
    waiting.upload.breakOff();
  });

  test('whose client stops reading delays neither the upload nor other readers', async () => {
    const bytes = randomBytes(24 * 1_048_576);
    const id = randomUUID();
    const slow = readLive(server.url, `streams=${id}&format=RAW`);
    const fast = readLive(server.url, `streams=${id}&format=RAW`);
    const sent = slowUpload(server.url, { ...ping, id });
    sent.send(bytes.subarray(0, 10));
    await slow.headers;
    slow.pause();
    sent.send(bytes.subarray(10));
    sent.end();
    expect(await sent.answered).toBe(200);
    expect(sha256(await fast.done)).toBe(sha256(bytes));
    await streamEnd(server.url, id);
    const taken = slow.chunks.reduce((sum, { length }) => sum + length, 0);
    expect(taken).toBeLessThan(bytes.length / 2);
    slow.resume();
    expect(sha256(await slow.done)).toBe(sha256(bytes));
  });

  test("of another's stream is 404", async () => {
    const { id, sent, reader } = await underWay();
    const issued = await call(server.url, '/credential-service/api/v1/credentials', {
      method: 'POST',
      body: { kind: 'api-key', label: 'other', role: 'user' },
    });
    const other = await call(server.url, `${LIVE}?streams=${id}&timeout=100`, { key: issued.body.secret });
    expect(other.status).toBe(404);
    sent.end();
    await reader.done;
  });
});

describe('an invalid read', () => {
  test.each([
    ['', 'nothing'],
    ['streams=', 'an empty list'],
    ['streamsInclusion=EXCLUDE&streams=a', 'EXCLUDE without group'],
    ['group=a&streamsInclusion=EXCLUDE', 'EXCLUDE without count'],
    ['group=a&count=0', 'no streams'],
    ['group=a&timeout=-1', 'a time before now'],
    ['group=a&format=XML', 'an unknown format'],
    ['group=a&format=RAW&omitPayload=true', 'RAW without payload'],
    ['group=a&acceptFrameType=partial', 'an unknown frame type'],
    ['group=a&omitPayload=yes', 'a boolean that is none'],
    ['group=a&group=b', 'a single parameter twice'],
    ['group=a&resume=x', 'resume without a message'],
    ['group=a&resume==1', 'resume without a sink'],
    ['group=a&resume=x=-2', 'a negative message'],
    ['group=a&resume=x=1&resume=x=2', 'a sink twice'],
  ])('%s is 400: %s', async (query) => {
    expect(await problem(query)).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
  });

  test('resumes after a message of a sink, or is refused with 400, whatever the value', async () => {
    const { body } = await upload(server.url, ping, 'hello');
    const stream = await streamEnd(server.url, body.streamId);
    const sink = stream.configuration.dataSinks.echo.topic;
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .tuple(fc.constantFrom(sink, `${sink}x`, stream.configuration.dataSource.topic, ''), fc.string({ maxLength: 20 }))
        .map((pair) => pair.join('=')),
      fc.tuple(fc.constant(sink), fc.oneof(fc.bigInt(), fc.double(), fc.integer())).map(([topic, id]) => `${topic}=${id}`),
    );
    await fc.assert(
      fc.asyncProperty(value, async (resume) => {
        const [status, name] = await problem(`streams=${stream.streamId}&resume=${encodeURIComponent(resume)}`);
        const good = /^(0+|-1)$/.test(resume.slice(sink.length + 1)) && resume.startsWith(`${sink}=`) && resume.length <= sink.length + 16;
        expect([status, name], resume).toEqual(good ? [200, undefined] : [400, 'GENERAL_VALIDATION_ERROR']);
      }),
      { numRuns: 150 },
    );
  });

  test('with any parameters is answered with 200, or with the documented 400 and 404', async () => {
    const { body } = await upload(server.url, ping, 'hello');
    await streamEnd(server.url, body.streamId);
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.integer().map(String),
      fc.constantFrom('true', 'ALL', 'INCLUDE', ''),
    );
    const parameter = fc.record(
      Object.fromEntries(
        ['streams', 'group', 'count', 'tags', 'matchTags', 'format', 'acceptFrameType', 'omitPayload', 'excludeNoPayload', 'resume'].map(
          (name) => [name, odd],
        ),
      ),
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(parameter, async (query) => {
        const [status, name] = await problem(`timeout=0&${new URLSearchParams({ streams: body.streamId, ...query })}`);
        expect([`200 undefined`, '400 GENERAL_VALIDATION_ERROR', '404 GENERAL_NOT_FOUND_ERROR', '400 GENERAL_BAD_REQUEST_ERROR']).toContain(
          `${status} ${name}`,
        );
      }),
      { numRuns: 200 },
    );
  });
});
