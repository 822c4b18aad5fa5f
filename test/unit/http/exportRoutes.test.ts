import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import { MESSAGE_SCHEMAS } from '../../../src/domain/stream/messages.ts';
import { exportRoutes } from '../../../src/http/export/exportRoutes.ts';
import type { ExportResult } from '../../../src/http/export/formats/json.ts';
import type { Json } from '../../../src/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/limits.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { eventually } from '../../eventually.ts';
import { ManualNews } from '../../fakes/manualNews.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { ManualClock } from '../../manualClock.ts';
import { unzipped } from '../../unzipped.ts';
import { type OutlinedProcessor, ProjectedStream, topicOf } from './projectedStream.ts';
import { bodyOf, type Call, OWNER, served } from './served.ts';

const { transcription, llm } = MESSAGE_SCHEMAS;
const EXPORT = '/export-service/api/v1/export';
const MAX_WAIT_MS = 300;

interface World {
  call: Call;
  topics: MemoryTopics;
  news: ManualNews;
  /** How often a document has been read. */
  reads: () => number;
  /** Most documents of a group that were loaded at once. */
  loadedAtOnce: () => number;
  /** Tells a stream of the owner. */
  story: (
    processors: OutlinedProcessor[],
    more?: { groupId?: string; streamId?: string; created?: number; name?: string; fileName?: string; upload?: string },
  ) => {
    streamId: string;
    groupId: string;
    story: ProjectedStream;
  };
  /** Puts messages into a processor's sink. */
  write: (streamId: string, processorId: string, payloadSchema: string, ...payloads: Json[]) => Promise<void>;
}

const world = async (clock: Clock = systemClock, maxWait = MAX_WAIT_MS, limits: Partial<Limits> = {}): Promise<World> => {
  const readModels = new MemoryReadModels();
  const topics = new MemoryTopics(clock);
  const news = new ManualNews(clock);
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
  const reads = vi.spyOn(readModels, 'get');
  const loads = vi.spyOn(readModels, 'getMany');
  const call = await served(
    exportRoutes({ log, readModels, topics, clock, news, maxWait, config: { ...DEFAULT_LIMITS, ...limits } }).routes,
    readModels,
    clock,
  );
  return {
    call,
    topics,
    news,
    reads: () => reads.mock.calls.length,
    loadedAtOnce: () => Math.max(...loads.mock.calls.map(([, ids]) => ids.length)),
    story: (processors, { groupId = randomUUID(), streamId = randomUUID(), created, upload: _, ...named } = {}) => {
      const story = new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId, processors, ...named }, created);
      return { streamId, groupId, story };
    },
    write: async (streamId, processorId, payloadSchema, ...payloads) => {
      const topic = topicOf(streamId, processorId);
      await topics.create(topic);
      const frames = payloads.map((payload) =>
        Buffer.from(JSON.stringify({ frameType: 'final', payloadSchema, payload, headers: { a: 1 } })),
      );
      await topics.append(topic, frames);
      await topics.seal(topic);
    },
  };
};

const said = (text: string): Json => ({
  transcription: text,
  words: [{ word: text, start: 0, end: 10, confidence: 1, language: 'en', metadata: {} }],
  start: 0,
  end: 10,
  metadata: {},
  channel: null,
  utterance: true,
});

const answered = (promptId: string, content: string): Json => ({
  promptId,
  sequenceId: 0,
  responseFormatSpecification: null,
  askAnything: [{ content }],
  metadata: {},
});

const TRANSCRIBED: OutlinedProcessor[] = [
  { id: 'transcriber', schema: transcription },
  { id: 'llm', schema: llm },
];

/** A completed stream that said `text`. */
const transcribed = async (w: World, text: string, more: Parameters<World['story']>[1] = {}) => {
  const told = w.story(TRANSCRIBED, more);
  await w.write(told.streamId, 'transcriber', transcription, said(text));
  await w.write(told.streamId, 'llm', llm, answered('0', `about ${text}`));
  if (more.upload !== undefined) {
    await w.topics.create(topicOf(told.streamId, 'source'));
    await w.topics.append(topicOf(told.streamId, 'source'), [Buffer.from(more.upload)]);
  }
  told.story.completeAll();
  return told;
};

const errorOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  (await bodyOf<ErrorResponse>(response)).internalErrorName,
];

describe('an export', () => {
  test("as JSON contains the results of the stream's sinks", async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello');
    const response = await w.call(`${EXPORT}/JSON?streams=${streamId}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      transcription: { text: 'hello', words: [{ word: 'hello', start: 0, end: 10, confidence: 1, language: 'en' }] },
      utterances: [{ start: 0, end: 10, text: 'hello', words: [{ word: 'hello', start: 0, end: 10, confidence: 1, language: 'en' }] }],
      askAnything: { 0: { promptId: '0', content: 'about hello', responseFormatSpecification: null } },
    });
  });

  test('has the content type of its format', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello');
    const typeOf = async (format: string) => (await w.call(`${EXPORT}/${format}?streams=${streamId}`)).headers.get('content-type');
    expect(await typeOf('JSON')).toBe('application/json');
    expect(await typeOf('TEXT')).toBe('text/plain; charset=utf-8');
    expect(await typeOf('EVENTS')).toBe('application/x-ndjson');
    expect(await typeOf('SRT')).toBe('application/x-subrip; charset=utf-8');
    expect(await typeOf('VTT')).toBe('text/vtt; charset=utf-8');
  });

  test('as EVENTS has one line for each final frame of each sink', async () => {
    const w = await world();
    const { streamId, groupId } = await transcribed(w, 'hello');
    const lines = (await (await w.call(`${EXPORT}/EVENTS?streams=${streamId}`)).text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ processorId }) => processorId)).toEqual(['transcriber', 'llm']);
    expect(lines[0]).toEqual({
      streamId,
      groupId,
      tags: ['transcriber', 'main'],
      sinkTopicName: `persistent://test/sinks/${topicOf(streamId, 'transcriber')}`,
      messageId: '0',
      processorId: 'transcriber',
      sequenceId: 0,
      publishTimestamp: expect.any(Number),
      frameType: 'final',
      payloadSchema: transcription,
      payload: said('hello'),
      headers: { 'processor-id': 'transcriber', a: 1 },
    });
  });

  test('as EVENTS omits partial frames and keeps the sequence numbers of the others', async () => {
    const w = await world();
    const { streamId, story } = w.story([{ id: 'transcriber', schema: transcription }]);
    const topic = topicOf(streamId, 'transcriber');
    await w.topics.create(topic);
    const frame = (frameType: string) => Buffer.from(JSON.stringify({ frameType, payloadSchema: transcription, payload: {}, headers: {} }));
    await w.topics.append(topic, [frame('partial'), frame('final'), frame('partial'), frame('final')]);
    story.completeAll();
    const lines = (await (await w.call(`${EXPORT}/EVENTS?streams=${streamId}`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).sequenceId)).toEqual([1, 3]);
  });

  test('with omitPayload has null payloads, which only EVENTS allows', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello');
    const lines = (await (await w.call(`${EXPORT}/EVENTS?streams=${streamId}&omitPayload=true`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).payload)).toEqual([null, null]);
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}&omitPayload=true`)).status).toBe(400);
  });

  test('of a bytes stream is base64 as EVENTS and 204 as JSON and TEXT', async () => {
    const w = await world();
    const { streamId, story } = w.story([{ id: 'echo', schema: 'bytes' }]);
    await w.topics.create(topicOf(streamId, 'echo'));
    await w.topics.append(topicOf(streamId, 'echo'), [Buffer.from([0, 255])]);
    story.completeAll();
    const [line = ''] = (await (await w.call(`${EXPORT}/EVENTS?streams=${streamId}`)).text()).split('\n');
    expect(JSON.parse(line)).toMatchObject({ payload: 'AP8=', payloadSchema: 'bytes', frameType: 'final' });
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}`)).status).toBe(204);
    expect((await w.call(`${EXPORT}/TEXT?streams=${streamId}`)).status).toBe(204);
  });

  test('contains a transcription once if a later sink passes it on, and the first one under its own tag', async () => {
    const w = await world();
    const { streamId, story } = w.story([
      { id: 'transcriber', schema: transcription },
      { id: 'diarization', schema: transcription },
    ]);
    await w.write(streamId, 'transcriber', transcription, said('plain'));
    await w.write(streamId, 'diarization', transcription, said('with speakers'));
    story.completeAll();
    const textOf = async (query: string) =>
      (await bodyOf<ExportResult>(w.call(`${EXPORT}/JSON?streams=${streamId}${query}`))).transcription?.text;
    expect(await textOf('')).toBe('with speakers');
    expect(await textOf('&tags=transcriber')).toBe('plain');
  });
});

describe('without tags', () => {
  const summarised = (content: string): Json => ({
    promptId: null,
    sequenceId: 0,
    responseFormatSpecification: null,
    summary: [{ content }],
    metadata: {},
  });

  /** The last stage alone has the tag `main`, as in a template of one's own. */
  const chain = async (stages: readonly { id: string; schema: string; message: Json }[]) => {
    const w = await world();
    const tagsOf = (n: number, id: string) => (n === stages.length - 1 ? [id, 'main'] : [id]);
    const { streamId, story } = w.story(stages.map(({ id, schema }, n) => ({ id, schema, tags: tagsOf(n, id) })));
    for (const { id, schema, message } of stages) await w.write(streamId, id, schema, message);
    story.completeAll();
    return (format: string) => w.call(`${EXPORT}/${format}?streams=${streamId}`);
  };

  test('JSON has every kept result, TEXT and captions the transcription, and EVENTS the messages tagged main', async () => {
    const exported = await chain([
      { id: 'transcriber', schema: transcription, message: said('spoken') },
      { id: 'own', schema: 'tributary.processors.own.v1', message: { any: 'thing' } },
      { id: 'llm', schema: llm, message: summarised('short') },
    ]);
    const json = await bodyOf<ExportResult>(exported('JSON'));
    expect([json.transcription?.text, json.summary?.content]).toEqual(['spoken', 'short']);
    expect(await (await exported('TEXT')).text()).toBe('spoken');
    for (const format of ['SRT', 'VTT']) expect(await (await exported(format)).text()).toContain('spoken');
    const lines = (await (await exported('EVENTS')).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).processorId)).toEqual(['llm']);
  });

  test('of several transcriptions, the last of the chain is exported', async () => {
    const exported = await chain([
      { id: 'transcriber', schema: transcription, message: said('ana@example.org') },
      { id: 'redaction', schema: transcription, message: said('[EMAIL]') },
      { id: 'llm', schema: llm, message: summarised('short') },
    ]);
    expect((await bodyOf<ExportResult>(exported('JSON'))).transcription?.text).toBe('[EMAIL]');
    expect(await (await exported('TEXT')).text()).toBe('[EMAIL]');
    expect(await (await exported('SRT')).text()).not.toContain('ana');
  });

  test('TEXT has the texts if there is no transcription', async () => {
    const exported = await chain([{ id: 'llm', schema: llm, message: summarised('short') }]);
    expect(await (await exported('TEXT')).text()).toBe('short');
    expect((await exported('SRT')).status).toBe(204);
  });
});

describe('a file', () => {
  const TYPES = {
    DOCX: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    MD: 'text/markdown; charset=utf-8',
    CSV: 'text/csv; charset=utf-8',
    ZIP: 'application/zip',
  };

  test.each(Object.entries(TYPES))('in the format %s has its content type and the name of the stream', async (format, type) => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello', { name: 'Ană: 1/2' });
    const { status, headers } = await w.call(`${EXPORT}/${format}?streams=${streamId}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    const ending = format.toLowerCase();
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="An__ 1_2.${ending}"; filename*=UTF-8''An%C4%83_%201_2.${ending}`,
    );
  });

  test('of several streams says how many', async () => {
    const w = await world();
    const [a, b] = [await transcribed(w, 'a', { name: 'First' }), await transcribed(w, 'b')];
    const { headers } = await w.call(`${EXPORT}/SRT?streams=${a.streamId},${b.streamId}`);
    expect(headers.get('content-disposition')).toContain('filename="First and 1 more.srt"');
  });

  test('of captions has the times of each recording, or with shift=true the times of all behind one another', async () => {
    const w = await world();
    const [a, b] = [await transcribed(w, 'a'), await transcribed(w, 'b')];
    const path = `${EXPORT}/SRT?streams=${a.streamId},${b.streamId}`;
    expect(await (await w.call(path)).text()).toContain('\n2\n00:00:00,000 --> ');
    expect(await (await w.call(`${path}&shift=true`)).text()).toContain('\n2\n00:01:00,000 --> ');
  });

  test.each(['JSON?maxLines=1', 'TEXT?cues=utterance', 'EVENTS?shift=true', 'SRT?media=true', 'TEXT?formats=SRT'])(
    'with a parameter of another format is 400: %s',
    async (query) => {
      const w = await world();
      const { streamId } = await transcribed(w, 'hello');
      expect((await w.call(`${EXPORT}/${query}&streams=${streamId}`)).status).toBe(400);
    },
  );
});

describe('a ZIP', () => {
  const filesOf = async (response: Response) => unzipped(new Uint8Array(await response.arrayBuffer()));

  test('has a folder for each stream with its TEXT, SRT and JSON', async () => {
    const w = await world();
    const [a, b] = [await transcribed(w, 'first', { name: 'Call' }), await transcribed(w, 'second', { name: 'Call' })];
    const files = await filesOf(await w.call(`${EXPORT}/ZIP?streams=${a.streamId},${b.streamId}`));
    const folders = ['Call', 'Call (2)'];
    expect([...files.keys()]).toEqual(folders.flatMap((folder) => ['txt', 'srt', 'json'].map((ending) => `${folder}/Call.${ending}`)));
    expect(files.get('Call/Call.txt')?.toString()).toBe('first');
    expect(files.get('Call (2)/Call.srt')?.toString()).toContain('second');
    expect(JSON.parse(files.get('Call/Call.json')?.toString() ?? '').transcription.text).toBe('first');
  });

  test('has the given formats, and the uploads with media=true', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello', { name: 'Call', fileName: 'episode-1.mp3', upload: 'the bytes' });
    const files = await filesOf(await w.call(`${EXPORT}/ZIP?streams=${streamId}&formats=DOCX,CSV&media=true`));
    expect([...files.keys()]).toEqual(['Call/Call.docx', 'Call/Call.csv', 'Call/episode-1.mp3']);
    expect(files.get('Call/episode-1.mp3')?.toString()).toBe('the bytes');
    expect(unzipped(files.get('Call/Call.docx') ?? Buffer.alloc(0)).has('word/document.xml')).toBe(true);
  });

  test('keeps an upload beside a file of the same name', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello', { name: 'Call', fileName: 'call.txt', upload: 'the bytes' });
    const files = await filesOf(await w.call(`${EXPORT}/ZIP?streams=${streamId}&formats=TEXT&media=true`));
    expect([...files].map(([name, content]) => [name, content.toString()])).toEqual([
      ['Call/Call.txt', 'hello'],
      ['Call/call (2).txt', 'the bytes'],
    ]);
  });

  test('is 204 without a kept result, and 400 if a file would be too large', async () => {
    const w = await world(systemClock, MAX_WAIT_MS, { exportMaxBytes: 65_536 });
    const { streamId, story } = w.story([{ id: 'transcriber', schema: transcription, persist: false }]);
    story.completeAll();
    expect((await w.call(`${EXPORT}/ZIP?streams=${streamId}`)).status).toBe(204);
    const large = await transcribed(w, 'x'.repeat(65_536));
    expect((await w.call(`${EXPORT}/ZIP?streams=${large.streamId}`)).status).toBe(400);
  });
});

describe('tags', () => {
  test('choose the sinks by any or by all of them', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'hello');
    const members = async (query: string) => {
      const response = await w.call(`${EXPORT}/JSON?streams=${streamId}&${query}`);
      return response.status === 204 ? 204 : Object.keys(await bodyOf<ExportResult>(response));
    };
    expect(await members('tags=llm')).toEqual(['askAnything']);
    expect(await members('tags=llm,transcriber')).toEqual(['transcription', 'utterances', 'askAnything']);
    expect(await members('tags=llm&tags=transcriber&matchTags=ALL')).toBe(204);
    expect(await members('tags=llm&tags=main&matchTags=ALL')).toEqual(['askAnything']);
    expect(await members('tags=unknown')).toBe(204);
  });

  test('never export a sink that is not persistent', async () => {
    const w = await world();
    const { streamId, story } = w.story([{ id: 'transcriber', schema: transcription, persist: false }]);
    await w.write(streamId, 'transcriber', transcription, said('secret'));
    story.completeAll();
    for (const format of ['JSON', 'TEXT', 'EVENTS', 'SRT']) {
      expect((await w.call(`${EXPORT}/${format}?streams=${streamId}`)).status).toBe(204);
    }
  });
});

describe('a stream that did not complete', () => {
  test('exports what its finished stages left if it is FAILED', async () => {
    const w = await world();
    const { streamId, story } = w.story(TRANSCRIBED);
    await w.write(streamId, 'transcriber', transcription, said('kept'));
    await w.write(streamId, 'llm', llm, answered('0', 'half'));
    story
      .complete('transcriber')
      .start('llm')
      .tell({ type: 'StreamFailed', data: { reason: 'the engine is gone' } });
    expect(Object.keys(await bodyOf<ExportResult>(w.call(`${EXPORT}/JSON?streams=${streamId}`)))).toEqual(['transcription', 'utterances']);
  });

  test('is 204 if it is EXPIRED', async () => {
    const w = await world();
    const { streamId, story } = await transcribed(w, 'gone');
    story.tell({ type: 'StreamExpired', data: { reason: 'retention' } });
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}`)).status).toBe(204);
    expect((await w.call(`${EXPORT}/EVENTS?streams=${streamId}`)).status).toBe(204);
  });

  test.each(['TEXT', 'JSON', 'SRT', 'DOCX'])(
    'is 204 as %s once its results are deleted, even if the read model still says COMPLETED',
    async (format) => {
      const w = await world();
      const { streamId } = await transcribed(w, 'gone');
      for (const id of ['transcriber', 'llm']) await w.topics.delete(topicOf(streamId, id));
      expect((await w.call(`${EXPORT}/${format}?streams=${streamId}`)).status).toBe(204);
    },
  );

  test('is exported when it ends', async () => {
    const clock = new ManualClock();
    const w = await world(clock);
    const { streamId, story } = w.story([{ id: 'transcriber', schema: transcription }]);
    await w.write(streamId, 'transcriber', transcription, said('late'));
    const response = w.call(`${EXPORT}/TEXT?streams=${streamId}`);
    await eventually(() => clock.sleeping === 1);
    story.completeAll();
    await clock.advance(25);
    expect(await (await response).text()).toBe('late');
  });

  test('is polled rarely while it runs, and exported at once when its end is announced', async () => {
    const clock = new ManualClock();
    const w = await world(clock, 3_600_000);
    const { streamId, story } = w.story([{ id: 'transcriber', schema: transcription }]);
    await w.write(streamId, 'transcriber', transcription, said('told'));
    const response = w.call(`${EXPORT}/TEXT?streams=${streamId}`);
    await eventually(() => clock.sleeping === 1);
    for (let second = 0; second < 60; second++) await clock.advance(1_000);
    expect(w.reads()).toBeLessThan(50);
    story.completeAll();
    w.news.tell(streamId);
    expect(await (await response).text()).toBe('told');
  });

  test('is no longer waited for once the client has left', async () => {
    const clock = new ManualClock();
    const w = await world(clock);
    const { streamId } = w.story(TRANSCRIBED);
    const leaving = new AbortController();
    const response = w.call(`${EXPORT}/JSON?streams=${streamId}`, 'owner', { signal: leaving.signal });
    await eventually(() => clock.sleeping === 1);
    leaving.abort();
    await expect(response).rejects.toThrow();
    await eventually(() => clock.sleeping === 0);
  });

  test('is 504 if it does not end in time', async () => {
    const w = await world();
    const { streamId } = w.story(TRANSCRIBED);
    expect(await errorOf(await w.call(`${EXPORT}/JSON?streams=${streamId}&timeout=0`))).toEqual([504, 'GENERAL_TIME_OUT_ERROR']);
  });
});

describe('streams', () => {
  test('are 404 if they do not exist after the wait or belong to another user', async () => {
    const w = await world();
    const { streamId } = await transcribed(w, 'mine');
    const unknown = await errorOf(await w.call(`${EXPORT}/JSON?streams=${randomUUID()}`));
    expect(unknown).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    expect((await w.call(`${EXPORT}/JSON?streams=no-uuid`)).status).toBe(404);
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}&timeout=0`, 'other')).status).toBe(404);
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}&timeout=0`, 'auditor')).status).toBe(404);
    expect((await w.call(`${EXPORT}/JSON?streams=${streamId}`, 'admin')).status).toBe(200);
  });

  test('may be created after the request', async () => {
    const clock = new ManualClock();
    const w = await world(clock);
    const streamId = randomUUID();
    const response = w.call(`${EXPORT}/TEXT?streams=${streamId}&timeout=99999999`);
    await eventually(() => clock.sleeping === 1);
    await transcribed(w, 'born', { streamId });
    w.news.tell(streamId);
    expect(await (await response).text()).toBe('born');
  });

  test('are exported in the order given, repeated or comma-separated', async () => {
    const w = await world();
    const groupId = randomUUID();
    const a = await transcribed(w, 'a', { groupId, created: 1000 });
    const b = await transcribed(w, 'b', { groupId, created: 2000 });
    expect(await (await w.call(`${EXPORT}/TEXT?streams=${b.streamId},${a.streamId}`)).text()).toBe('b\na');
    expect(await (await w.call(`${EXPORT}/TEXT?streams=${b.streamId}&streams=${a.streamId}&streams=${b.streamId}`)).text()).toBe('b\na');
  });

  test('of a large group are loaded a few at a time', async () => {
    const w = await world();
    const groupId = randomUUID();
    const texts = Array.from({ length: 45 }, (_, n) => `text ${n}`);
    for (const [n, text] of texts.entries()) await transcribed(w, text, { groupId, created: 1_000 * n });
    expect(await (await w.call(`${EXPORT}/TEXT?group=${groupId}`)).text()).toBe(texts.join('\n'));
    expect(w.loadedAtOnce()).toBe(10);
  });

  test('whose results exceed EXPORT_MAX_BYTES are 400, which names EVENTS, and have no limit as EVENTS', async () => {
    const w = await world(systemClock, MAX_WAIT_MS, { exportMaxBytes: 65_536 });
    const { streamId } = await transcribed(w, 'x'.repeat(65_536));
    const refused = await w.call(`${EXPORT}/JSON?streams=${streamId}`);
    expect(refused.status).toBe(400);
    expect((await bodyOf<ErrorResponse>(refused)).message).toBe('These results are too large for JSON. Use EVENTS, which has no limit.');
    expect((await w.call(`${EXPORT}/EVENTS?streams=${streamId}`)).status).toBe(200);
  });

  test('that do not exist yet hold no place among the requests of their user', async () => {
    const w = await world(systemClock, 20_000);
    const { streamId } = await transcribed(w, 'now');
    const later = randomUUID();
    const waiting = Array.from({ length: DEFAULT_LIMITS.maxRequestsPerUser }, () =>
      w.call(`${EXPORT}/TEXT?streams=${later}&timeout=20000`),
    );
    expect(await (await w.call(`${EXPORT}/TEXT?streams=${streamId}`)).text()).toBe('now');
    await transcribed(w, 'later', { streamId: later });
    w.news.tell(later);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
  });

  test('may be of several groups if all are the caller’s; others, and streams outside the given group, are 400', async () => {
    const w = await world();
    const a = await transcribed(w, 'a');
    const b = await transcribed(w, 'b');
    expect(await (await w.call(`${EXPORT}/TEXT?streams=${a.streamId},${b.streamId}`)).text()).toBe('a\nb');
    expect((await w.call(`${EXPORT}/TEXT?streams=${a.streamId},${b.streamId}`, 'admin')).status).toBe(400);
    expect((await w.call(`${EXPORT}/TEXT?streams=${a.streamId}&group=${b.groupId}`)).status).toBe(400);
    expect((await w.call(`${EXPORT}/TEXT?streams=${a.streamId}&group=${a.groupId}`)).status).toBe(200);
  });
});

describe('a large export', () => {
  const LARGE = 'word '.repeat(250_000);

  test.each(['JSON', 'TEXT', 'SRT', 'VTT'] as const)('as %s is the same as a small one', async (format) => {
    const w = await world();
    const [large, small] = [await transcribed(w, LARGE), await transcribed(w, 'SMALL')];
    const query = format === 'SRT' || format === 'VTT' ? '&cues=utterance' : '';
    const [whole, expected] = await Promise.all(
      [large, small].map(async ({ streamId }) => (await w.call(`${EXPORT}/${format}?streams=${streamId}${query}`)).text()),
    );
    const inserted = format === 'JSON' ? LARGE : LARGE.trim();
    expect(whole?.length).toBeGreaterThan(1_048_576);
    expect(whole === expected?.replaceAll('SMALL', inserted)).toBe(true);
  });

  test('waits until fewer than MAX_EXPORTS are made or read', async () => {
    const w = await world(systemClock, MAX_WAIT_MS, { maxExports: 1 });
    // More than the buffers of a connection.
    const text = LARGE.repeat(16);
    const { streamId } = await transcribed(w, text);
    const path = `${EXPORT}/TEXT?streams=${streamId}`;
    const unread = await w.call(path);
    const done: string[] = [];
    const waiting = w.call(path, 'admin').then(async (response) => {
      done.push('large');
      return response.text();
    });
    const { streamId: other } = await transcribed(w, 'small');
    expect(await (await w.call(`${EXPORT}/TEXT?streams=${other}`)).text()).toBe('small');
    expect(done).toEqual([]);
    expect((await unread.text()).length).toBe(text.trim().length);
    expect((await waiting).length).toBe(text.trim().length);
  });
});

describe('a group', () => {
  const groupOfThree = async (w: World) => {
    const groupId = randomUUID();
    const streams = [];
    for (const [n, text] of ['a', 'b', 'c'].entries()) streams.push(await transcribed(w, text, { groupId, created: n * 1_000_000 }));
    return { groupId, streams: streams.map(({ streamId }) => streamId) };
  };

  test('exports all its streams in order of creation, or the first ones up to count', async () => {
    const w = await world();
    const { groupId } = await groupOfThree(w);
    expect(await (await w.call(`${EXPORT}/TEXT?group=${groupId}`)).text()).toBe('a\nb\nc');
    expect(await (await w.call(`${EXPORT}/TEXT?group=${groupId}&count=2`)).text()).toBe('a\nb');
  });

  test('applies count after exclusion', async () => {
    const w = await world();
    const { groupId, streams } = await groupOfThree(w);
    const query = `streamsInclusion=EXCLUDE&group=${groupId}&streams=${streams[0]}`;
    expect(await (await w.call(`${EXPORT}/TEXT?${query}&count=2`)).text()).toBe('b\nc');
    expect((await w.call(`${EXPORT}/TEXT?${query}&count=3&timeout=0`)).status).toBe(404);
  });

  test('is 404 if it has too few streams in time, is unknown, or belongs to another user', async () => {
    const w = await world();
    const { groupId } = await groupOfThree(w);
    expect((await w.call(`${EXPORT}/TEXT?group=${groupId}&count=4&timeout=30`)).status).toBe(404);
    expect((await w.call(`${EXPORT}/TEXT?group=${randomUUID()}&timeout=0`)).status).toBe(404);
    expect((await w.call(`${EXPORT}/TEXT?group=no-uuid`)).status).toBe(404);
    expect((await w.call(`${EXPORT}/TEXT?group=${groupId}&timeout=0`, 'other')).status).toBe(404);
    expect((await w.call(`${EXPORT}/TEXT?group=${groupId}&timeout=0`, 'admin')).status).toBe(200);
  });
});

describe('bad parameters', () => {
  const id = randomUUID();
  test.each([
    ['an unknown format', `XML?streams=${id}`],
    ['neither streams nor group', 'JSON'],
    ['empty streams', 'JSON?streams=,'],
    ['EXCLUDE without group', 'JSON?streamsInclusion=EXCLUDE&count=1'],
    ['EXCLUDE without count', `JSON?streamsInclusion=EXCLUDE&group=${id}`],
    ['another inclusion', `JSON?streams=${id}&streamsInclusion=SOME`],
    ['count 0', `JSON?group=${id}&count=0`],
    ['count 1.5', `JSON?group=${id}&count=1.5`],
    ['a negative timeout', `JSON?streams=${id}&timeout=-1`],
    ['a timeout that is no number', `JSON?streams=${id}&timeout=soon`],
    ['another match', `JSON?streams=${id}&matchTags=NONE`],
    ['a boolean that is none', `EVENTS?streams=${id}&omitPayload=yes`],
    ['a single parameter twice', `JSON?group=${id}&group=${id}`],
  ])('are 400 in the documented shape: %s', async (_, query) => {
    const { call } = await world();
    const response = await call(`${EXPORT}/${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: 400, internalErrorName: 'GENERAL_VALIDATION_ERROR', nestedErrors: [{}] });
  });

  test('of any kind are refused with a documented error, never 500', async () => {
    const w = await world();
    const { streamId, groupId } = await transcribed(w, 'x');
    const value = fc.oneof(
      fc.constantFrom(
        streamId,
        groupId,
        'main',
        'ALL',
        'ANY',
        'INCLUDE',
        'EXCLUDE',
        'true',
        'false',
        '0',
        '1',
        '-1',
        '1e9',
        '9'.repeat(400),
        '',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const name = fc.constantFrom('streams', 'streamsInclusion', 'group', 'count', 'tags', 'matchTags', 'omitPayload', '__proto__', 'x');
    const format = fc.oneof(
      fc.constantFrom('JSON', 'TEXT', 'EVENTS', 'SRT', 'VTT', 'json', '__proto__'),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(format, fc.array(fc.tuple(name, value), { maxLength: 6 }), async (kind, pairs) => {
        const query = pairs.map(([key, text]) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`).join('&');
        const response = await w.call(`${EXPORT}/${encodeURIComponent(kind)}?${query}&timeout=0`);
        expect([200, 204, 400, 404]).toContain(response.status);
        if (response.status >= 400) expect((await bodyOf<ErrorResponse>(response)).nestedErrors).toBeInstanceOf(Array);
        else await response.arrayBuffer();
      }),
      { numRuns: 150 },
    );
  });
});
