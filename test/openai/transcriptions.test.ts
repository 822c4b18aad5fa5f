import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, getStream } from '../e2e/client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { clientOf, HEARD, recording, TEXT, wav } from './speechStub.ts';

let engine: StubEngine;
let server: RunningServer;
let openai: OpenAI;
beforeAll(async () => {
  engine = await startStubEngine();
  server = await startServer({ environment: { TRANSCRIBER_URL: engine.url } });
  openai = clientOf(server.url);
});
afterAll(async () => {
  await server.kill();
  await engine.close();
});
beforeEach(() => {
  engine.reset();
  engine.always({ body: HEARD });
});

const collected = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const usage = { type: 'duration', seconds: 90 };
const transcribe = <Body extends object>(body: Body) => ({ file: recording(), model: 'whisper-1', ...body });

describe('the formats of a transcription', () => {
  test('json has the text and the length of the recording, with the ids of the stream and the request', async () => {
    const { data, response } = await openai.audio.transcriptions.create({ file: recording(), model: 'whisper-1' }).withResponse();
    expect(data).toEqual({ text: TEXT, usage });
    const streamId = response.headers.get('x-stream-id') ?? '';
    expect((await getStream(server.url, streamId)).body).toMatchObject({ state: 'COMPLETED', streamId });
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('x-correlation-id'));
  });

  test('text, srt and vtt are plain text', async () => {
    expect(await openai.audio.transcriptions.create(transcribe({ response_format: 'text' as const }))).toBe(`${TEXT}\n`);
    expect(await openai.audio.transcriptions.create(transcribe({ response_format: 'srt' as const }))).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n00:00:02,000 --> 00:00:04,000\nGood to see you.\n',
    );
    expect(await openai.audio.transcriptions.create(transcribe({ response_format: 'vtt' as const }))).toMatch(
      /^WEBVTT\n\n1\n00:00:00\.000 --> 00:00:01\.500\nHello there\.\n/,
    );
  });

  test.each(['srt', 'vtt'] as const)('%s is refused if the engine returned text without times, and empty for silence', async (format) => {
    engine.always({ body: { text: 'Hello there.' } });
    const request = { ...transcribe({ response_format: format }) };
    const refused = await Promise.resolve(openai.audio.transcriptions.create(request)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ param: 'response_format', message: expect.stringContaining(`no captions in ${format}`) });
    expect(await openai.audio.transcriptions.create(transcribe({ response_format: 'text' as const }))).toBe('Hello there.\n');
    engine.always({ body: { text: '' } });
    expect(await openai.audio.transcriptions.create(transcribe({ response_format: format }))).toBe(format === 'srt' ? '' : 'WEBVTT\n');
  });

  test('verbose_json has segments, and words on request', async () => {
    const verbose = { response_format: 'verbose_json' as const };
    const segments = await openai.audio.transcriptions.create(transcribe(verbose));
    expect(segments).toMatchObject({ task: 'transcribe', language: 'english', duration: 90, text: TEXT, usage });
    expect(segments).not.toHaveProperty('words');
    expect(segments.segments).toMatchObject([
      { id: 0, start: 0, end: 1.5, text: 'Hello there.' },
      { id: 1, start: 2, end: 4, text: ' Good to see you.' },
    ]);
    const words = await openai.audio.transcriptions.create(transcribe({ ...verbose, timestamp_granularities: ['word' as const] }));
    expect(words).not.toHaveProperty('segments');
    expect(words.words?.slice(0, 2)).toEqual([
      { word: 'Hello', start: 0, end: 0.5 },
      { word: 'there.', start: 0.6, end: 1.5 },
    ]);
    const both = await openai.audio.transcriptions.create(transcribe({ ...verbose, timestamp_granularities: ['word', 'segment'] }));
    expect([both.segments?.length, both.words?.length]).toEqual([2, 6]);
  });

  test.each(['whisper-1', 'gpt-4o-transcribe-diarize'])('diarized_json names the speakers with the model %s', async (model) => {
    const diarized = await openai.audio.transcriptions.create(transcribe({ model, response_format: 'diarized_json' as const }));
    expect(diarized).toEqual({
      ...{ task: 'transcribe', duration: 90, text: TEXT, usage },
      segments: [
        { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1.5, speaker: 'A', text: 'Hello there.' },
        { type: 'transcript.text.segment', id: 'seg_1', start: 2, end: 4, speaker: 'B', text: 'Good to see you.' },
      ],
    });
  });
});

test.each(['gpt-transcribe', 'whisper-1', 'gpt-4o-mini-transcribe'])('the model %s has verbose_json', async (model) => {
  const body = await openai.audio.transcriptions.create(transcribe({ model, response_format: 'verbose_json' as const }));
  expect(body).toMatchObject({ text: TEXT, language: 'english', duration: 90 });
});

test('known speakers are named in the order in which they appear, and their references are ignored with a warning', async () => {
  const known = { known_speaker_names: ['Anna'], known_speaker_references: ['data:audio/wav;base64,AAAA'] };
  const body = { file: recording(), model: 'whisper-1', response_format: 'diarized_json' as const, ...known };
  const { data, response } = await openai.audio.transcriptions.create(body).withResponse();
  expect(data).toMatchObject({ segments: [{ speaker: 'Anna' }, { speaker: 'B' }] });
  expect(response.headers.get('x-tributary-warning')).toBe('known_speaker_references is ignored');
});

test('warnings of the result are in a header', async () => {
  const file = join(temporaryDirectory(), 'tracks.mkv');
  const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=${hertz}:d=1`];
  execFileSync('ffmpeg', ['-loglevel', 'error', ...tone(300), ...tone(500), '-map', '0', '-map', '1', '-c:a', 'pcm_s16le', file]);
  const tracks = new File([readFileSync(file)], 'tracks.mkv');
  const { response } = await openai.audio.transcriptions.create({ file: tracks, model: 'whisper-1' }).withResponse();
  expect(response.headers.get('x-tributary-warning')).toBe('OTHER_TRACKS');
});

test('keywords and languages reach the engine', async () => {
  await openai.audio.transcriptions.create(transcribe({ keywords: ['Zürich', 'Anna'], languages: ['de'] }));
  expect(engine.calls.at(-1)?.fields).toMatchObject({ prompt: 'Zürich, Anna', language: 'de' });
});

describe('the fields of a form, as other programs write them,', () => {
  const send = async (...fields: [string, string][]) => {
    const form = new FormData();
    for (const [name, value] of [['model', 'whisper-1'], ...fields] as [string, string][]) form.append(name, value);
    form.append('file', recording());
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const response = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    return { status: response.status, text: await response.text() };
  };

  test.each(['timestamp_granularities', 'timestamp_granularities[]', 'timestamp_granularities[0]'])('may be a list in %s', async (name) => {
    const { status, text } = await send(['response_format', 'VERBOSE_JSON'], [name, 'word']);
    expect([status, Object.keys(JSON.parse(text))]).toEqual([200, expect.arrayContaining(['words'])]);
  });

  test.each(['True', '1'])('may be the boolean %s, also in the query', async (value) => {
    expect((await send(['stream', value])).text).toContain('transcript.text.done');
    const form = new FormData();
    form.append('model', 'whisper-1');
    form.append('file', recording());
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const response = await fetch(`${server.url}/v1/audio/transcriptions?persist=${value}`, { method: 'POST', headers, body: form });
    const streamId = response.headers.get('x-stream-id') ?? '';
    const results = await call(server.url, `/export-service/api/v1/export/TEXT?streams=${streamId}`);
    expect(results.text.trim()).toBe(TEXT);
  });

  test('are 400 by name with an unknown value', async () => {
    expect(JSON.parse((await send(['stream', 'yes'])).text).error).toMatchObject({ param: 'stream' });
    expect(JSON.parse((await send(['response_format', 'pdf'])).text).error).toMatchObject({ param: 'response_format' });
  });
});

describe('a streamed transcription', () => {
  test('sends a delta for each utterance, which join to the final text', async () => {
    const events = await collected(
      await openai.audio.transcriptions.create({ file: recording(), model: 'gpt-4o-transcribe', stream: true }),
    );
    const deltas = events.filter((event) => event.type === 'transcript.text.delta').map(({ delta }) => delta);
    expect(deltas).toEqual(['Hello there.', ' Good to see you.']);
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text: TEXT, usage });
  });

  test('includes the segments of speakers', async () => {
    const body = transcribe({ response_format: 'diarized_json' as const, stream: true as const });
    const events = await collected(await openai.audio.transcriptions.create(body));
    const segments = events.filter((event) => event.type === 'transcript.text.segment');
    expect(segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['A', 'Hello there.'],
      ['B', 'Good to see you.'],
    ]);
    const deltas = events.filter((event) => event.type === 'transcript.text.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe(TEXT);
  });

  test('ends with a client error if the recording cannot be transcribed', async () => {
    engine.always({ status: 400, body: { error: { message: 'not audio' } } });
    const stream = await openai.audio.transcriptions.create({ file: recording(), model: 'whisper-1', stream: true });
    await expect(collected(stream)).rejects.toThrow(OpenAI.APIError);
  });
});

test('a translation is English text in every format except the one with speakers', async () => {
  const translate = <Body extends object>(body: Body) =>
    openai.audio.translations.create({ file: recording(), model: 'whisper-1', ...body });
  expect(await translate({})).toMatchObject({ text: TEXT });
  expect(engine.calls.at(-1)?.path).toBe('/v1/audio/translations');
  expect(await translate({ response_format: 'text' as const })).toBe(`${TEXT}\n`);
  expect(await translate({ response_format: 'srt' as const })).toContain('Good to see you.');
  expect(await translate({ response_format: 'verbose_json' as const })).toMatchObject({ language: 'english', duration: 90, text: TEXT });
  await expect(translate({ response_format: 'diarized_json' })).rejects.toThrow(OpenAI.BadRequestError);
});

test('the prompt becomes the vocabulary of the transcriber', async () => {
  await openai.audio.transcriptions.create(transcribe({ prompt: 'Tributary, Beckett' }));
  expect(engine.calls.at(-1)?.fields.prompt).toContain('Tributary, Beckett');
});

describe('a request', () => {
  test('may have its fields after the file, as the npm client sends them, or before it', async () => {
    for (const names of [
      ['file', 'model', 'language'],
      ['language', 'file', 'model'],
      ['model', 'language', 'unknown', 'file'],
    ]) {
      const form = new FormData();
      for (const name of names) {
        if (name === 'file') form.append('file', recording());
        else form.append(name, { model: 'whisper-1', language: 'fr' }[name] ?? 'x');
      }
      const { status, body } = await call(server.url, '/v1/audio/transcriptions', { method: 'POST', body: form });
      expect([status, body.text]).toEqual([200, TEXT]);
      expect(engine.calls.at(-1)?.fields.language).toBe('fr');
    }
  });

  test('keeps the results for export with ?persist=true', async () => {
    const { response } = await openai.audio.transcriptions
      .create({ file: recording(), model: 'whisper-1' }, { query: { persist: true } })
      .withResponse();
    const exported = await call(server.url, `/export-service/api/v1/export/TEXT?streams=${response.headers.get('x-stream-id')}`);
    expect(exported.text).toBe(TEXT);
  });

  test('keeps a text without times for export as text, while its captions are 204', async () => {
    engine.always({ body: { text: 'Hello there.' } });
    const { response } = await openai.audio.transcriptions
      .create({ file: recording(), model: 'whisper-1' }, { query: { persist: true } })
      .withResponse();
    const exported = (format: string) =>
      call(server.url, `/export-service/api/v1/export/${format}?streams=${response.headers.get('x-stream-id')}`);
    expect((await exported('TEXT')).text).toBe('Hello there.');
    for (const format of ['SRT', 'VTT']) expect((await exported(format)).status).toBe(204);
  });

  test('may stream with `stream=True`, which Python programs send without the client', async () => {
    const body = new FormData();
    body.append('file', recording());
    body.append('model', 'whisper-1');
    body.append('stream', 'True');
    const answer = await fetch(`${server.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
      body,
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await answer.text()).toContain('transcript.text.done');
  });

  test('may name a template by its id or name', async () => {
    for (const model of ['678e26e695f8f5742e8718f4', 'Romanian transcription'])
      expect((await openai.audio.transcriptions.create({ file: recording(), model })).text).toBe(TEXT);
  });

  test('sends a file of 100 MB to the data source as it arrives', async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ file: recording(100_000_000), model: 'whisper-1' })
      .withResponse();
    expect(data.text).toBe(TEXT);
    const source = await call(server.url, `/stream-service/api/v1/streams/${response.headers.get('x-stream-id')}/data-source`, {
      method: 'HEAD',
    });
    expect(source.headers.get('content-length')).toBe(String(wav(100_000_000).byteLength));
    expect(source.headers.get('content-disposition')).toContain(`filename="${recording().name}"`);
  });
});

/** Whether the newest stream was cancelled. */
const newestIsCancelled = async (): Promise<boolean> => {
  const { body } = await call(server.url, '/stream-service/api/v1/streams?size=1');
  const [{ state, stateDescription }] = body.content;
  return state === 'FAILED' && stateDescription === 'Canceled by user';
};

describe('a client that leaves', () => {
  beforeEach(() => engine.always('hang'));

  test('has its stream cancelled', async () => {
    const leaving = new AbortController();
    const request = openai.audio.transcriptions.create({ file: recording(), model: 'whisper-1' }, { signal: leaving.signal });
    const left = expect(request).rejects.toThrow(OpenAI.APIUserAbortError);
    await eventually(() => engine.calls.length === 1);
    leaving.abort();
    await left;
    await eventually(newestIsCancelled);
  });

  test('during the upload leaves no bytes and no stream', async () => {
    const topics = () => readdirSync(join(server.dataDir, 'topics'), { recursive: true, encoding: 'utf8' });
    const streams = async () => (await call(server.url, '/stream-service/api/v1/streams?size=1')).body.totalElements;
    const [before, streamsBefore] = [new Set(topics()), await streams()];
    // Topics of earlier tests may expire meanwhile.
    const added = () => topics().filter((name) => !before.has(name));
    const { hostname, port } = new URL(server.url);
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'multipart/form-data; boundary=b' };
    const upload = request({ hostname, port, path: '/v1/audio/transcriptions', method: 'POST', headers });
    upload.on('error', () => {});
    upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
    upload.write(Buffer.alloc(300_000));
    await eventually(() => added().length > 0);
    upload.destroy();
    await eventually(() => added().length === 0);
    expect(await streams()).toBe(streamsBefore);
  });

  test('during the events has its stream cancelled', async () => {
    const events = await openai.audio.transcriptions.create({ file: recording(), model: 'whisper-1', stream: true });
    const read = collected(events);
    await eventually(() => engine.calls.length === 1);
    events.controller.abort();
    await read;
    await eventually(newestIsCancelled);
  });
});
