import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { chatAnswer, heardWords } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';
import { call, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { ADMIN_KEY } from './server.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const { server, speech, chat } = serverWithEngines({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });

/** Half a second of sound. */
const WAV = wavOf(Buffer.alloc(16_000, 1));

/** A user with an empty library. */
const newKey = async (): Promise<string> => {
  const issue = { kind: 'api-key', label: 'a user', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: issue })).body.secret;
};

interface Connection {
  readonly headers?: Record<string, string>;
  readonly mode?: NonNullable<ClientOptions['versionNegotiation']>['mode'];
}

const connect = async (key: string, path = '/mcp', { headers = { authorization: `Bearer ${key}` }, mode = 'legacy' }: Connection = {}) => {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url + path), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const use = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
    // biome-ignore lint/suspicious/noExplicitAny: checked by assertions
    return { result: structuredContent as any, text: content[0]?.type === 'text' ? content[0].text : '', isError: isError ?? false };
  };
  return { client, use };
};

const heard = (text: string) => ({
  ...{ language: 'english', duration: 1, text, segments: [{ start: 0, end: 1, text: ` ${text}` }] },
  words: heardWords(...text.split(' ').map((word, i, all) => [word, i / all.length, (i + 1) / all.length] as const)),
});

const ended = async (key: string, template: string, bytes: string | Buffer, query: Readonly<Record<string, string>>): Promise<string> => {
  const { body } = await upload(server.url, { streamConfigurationTemplateId: template, persist: 'true', ...query }, bytes, { key });
  expect(await streamEnd(server.url, body.streamId)).toMatchObject({ state: 'COMPLETED' });
  return body.streamId;
};

/** The stream of a recording in which `text` is heard. */
const newRecording = (key: string, text: string, query: Readonly<Record<string, string>> = {}): Promise<string> => {
  speech.always({ body: heard(text) });
  return ended(key, TRANSCRIPTION_TEMPLATE, WAV, query);
};

/** Serves the bytes of a recording. */
const startRecording = async (): Promise<string> => {
  const site = createServer((_request, response) => response.end(WAV));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => site.close(() => resolve())));
  // Listening on TCP has an address of this form.
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/call.wav`;
};

test.each(['legacy', 'auto'] as const)('lists its tools, with titles and what they may do, for a client of the mode %s', async (mode) => {
  const { client } = await connect(ADMIN_KEY, '/mcp', { mode });
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['transcribe_url', false],
    ['list_streams', true],
    ['get_transcript', true],
    ['search_transcripts', true],
    ['get_summary', true],
    ['ask', false],
    ['export_link', false],
  ]);
  expect(tools.every(({ title }) => title !== undefined)).toBe(true);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'transcript://{streamId}' }]);
});

test('reads the library of its caller only: lists, transcripts in parts, and resources', async () => {
  const key = await newKey();
  const { client, use } = await connect(key);
  const others = await newRecording(ADMIN_KEY, 'A secret of others.');
  const first = await newRecording(key, 'The kiln fired at noon. 🎉 Ana called.', { name: 'Monday', label: 'Kiln' });
  const second = await newRecording(key, 'Nothing happened.', { name: 'Tuesday' });
  const page = (await use('list_streams', { limit: 1 })).result;
  expect(page.streams).toMatchObject([{ stream_id: second, name: 'Tuesday', state: 'COMPLETED' }]);
  const rest = (await use('list_streams', { limit: 1, cursor: page.nextCursor })).result;
  expect(rest).toMatchObject({ streams: [{ stream_id: first, labels: ['Kiln'] }], nextCursor: null });
  expect((await use('list_streams', { query: 'mon', label: 'kiln', state: 'COMPLETED' })).result.streams).toHaveLength(1);
  const whole = (await use('get_transcript', { stream_id: first })).result;
  expect(whole.nextOffset).toBeNull();
  const { text, nextOffset: offset } = (await use('get_transcript', { stream_id: first, limit: 5 })).result;
  expect(text + (await use('get_transcript', { stream_id: first, offset })).result.text).toBe(whole.text);
  const { contents } = await client.readResource({ uri: `transcript://${first}` });
  expect(contents).toMatchObject([{ text: whole.text, mimeType: 'text/plain' }]);
  expect(await use('get_transcript', { stream_id: others })).toMatchObject({ isError: true, text: expect.stringContaining('stream') });
});

test('searches, summarises and asks', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  chat.always(chatAnswer('The kiln works.', { prompt: 1, completion: 1 }));
  const streamId = await newRecording(key, 'The kiln fired at noon.', { summary: 'true' });
  expect((await use('get_summary', { stream_id: streamId })).result).toEqual({ summary: 'The kiln works.' });
  expect((await use('search_transcripts', { query: 'kiln' })).result).toMatchObject({
    streams: [{ stream_id: streamId, hits: expect.any(Number) }],
  });
  chat.always(chatAnswer('At noon.', { prompt: 1, completion: 1 }));
  expect((await use('ask', { stream_id: streamId, question: 'When?' })).result).toEqual({ answer: 'At noon.' });
});

test('keeps the questions of the upload when it asks another', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  chat.always(chatAnswer('At noon.', { prompt: 1, completion: 1 }));
  const streamId = await newRecording(key, 'The kiln fired at noon.', { ask2: 'When?' });
  for (const question of ['Who?', 'Where?']) await use('ask', { stream_id: streamId, question });
  const results = await call(server.url, `/export-service/api/v1/export/JSON?streams=${streamId}`);
  expect(Object.keys(results.body.askAnything)).toEqual(['2', 'question']);
});

test('leaves transcript, summary and answers readable after a question that failed', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  chat.always(chatAnswer('The kiln works.', { prompt: 1, completion: 1 }));
  const streamId = await newRecording(key, 'The kiln fired at noon.', { summary: 'true', ask0: 'What works?' });
  const readable = async () => {
    const { text } = (await use('get_transcript', { stream_id: streamId })).result;
    const { body } = await call(server.url, `/export-service/api/v1/export/JSON?streams=${streamId}`, { key });
    return { text, summary: (await use('get_summary', { stream_id: streamId })).result.summary, first: body.askAnything?.[0]?.content };
  };
  const before = await readable();
  expect(before).toMatchObject({ text: expect.stringContaining('noon'), summary: 'The kiln works.', first: 'The kiln works.' });
  await use('ask', { stream_id: streamId, question: 'When?' });
  expect(await readable()).toEqual(before);
  chat.always({ status: 400, body: { error: { message: 'too long' } } });
  expect(await use('ask', { stream_id: streamId, question: 'Why?' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/failed: .+/),
  });
  expect(await readable()).toEqual(before);
});

test('makes a link to a transcript or a file of it, which ends in an hour', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  const streamId = await newRecording(key, 'The kiln fired at noon.');
  const page = (await use('export_link', { stream_id: streamId })).result;
  const opened = await (await fetch(page.url)).text();
  expect(opened).toContain('The kiln fired at noon.');
  expect(opened).not.toContain('<audio');
  const hours = (Date.parse(page.expires) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(1, 1);
  const { url } = (await use('export_link', { stream_id: streamId, format: 'SRT' })).result;
  expect(await (await fetch(url)).text()).toContain('-->');
});

test('transcribes the recording at a URL, and waits for its text if asked to', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  speech.always({ body: heard('Hello there.') });
  const url = await startRecording();
  const { result } = await use('transcribe_url', { url, wait_seconds: 60 });
  expect(result).toMatchObject({ state: 'COMPLETED', text: expect.stringContaining('Hello there.') });
  const later = (await use('transcribe_url', { url })).result;
  expect(await streamEnd(server.url, later.stream_id)).toMatchObject({ state: 'COMPLETED' });
});

test('says in words what is wrong', async () => {
  const { use } = await connect(await newKey());
  expect(await use('transcribe_url', { url: 'http://127.0.0.1/a.wav', template: 'no-such' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('template'),
  });
  expect(await use('transcribe_url', { url: 'call.wav' })).toMatchObject({ isError: true, text: expect.stringContaining('https?://') });
  expect(await use('get_transcript', { stream_id: 'x' })).toMatchObject({ isError: true });
});

test('says why a stream that failed has no transcript and no summary', async () => {
  const key = await newKey();
  const { use } = await connect(key);
  speech.always({ status: 400, body: { error: { message: 'no speech can be read' } } });
  const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
  const { body } = await upload(server.url, query, WAV, { key });
  expect(await streamEnd(server.url, body.streamId)).toMatchObject({ state: 'FAILED' });
  for (const tool of ['get_transcript', 'get_summary'])
    expect(await use(tool, { stream_id: body.streamId })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^The stream failed: .+/),
    });
});

test('takes every form of credential, and none is 401', async () => {
  const key = await newKey();
  for (const [path, headers] of [
    ['/mcp', { authorization: `Basic ${key}` }],
    [`/mcp?access_token=${key}`, {}],
  ] as const)
    expect((await (await connect(key, path, { headers })).use('list_streams')).result.streams).toEqual([]);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await call(server.url, '/mcp', { method: 'POST', key: null, body })).status).toBe(401);
  expect((await call(server.url, '/mcp')).status).toBe(405);
});

test('serves more tool calls of one user at a time than the user may have requests in flight', async () => {
  const { use } = await connect(await newKey());
  const answers = await Promise.all(Array.from({ length: 100 }, () => use('list_streams')));
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
});
