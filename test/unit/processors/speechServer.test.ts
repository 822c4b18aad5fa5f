import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Json, JsonObject } from '../../../src/json.ts';
import { openProcessors } from '../../../src/processors/registry.ts';
import { heardWords, type StubEngine, startStubEngine } from '../../fakes/engineServer.ts';
import { type OneRun, oneRun } from '../../processors/oneRun.ts';
import { decoded, inspected, made, newFile, PICTURE, TONE, toneIn } from './media/generated.ts';

let engine: StubEngine;
beforeAll(async () => {
  engine = await startStubEngine();
});
afterAll(() => engine.close());
beforeEach(() => engine.reset());

const KEY = 'sk-very-secret-key';

const transcriber = (id = 'batch-transcriber', settings: { model?: string; url?: string; timeout?: number } = {}) => {
  const speechServer = {
    url: settings.url ?? engine.url,
    ...{ apiKey: KEY, model: settings.model ?? null, timeoutMilliseconds: settings.timeout ?? 5_000 },
  };
  const processor = openProcessors({ clock: systemClock, speechServer }).get(id);
  if (!processor) throw new Error(`no ${id}`);
  return processor;
};

const WAV = Buffer.concat([Buffer.from('RIFF....WAVEfmt '), Buffer.alloc(2_000, 7)]);
const AUDIO = { bytes: [WAV.subarray(0, 900), WAV.subarray(900)] };

interface Heard {
  transcription: string;
  words: {
    word: string;
    start: number | null;
    end: number | null;
    confidence: number | null;
    language: string | null;
    metadata: JsonObject;
  }[];
  start: number | null;
  end: number | null;
  channel: string | null;
  metadata: JsonObject;
}

const transcribe = async (body: Json, properties: JsonObject = {}, processor = transcriber()) => {
  engine.next({ body });
  const { messages, report } = await oneRun(processor, { ...AUDIO, properties });
  return { report, heard: messages.map(({ payload }) => payload as unknown as Heard) };
};

const VERBOSE = {
  ...{ task: 'transcribe', language: 'english', duration: 4.2, text: 'Hello, world. How are you?' },
  segments: [
    { id: 0, start: 0, end: 1.5, text: ' Hello, world.', no_speech_prob: 0.01 },
    { id: 1, start: 2, end: 4, text: ' How are you?', no_speech_prob: 0.02 },
  ],
  words: heardWords(['Hello', 0.1, 0.5], ['world', 0.6, 1.4], ['How', 2, 2.3], ['are', 2.4, 2.6], ['you', 2.7, 3.9]),
};

describe('a request to a speech server', () => {
  test('streams the recording unchanged in a form, with the key and response format', async () => {
    await transcribe(VERBOSE, { language: 'en-GB' });
    const [call] = engine.calls;
    expect(call).toMatchObject({
      path: '/v1/audio/transcriptions',
      headers: { authorization: `Bearer ${KEY}`, 'user-agent': expect.stringMatching(/^Tributary\/\d/) },
      file: { name: 'audio.wav', type: 'audio/wav' },
      fields: { model: 'whisper-1', response_format: 'verbose_json', 'timestamp_granularities[]': 'word,segment', language: 'en' },
    });
    expect(call?.file?.bytes.equals(WAV)).toBe(true);
  });

  test("sends the template's model and vocabulary, and asks for English in a translation", async () => {
    const { heard } = await transcribe(VERBOSE, {
      model: 'large-v3',
      vocabulary: ['Tributary', 'Emmett'],
      task: 'translate',
      language: 'de',
    });
    expect(engine.calls[0]).toMatchObject({ path: '/v1/audio/translations', fields: { model: 'large-v3', prompt: 'Tributary, Emmett' } });
    expect(engine.calls[0]?.fields).not.toHaveProperty('language');
    expect(heard[0]).toMatchObject({ metadata: { engine: 'speech-server', model: 'large-v3', language: 'en' } });
  });

  test.each([
    ['/v1', '/v1/audio/transcriptions'],
    ['/v1/audio/transcriptions', '/v1/audio/transcriptions'],
    ['/speech/v1', '/speech/v1/audio/transcriptions'],
    ['/speech', '/speech/v1/audio/transcriptions'],
    ['/v1?api-version=2', '/v1/audio/transcriptions?api-version=2'],
  ])('may have a base address that ends in %s', async (end, path) => {
    await transcribe(VERBOSE, {}, transcriber('batch-transcriber', { url: engine.url + end }));
    expect(engine.calls[0]?.path).toBe(path);
  });

  test('sends no language for automatic detection or several candidates', async () => {
    await transcribe(VERBOSE);
    await transcribe(VERBOSE, { language: ['en', 'de'] });
    await transcribe(VERBOSE, { language: ['de'] });
    expect(engine.calls.map(({ fields }) => fields.language)).toEqual([undefined, undefined, 'de']);
  });

  test('asks for another format from models without verbose_json', async () => {
    await transcribe({ text: 'hello' }, {}, transcriber('batch-transcriber', { model: 'gpt-4o-mini-transcribe' }));
    await transcribe({ text: 'hello' }, {}, transcriber('batch-transcriber', { model: 'gpt-4o-transcribe-diarize' }));
    expect(engine.calls.map(({ fields }) => fields.response_format)).toEqual(['json', 'diarized_json']);
    expect(engine.calls[0]?.fields['timestamp_granularities[]']).toBeUndefined();
  });

  test('sends no request for an empty recording', async () => {
    expect(await oneRun(transcriber(), { bytes: [] })).toMatchObject({ messages: [], report: { processedAudioLength: 0 } });
    expect(engine.calls).toEqual([]);
  });
});

describe('a recording for a speech server', () => {
  /** One run on a file, inspected as the runner does it. */
  const runOn = async (path: string, properties: JsonObject = {}) => {
    engine.next({ body: VERBOSE });
    const media = await inspected(path);
    return oneRun(transcriber(), { bytes: [readFileSync(path)], media, properties });
  };

  /** The recording that the server got. */
  const received = async () => {
    const file = engine.calls[0]?.file;
    const path = newFile('received');
    writeFileSync(path, file?.bytes ?? '');
    return { name: file?.name, ...(await decoded(path)) };
  };

  test('is decoded first if its sound begins late, so that times are those of the file', async () => {
    const late = made('late.mkv', ...PICTURE, '-itsoffset', '2', ...TONE, '-map', '0:v', '-map', '1:a', '-c:v', 'mpeg4', '-c:a', 'libopus');
    const { report } = await runOn(late);
    expect(await received()).toMatchObject({
      name: 'audio.flac',
      sounds: [[expect.toSatisfy((time: number) => Math.abs(time - 2_000) < 80)]],
    });
    expect(report.processedAudioLength).toBeLessThan(600);
  });

  test('is decoded first if it has many channels or tracks', async () => {
    await runOn(toneIn([0, 0, 0, 12_000]));
    expect((await received()).loudest[0]).toBeGreaterThan(11_000);
    engine.reset();
    const tracks = [
      '-f',
      'lavfi',
      '-i',
      'anullsrc=d=1',
      ...TONE,
      '-map',
      '0:a',
      '-map',
      '1:a',
      '-disposition:a:0',
      '0',
      '-disposition:a:1',
      'default',
    ];
    const { messages } = await runOn(made('tracks.mp4', ...tracks));
    expect((await received()).sounds).toEqual([[0]]);
    expect(messages.at(-1)).toMatchObject({ payload: { metadata: { warnings: [{ code: 'OTHER_TRACKS' }] } } });
  });

  test('is sent unchanged otherwise, also in a format that only the server may know', async () => {
    for (const path of [made('tone.mp3', ...TONE), made('tone.dts', ...TONE, '-ac', '2', '-ar', '48000', '-c:a', 'dca', '-strict', '-2')]) {
      engine.reset();
      await runOn(path);
      expect(engine.calls[0]?.file?.bytes.equals(readFileSync(path))).toBe(true);
    }
  });

  test('is split with the times of the file', async () => {
    const late = made(
      'late.mp4',
      ...PICTURE,
      '-itsoffset',
      '2',
      ...TONE,
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c:v',
      'mpeg4',
      '-c:a',
      'aac',
      '-ac',
      '2',
    );
    engine.next({ body: VERBOSE });
    const { messages } = await runOn(late, { splitStereo: true });
    expect(engine.calls).toHaveLength(2);
    expect((await received()).sounds).toEqual([[expect.toSatisfy((time: number) => Math.abs(time - 2_000) < 80)]]);
    expect(new Set(messages.map(({ payload }) => (payload as unknown as Heard).channel))).toEqual(new Set(['0', '1']));
  });

  test('is not sent if it is evidently none', async () => {
    const page = newFile('page');
    writeFileSync(page, '<!doctype html><title>Sign in</title>');
    await expect(runOn(page)).rejects.toMatchObject({ message: expect.stringContaining('a web page (HTML), not a recording') });
    expect(engine.calls).toEqual([]);
  });
});

describe('an answer of a speech server', () => {
  test('becomes one utterance per segment, with times, punctuation in the words, and no invented confidence', async () => {
    const { heard, report } = await transcribe(VERBOSE);
    expect(heard).toMatchObject([
      { transcription: 'Hello, world.', start: 0, end: 1500, channel: null },
      { transcription: ' How are you?', start: 2000, end: 4000 },
    ]);
    const words = heard.flatMap((message) => message.words);
    expect(words.map(({ word }) => word)).toEqual(['Hello,', ' world.', ' How', ' are', ' you?']);
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [100, 500],
      [600, 1400],
      [2000, 2300],
      [2400, 2600],
      [2700, 3900],
    ]);
    expect(words.every(({ confidence, language }) => confidence === null && language === 'en')).toBe(true);
    expect(report).toEqual({ processedAudioLength: 4200 });
  });

  test("keeps the server's confidence of each word", async () => {
    const segments = [
      {
        text: 'so so',
        start: 0,
        end: 1,
        words: [
          { word: 'so', start: 0, end: 0.4, probability: 0.5 },
          { word: 'so', start: 0.5, end: 1, probability: 7 },
        ],
      },
    ];
    const { heard } = await transcribe({ text: 'so so', segments });
    expect(heard[0]?.words.map(({ confidence }) => confidence)).toEqual([0.5, null]);
  });

  test('without words, keeps the text and times of segments', async () => {
    const { heard } = await transcribe({ ...VERBOSE, words: null });
    expect(heard).toMatchObject([{ transcription: 'Hello, world.', start: 0, end: 1500 }, { transcription: ' How are you?' }]);
    expect(heard[0]?.words).toMatchObject([
      { word: 'Hello,', start: null, end: null, confidence: null },
      { word: ' world.', start: null },
    ]);
  });

  test('without segments, is split at pauses and keeps the whole text', async () => {
    const { segments, ...rest } = VERBOSE;
    const words = heardWords(['Hello', 0.1, 0.5], ['world', 0.6, 0.9], ['How', 2, 2.3], ['are', 2.4, 2.6], ['you', 2.7, 3.9]);
    expect(segments.length).toBe(2);
    const { heard } = await transcribe({ ...rest, words });
    expect(heard).toMatchObject([
      { transcription: 'Hello, world.', start: 100, end: 900 },
      { transcription: ' How are you?', start: 2000, end: 3900 },
    ]);
  });

  test.each([
    ['JSON', { body: { text: ' only text ' } }],
    ['bare text', { text: 'only text\n' }],
  ])('may be only text, as %s, and then has no times and length', async (_, behaviour) => {
    engine.next(behaviour);
    const { messages, report } = await oneRun(transcriber(), AUDIO);
    expect(messages).toMatchObject([
      { payload: { transcription: 'only text', start: null, end: null, words: [{ word: 'only' }, { word: ' text' }] } },
    ]);
    expect(report).toEqual({});
  });

  test('keeps the text and later words if some words do not match the text', async () => {
    const text = 'one two three four';
    const words = heardWords(['one', 0, 1], ['zwei', 1, 2], ['three', 2, 3], ['four', 3, 4]);
    const { heard } = await transcribe({ text, segments: [{ text, start: 0, end: 4 }], words });
    expect(heard[0]?.words.map(({ word, start }) => [word, start])).toEqual([
      ['one', 0],
      [' two', null],
      [' three', 2000],
      [' four', 3000],
    ]);
  });

  test('keeps times after a long stretch without words', async () => {
    const silentWords = Array.from({ length: 200 }, (_, n) => `lost${n}`).join(' ');
    const { heard } = await transcribe({
      text: `${silentWords} found`,
      segments: [
        { text: silentWords, start: 0, end: 60 },
        { text: 'found', start: 60, end: 61 },
      ],
      words: heardWords(['found', 60.1, 60.9]),
    });
    expect(heard.at(-1)?.words).toMatchObject([{ word: ' found', start: 60_100 }]);
  });

  test('leaves out silent segments unless everything was requested', async () => {
    const segments = [
      { text: ' Thanks for watching!', start: 0, end: 2, no_speech_prob: 0.9 },
      { text: ' Hello.', start: 2, end: 3, no_speech_prob: 0.4 },
    ];
    const texts = async (properties: JsonObject) =>
      (await transcribe({ text: 'x', segments }, properties)).heard.map(({ transcription }) => transcription);
    expect(await texts({})).toEqual(['Hello.']);
    expect(await texts({ noSpeechThreshold: 0.95 })).toEqual(['Thanks for watching!', ' Hello.']);
    expect(await texts({ noSpeechThreshold: 0.3 })).toEqual([]);
    expect(await texts({ vad: false })).toEqual(['Thanks for watching!', ' Hello.']);
  });

  test('keeps speaker labels and splits where the speaker changes', async () => {
    const { heard } = await transcribe({
      text: 'Hi. Hello. Bye.',
      segments: [
        {
          text: 'Hi. Hello.',
          start: 0,
          end: 2,
          words: [
            { word: 'Hi', start: 0, end: 1, speaker: 'S1' },
            { word: 'Hello', start: 1, end: 2, speaker: 'S2' },
          ],
        },
        { text: 'Bye.', start: 2, end: 3, speaker: 'S2' },
      ],
    });
    expect(heard.map(({ transcription, words }) => [transcription, words[0]?.metadata])).toEqual([
      ['Hi.', { engineSpeaker: 'S1' }],
      [' Hello.', { engineSpeaker: 'S2' }],
      [' Bye.', { engineSpeaker: 'S2' }],
    ]);
  });

  test("joins whisper.cpp's tokens to words, even if a token ends inside a letter", async () => {
    const token = (word: string, start: number, probability: number) => ({ word, start, end: start + 0.2, probability });
    const { heard } = await transcribe({
      ...{ task: 'transcribe', language: 'romanian', text: ' În trimestrul acesta, București.\n' },
      segments: [
        {
          ...{ text: ' În trimestrul acesta, București.', start: 0, end: 2 },
          words: [
            ...[token(' În', 0, 1), token(' trim', 0.2, 0.5), token('estr', 0.4, 0.7), token('ul', 0.6, 0.9), token(' acesta', 0.8, 1)],
            ...[token(',', 1, 1), token(' Bucure', 1.2, 0.8), token('\uFFFD', 1.4, 0.8), token('\uFFFDti', 1.6, 0.8), token('.', 1.8, 0.8)],
          ],
        },
      ],
    });
    expect(heard[0]?.words.map(({ word, start, end, confidence }) => [word, start, end, Number(confidence?.toFixed(2))])).toEqual([
      ['În', 0, 200, 1],
      [' trimestrul', 200, 800, 0.7],
      [' acesta,', 800, 1200, 1],
      [' București.', 1200, 2000, 0.8],
    ]);
  });

  test('adds no spaces to scripts without spaces', async () => {
    const { heard } = await transcribe({
      ...{ language: 'chinese', text: '你好世界再见' },
      segments: [
        { text: '你好世界', start: 0, end: 1 },
        { text: '再见', start: 1, end: 2 },
      ],
      words: heardWords(['你好', 0, 0.5], ['世界', 0.5, 1], ['再见', 1, 2]),
    });
    expect(heard.map(({ transcription }) => transcription)).toEqual(['你好世界', '再见']);
    expect(heard[0]?.words).toMatchObject([
      { word: '你好', start: 0, language: 'zh' },
      { word: '世界', start: 500 },
    ]);
  });
});

describe('the Romanian transcriber', () => {
  const romanian = () => transcriber('romanian-transcriber');
  const ANSWER = { language: 'romanian', text: 'Ăă, bună ziua! Mă numesc Ana-Maria, îî, da.' };
  const text = async (properties: JsonObject) =>
    (await transcribe(ANSWER, properties, romanian())).heard.map(({ transcription }) => transcription).join('');

  test('asks for Romanian and removes hesitations', async () => {
    expect(await text({})).toBe('bună ziua! Mă numesc Ana-Maria, da.');
    expect(engine.calls[0]?.fields).toMatchObject({ language: 'ro' });
    expect(engine.calls[0]?.fields.prompt).toBeUndefined();
  });

  test('keeps hesitations, and drops punctuation and capitals, if requested', async () => {
    expect(await text({ disfluencies: true })).toBe('Ăă, bună ziua! Mă numesc Ana-Maria, îî, da.');
    expect(engine.calls[0]?.fields.prompt).toContain('Ăă');
    expect(await text({ punctuationCapitalization: false })).toBe('bună ziua mă numesc ana-maria da');
  });

  test('uses a prompt to ask for numbers as words', async () => {
    await text({ numeralsConversion: false });
    expect(engine.calls[0]?.fields.prompt).toContain('douăzeci');
  });
});

describe('a speech server that misbehaves', () => {
  /** For a server that is not going to answer. All others get enough time for a busy machine. */
  const impatient = () => transcriber('batch-transcriber', { timeout: 300 });
  const failing = async (run: OneRun = AUDIO, processor = transcriber()) =>
    oneRun(processor, run).then(
      () => {
        throw new Error('it did not fail');
      },
      (error) => error,
    );

  test.each([
    ['hang', /did not answer within 1 s/],
    ['drip', /did not answer within 1 s/],
    ['reset', /cannot be reached, or broke off/],
    ['reset in the answer', /cannot be reached, or broke off/],
  ] as const)('with the fault %s is retried', async (behaviour, message) => {
    engine.next(behaviour);
    const silent = behaviour === 'hang' || behaviour === 'drip';
    expect(await failing(AUDIO, silent ? impatient() : transcriber())).toMatchObject({
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      retryable: true,
      message: expect.stringMatching(message),
    });
  });

  test('ends the upload if the server never reads', async () => {
    engine.next('never reads');
    const bytes = Array.from({ length: 20 }, () => Buffer.alloc(1_048_576));
    expect(await failing({ bytes }, impatient())).toMatchObject({ retryable: true });
  });

  test('is retried if unreachable, and its address stays hidden', async () => {
    const error = await failing(AUDIO, transcriber('batch-transcriber', { url: 'http://127.0.0.1:9' }));
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('ECONNREFUSED') });
    expect(error.message).not.toContain('127.0.0.1');
  });

  test.each([500, 502, 503, 504, 408, 429])('%i is retried', async (status) => {
    engine.next({ status, body: { error: { message: 'later' } } });
    expect(await failing()).toMatchObject({ retryable: true, retryAfter: 0 });
  });

  test('honours Retry-After within bounds', async () => {
    const waits: number[] = [];
    for (const value of ['7', '999999', 'rubbish', '-5', new Date(Date.now() + 30_000).toUTCString()]) {
      engine.next({ status: 429, body: {}, headers: { 'retry-after': value } });
      waits.push((await failing()).retryAfter);
    }
    expect(waits.slice(0, 4)).toEqual([7_000, 60_000, 0, 0]);
    expect(waits[4]).toBeGreaterThan(25_000);
  });

  test("names the setting for 401 and 403, not the server's text about the key", async () => {
    for (const status of [401, 403]) {
      engine.next({ status, body: { error: { message: `Incorrect API key provided: ${KEY}` } } });
      const error = await failing();
      expect(error).toMatchObject({ retryable: false, message: expect.stringContaining('TRANSCRIBER_API_KEY') });
      expect(error.message).not.toContain('Incorrect');
    }
  });

  test('reports a refusal as a short excerpt without key and address', async () => {
    engine.next({ status: 400, body: { error: { message: `bad model for ${KEY} at ${engine.url}\n\u0000${'x'.repeat(1000)}` } } });
    const error = await failing();
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining('bad model for *** at http://***') });
    expect(error.message.length).toBeLessThan(300);
    engine.next({ status: 404, text: '<html>nginx 1.2.3</html>', type: 'text/html' });
    expect((await failing()).message).toBe('The speech server refused the request (404).');
  });

  test('does not follow redirects', async () => {
    engine.next({ status: 302, body: {}, headers: { location: '/elsewhere' } });
    expect(await failing()).toMatchObject({ retryable: false, message: expect.stringContaining('redirects') });
    expect(engine.calls.length).toBe(1);
  });

  test('cuts off an endless answer', async () => {
    engine.next('huge');
    expect(await failing(AUDIO, transcriber())).toMatchObject({ retryable: false, message: expect.stringContaining('without end') });
  });

  test.each([
    ['no JSON', { text: '{"text": ', type: 'application/json' }],
    ['a web page', { text: '<html></html>', type: 'text/html' }],
    ['a list', { body: ['hello'] }],
    ['nothing of it', { body: { error: 'oh' } }],
    ['a text that is none', { body: { text: 7 } }],
    ['segments that are no list', { body: { text: 'x', segments: 'none' } }],
    ['a segment without text', { body: { text: 'x', segments: [{ start: 1 }] } }],
    ['words that are none', { body: { text: 'x', words: [7] } }],
  ])('fails the run with %s', async (_, behaviour) => {
    engine.next(behaviour);
    expect(await failing()).toMatchObject({
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      retryable: false,
      message: expect.stringContaining('answered with'),
    });
  });

  test('ignores impossible times', async () => {
    const words = [
      { word: 'hello', start: 3, end: 1 },
      { word: 'world', start: -1, end: 'x' },
    ];
    const { heard } = await transcribe({ text: 'hello world', words, duration: -5 });
    expect(heard[0]).toMatchObject({ start: null, end: null, words: [{ start: null, end: null }, { start: null }] });
  });
});

describe('a run', () => {
  test('closes the connection at a cancel, long before the server would time out', async () => {
    const abort = new AbortController();
    engine.always(() => {
      abort.abort(new Error('cancelled'));
      return 'hang';
    });
    const began = performance.now();
    await expect(oneRun(transcriber(), { ...AUDIO, signal: abort.signal })).rejects.toThrow('cancelled');
    expect(performance.now() - began).toBeLessThan(4_000);
    engine.always({ status: 500, body: {} });
  });

  test('blames a failing source, not the server', async () => {
    const failure = new Error('the disk');
    const context = {
      ...{ properties: {}, owner: 'owner', signal: new AbortController().signal },
      input: {
        schema: 'bytes',
        async *bytes() {
          yield WAV;
          throw failure;
        },
        async *messages() {},
        file: () => Promise.reject(failure),
        folder: () => Promise.reject(new Error('no folder')),
      },
      output: { bytes: async () => {}, message: async () => {} },
    };
    await expect(transcriber().run(context)).rejects.toBe(failure);
  });

  test('reuses the answer on a retry instead of paying twice', async () => {
    engine.next({ body: VERBOSE });
    const memory = { key: 'stream/transcriber', answers: new Map<string, Json>() };
    const first = await oneRun(transcriber(), { ...AUDIO, memory });
    const second = await oneRun(transcriber(), { ...AUDIO, memory });
    expect(second).toEqual(first);
    expect(engine.calls.length).toBe(1);
    expect(engine.calls[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
  });
});
