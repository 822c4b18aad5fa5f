import { once } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { BESIDE_OTHERS, eventually } from '../eventually.ts';
import { chatAnswer, heardWords } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';
import { call, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { ADMIN_KEY } from './server.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const ROMANIAN_TEMPLATE = '678e26e695f8f5742e8718f4';
const ROMANIAN_DIARIZATION_TEMPLATE = '678e375095f8f5742e8718f5';
const SECRET = 'sk-e2e-secret-key';

const { server, speech, chat } = serverWithEngines({
  ...{ TRANSCRIBER_API_KEY: SECRET, LLM_API_KEY: SECRET },
  ENGINE_TIMEOUT_MS: '3000',
  ENGINE_RETRY_S: '3',
});
beforeEach(() => {
  speech.reset();
  chat.reset();
});

/** Sixteen-bit stereo samples of a quarter of a second. */
const STEREO = wavOf(Buffer.alloc(16_000, 1), 2);

const HELLO = {
  ...{ language: 'english', duration: 90, text: 'Hello there. Good to see you.' },
  segments: [
    { start: 0, end: 1.5, text: ' Hello there.', speaker: 'SPEAKER_01' },
    { start: 2, end: 4, text: ' Good to see you.', speaker: 'SPEAKER_00' },
  ],
  words: heardWords(['Hello', 0, 0.5], ['there', 0.6, 1.5], ['Good', 2, 2.3], ['to', 2.3, 2.4], ['see', 2.5, 2.9], ['you', 3, 4]),
};

const run = async (templateId: string, query: Readonly<Record<string, string>> = {}, body: Buffer | string = STEREO) => {
  const { body: stream, status } = await upload(server.url, { streamConfigurationTemplateId: templateId, persist: 'true', ...query }, body);
  expect(status).toBe(200);
  return stream.streamId as string;
};

const exported = (streamId: string, format = 'JSON') => call(server.url, `/export-service/api/v1/export/${format}?streams=${streamId}`);

const usageOf = async (streamId: string, processorId: string) => {
  const { body } = await call(server.url, `/usage-service/api/v1/usage/streams/${streamId}`);
  return body.processors.find((one: { processorId: string }) => one.processorId === processorId);
};

const stateOf = async (streamId: string, processorId: string) => {
  const { body } = await call(server.url, `/stream-service/api/v1/streams/${streamId}/components`);
  return body.processors.find((one: { processorId: string }) => one.processorId === processorId);
};

describe('a recording through engines over HTTP', () => {
  test('is transcribed, summarised, exported, and billed by its length and its tokens', async () => {
    speech.next({ body: HELLO });
    chat.next(chatAnswer('They greet.', { prompt: 120, completion: 30 }));
    const streamId = await run(TRANSCRIPTION_TEMPLATE, { summary: 'true' });
    const { body } = await exported(streamId);
    expect(body.transcription.text).toBe('Hello there. Good to see you.');
    expect(body.transcription.words.map((one: { word: string }) => one.word).join('')).toBe(body.transcription.text);
    expect(body.transcription.words[1]).toEqual({ word: ' there.', start: 600, end: 1500, language: 'en' });
    expect(body.utterances).toMatchObject([
      { start: 0, end: 1500 },
      { start: 2000, end: 4000 },
    ]);
    expect(body.utterances[0]).not.toHaveProperty('speakerIds');
    expect(body.summary).toEqual({ content: 'They greet.' });
    expect(speech.calls[0]?.file?.bytes.equals(STEREO)).toBe(true);
    expect(await usageOf(streamId, 'transcriber')).toMatchObject({ processedAudioLength: 90_000, credits: '0.75', processedTokens: null });
    const llm = await usageOf(streamId, 'llm');
    expect(llm).toMatchObject({ processedTokens: 150, processedInputTokens: 120, processedOutputTokens: 30, processedAudioLength: null });
    expect(Number(llm.credits)).toBeGreaterThan(0.01);
  });

  test('with diarization has speakers in words, utterances, text and captions', async () => {
    speech.next({ body: HELLO });
    const streamId = await run(DIARIZATION_TEMPLATE, { speakersNumber: '2' });
    const { body } = await exported(streamId);
    expect(body.transcription.words[0]).toMatchObject({ word: 'Hello', speakers: ['A'], speakersOverlap: false });
    expect(body.utterances).toMatchObject([
      { speakerIds: ['A'], overlap: false },
      { speakerIds: ['B'], overlap: false },
    ]);
    expect((await exported(streamId, 'TEXT')).text).toBe('Speaker A: Hello there.\nSpeaker B: Good to see you.');
    expect((await exported(streamId, 'SRT')).text).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nSpeaker A: Hello there.\n\n2\n00:00:02,000 --> 00:00:04,000\nSpeaker B: Good to see you.\n',
    );
    expect((await exported(streamId, 'VTT')).text).toMatch(/^WEBVTT\n\n1\n00:00:00\.000 --> 00:00:01\.500\n<v Speaker A>Hello there\.\n/);
    const events = (await exported(streamId, 'EVENTS')).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const turns = events.filter(
      ({ payloadSchema }) => payloadSchema === 'tech.vatis.schema.stream.processor.messages.diarization.DiarizationResponseDto',
    );
    expect(turns.map(({ payload }) => payload)).toMatchObject([{ speakerIds: ['A'], start: 0, end: 1500 }, { speakerIds: ['B'] }]);
    expect((await usageOf(streamId, 'diarization')).processedAudioLength).toBeNull();
  });

  test('with split channels has each channel as a speaker, merged by time', async () => {
    speech.next(
      {
        body: {
          text: 'One. Three.',
          segments: [
            { start: 0, end: 1, text: 'One.' },
            { start: 4, end: 5, text: 'Three.' },
          ],
        },
      },
      { body: { text: 'Two.', segments: [{ start: 2, end: 3, text: 'Two.' }] } },
    );
    const streamId = await run(DIARIZATION_TEMPLATE, { splitStereo: 'true' });
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
    expect((await exported(streamId, 'TEXT')).text).toBe('Speaker A: One.\nSpeaker B: Two.\nSpeaker A: Three.');
    const { body } = await exported(streamId);
    expect(body.utterances).toMatchObject([{ channel: '0', speakerIds: ['A'] }, { channel: '1', speakerIds: ['B'] }, { channel: '0' }]);
    expect(speech.calls.map(({ file }) => file?.name)).toEqual(['audio.flac', 'audio.flac']);
    expect(await usageOf(streamId, 'transcriber')).toMatchObject({ processedAudioLength: 250 });
  });

  test('fails at diarization if the engine names no speakers, but its transcription can be exported', async () => {
    speech.next({ body: { text: 'hello' } });
    const streamId = await run(DIARIZATION_TEMPLATE);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'FAILED' });
    expect(await stateOf(streamId, 'diarization')).toMatchObject({
      state: 'ERROR',
      stateDescription: expect.stringContaining('splitStereo'),
    });
    expect((await exported(streamId, 'TEXT')).text).toBe('hello');
  });

  test('in Romanian is transcribed with and without diarization', async () => {
    const answer = {
      ...HELLO,
      language: 'romanian',
      text: 'Ăă, bună ziua.',
      segments: [{ start: 0, end: 1, text: 'Ăă, bună ziua.', speaker: 0 }],
      words: null,
    };
    speech.next({ body: answer }, { body: answer });
    expect((await exported(await run(ROMANIAN_TEMPLATE), 'TEXT')).text).toBe('bună ziua.');
    expect((await exported(await run(ROMANIAN_DIARIZATION_TEMPLATE, { disfluencies: 'true' }), 'TEXT')).text).toBe(
      'Speaker A: Ăă, bună ziua.',
    );
    expect(speech.calls.map(({ fields }) => fields.language)).toEqual(['ro', 'ro']);
  });

  test('is enhanced, and unchanged words keep their speakers and times', async () => {
    speech.next({ body: HELLO });
    chat.next(chatAnswer('{"texts":["Hello, Claire.","Good to see you!"]}'));
    const streamId = await run(DIARIZATION_TEMPLATE, { enhancedTranscription: 'true', etVocabulary: 'Claire' });
    const { body } = await exported(streamId);
    expect(body.transcription.text).toBe('Hello there. Good to see you.');
    expect(body.enhancedTranscription.transcription.text).toBe('Hello, Claire. Good to see you!');
    expect(body.enhancedTranscription.transcription.words.slice(0, 2)).toEqual([
      { word: 'Hello,', start: 0, end: 500, language: 'en', speakers: ['A'], speakersOverlap: false },
      { word: ' Claire.', language: 'en', speakers: ['A'] },
    ]);
    expect(body.enhancedTranscription.utterances).toMatchObject([{ speakerIds: ['A'] }, { speakerIds: ['B'] }]);
    expect(chat.calls[0]?.json.messages[0].content).toContain('Claire');
  });
});

describe('text through a language model', () => {
  test('gets answers in a response format, and sentiment', async () => {
    chat.next(chatAnswer('{"day":"Monday"}'), chatAnswer('{"scores":[0.9,-0.8]}'));
    const ask0Format = '{"type":"object","properties":{"day":{"type":"string"}},"required":["day"]}';
    const query = { ask0: 'Which day?', ask0Id: 'day', ask0Format, sentimentAnalysis: 'true' };
    const { body } = await exported(await run(TEXT_TEMPLATE, query, 'Great on Monday. Awful later.'));
    expect(body.askAnything).toEqual({ day: { promptId: 'day', content: '{"day":"Monday"}', responseFormatSpecification: ask0Format } });
    expect(body.sentimentAnalysis.segments).toMatchObject([
      { sentiment: 'positive', score: 0.9 },
      { sentiment: 'negative', score: -0.8 },
    ]);
  });

  test('is refused before the body if the response format is not a schema', async () => {
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, ask0: 'x', ask0Format: '{"type":"nonsense"}' };
    const { status, body } = await upload(server.url, query, 'x');
    expect([status, body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
  });
});

describe('an engine that fails', () => {
  test('and asks for a pause is retried, and billed once', async () => {
    speech.next({ status: 500, body: {} }, { status: 429, body: {}, headers: { 'retry-after': '1' } }, { body: HELLO });
    const began = performance.now();
    const streamId = await run(TRANSCRIPTION_TEMPLATE);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(speech.calls.length).toBe(3);
    expect(await usageOf(streamId, 'transcriber')).toMatchObject({ processedAudioLength: 90_000, credits: '0.75', errorOccurred: false });
  });

  test('at the second prompt is retried for that prompt only', async () => {
    chat.next(chatAnswer('first'), 'reset', chatAnswer('second'));
    const streamId = await run(TEXT_TEMPLATE, { ask0: 'One?', ask1: 'Two?' }, 'Some text.');
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED' });
    expect(chat.calls.length).toBe(3);
    expect(await usageOf(streamId, 'llm')).toMatchObject({ processedTokens: 30 });
  });

  test('for ENGINE_RETRY_S fails the run, with its name in the reason and without a bill', async () => {
    speech.always({ status: 503, body: {} });
    const streamId = await run(TRANSCRIPTION_TEMPLATE);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'FAILED' });
    expect(speech.calls.length).toBeGreaterThan(3);
    expect(await stateOf(streamId, 'transcriber')).toMatchObject({
      state: 'ERROR',
      stateDescription: `The speech server failed (503). It was tried for 3 s at ${speech.url}/v1/audio/transcriptions (ENGINE_RETRY_S).`,
    });
    expect(await usageOf(streamId, 'transcriber')).toMatchObject({ credits: '0', errorOccurred: true });
  });

  test('because of the key is not retried, and the key is shown to no one', async () => {
    speech.next({ status: 401, body: { error: { message: `wrong key ${SECRET}` } } });
    const streamId = await run(TRANSCRIPTION_TEMPLATE);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'FAILED' });
    expect(speech.calls.length).toBe(1);
    expect((await stateOf(streamId, 'transcriber')).stateDescription).toContain('TRANSCRIBER_API_KEY');
    expect(server.log()).not.toContain(SECRET);
  });

  test('by silence is disconnected within a second when the stream is cancelled', async () => {
    speech.always('hang');
    const streamId = await run(TRANSCRIPTION_TEMPLATE);
    await eventually(() => speech.calls.length === 1);
    const began = performance.now();
    const { body } = await call(server.url, `/stream-service/api/v1/streams/${streamId}/cancel`, { method: 'PUT' });
    expect(body).toMatchObject({ state: 'FAILED', stateDescription: 'Canceled by user' });
    await eventually(() => speech.open() === 0);
    expect(performance.now() - began).toBeLessThan(1_000 * BESIDE_OTHERS);
    expect(await stateOf(streamId, 'transcriber')).toMatchObject({ state: 'ERROR', stateDescription: 'External close signal received' });
  });
});

test('a WebSocket client receives a failure with the error name of its processor', async () => {
  speech.always({ status: 400, body: { error: { message: 'no sound in it' } } });
  const query = new URLSearchParams({ streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, {
    headers: { authorization: `Basic ${ADMIN_KEY}` },
  });
  const messages: { type: string; error?: object }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  socket.send(STEREO);
  socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  await once(socket, 'close');
  expect(messages.filter(({ type }) => type === 'ERROR')).toMatchObject([
    {
      error: {
        title: 'The stream failed',
        internalErrorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
        message: expect.stringContaining('no sound in it'),
      },
    },
  ]);
});
