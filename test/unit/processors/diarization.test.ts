import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Json, JsonObject } from '../../../src/json.ts';
import { Speakers } from '../../../src/processors/diarization/speakers.ts';
import { openProcessors } from '../../../src/processors/registry.ts';
import { oneRun } from '../../processors/oneRun.ts';

const SERVER = { url: 'http://127.0.0.1:9', apiKey: null, model: null, timeoutMilliseconds: 1_000 };

const diarization = (withServer = true) => {
  const speechServer = withServer ? SERVER : null;
  const processor = openProcessors({ clock: systemClock, speechServer }).get('speaker-diarization');
  if (!processor) throw new Error('no diarization');
  return processor;
};

const SCHEMA = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';

const word = (text: string, start: number | null, end: number | null, speaker?: string) => ({
  ...{ word: text, start, end, confidence: null, language: 'en' },
  metadata: speaker === undefined ? {} : { engineSpeaker: speaker },
});

const said = (words: ReturnType<typeof word>[], channel: string | null = null) => ({
  ...{ transcription: words.map((one) => one.word).join(''), words, channel, metadata: {}, utterance: true },
  ...{ start: words[0]?.start ?? null, end: words.at(-1)?.end ?? null },
});

const diarize = async (messages: Json[], properties: JsonObject = {}) => {
  const { messages: written } = await oneRun(diarization(), { schema: SCHEMA, messages, properties });
  const payloads = (schema: string) =>
    written.filter(({ payloadSchema }) => payloadSchema === schema).map(({ payload }) => payload as JsonObject);
  return { passed: payloads(SCHEMA), turns: payloads('tech.vatis.schema.stream.processor.messages.diarization.DiarizationResponseDto') };
};

describe('diarization', () => {
  test('names a speaker for each channel and marks overlapping speech', async () => {
    const messages = [
      said([word('hello', 0, 500), word(' there', 500, 1_000)], '0'),
      said([word(' yes', 800, 1_200)], '1'),
      said([word(' good', 2_000, 2_500)], '0'),
    ];
    const { passed, turns } = await diarize(messages);
    expect(passed.map(({ transcription }) => transcription)).toEqual(['hello there', ' yes', ' good']);
    const words = passed.flatMap((message) => message.words as JsonObject[]);
    expect(words.map(({ metadata }) => metadata)).toEqual([
      { speakers: ['A'], speakersOverlap: false },
      { speakers: ['A'], speakersOverlap: true },
      { speakers: ['B'], speakersOverlap: true },
      { speakers: ['A'], speakersOverlap: false },
    ]);
    expect(turns).toEqual([
      { speakerIds: ['A'], overlap: true, start: 0, end: 1_000, metadata: {} },
      { speakerIds: ['B'], overlap: true, start: 800, end: 1_200, metadata: {} },
      { speakerIds: ['A'], overlap: false, start: 2_000, end: 2_500, metadata: {} },
    ]);
  });

  test('marks a long utterance as overlapping each shorter one, in order of start', async () => {
    const long = Array.from({ length: 10 }, (_, n) => word(` w${n}`, n * 100, n * 100 + 90));
    const messages = [
      said(long, '0'),
      said([word(' a', 200, 250)], '1'),
      said([word(' b', 700, 750)], '1'),
      said([word(' c', 2_000, 2_100)], '1'),
    ];
    const { turns } = await diarize(messages);
    expect(turns.map(({ start, overlap }) => [start, overlap])).toEqual([
      [0, true],
      [200, true],
      [700, true],
      [2_000, false],
    ]);
  });

  test("names an engine's speakers in order of first appearance", async () => {
    const messages = [
      said([word('hi', 0, 100, 'SPEAKER_07')]),
      said([word(' ho', 200, 300, 'SPEAKER_01')]),
      said([word(' hi', 400, 500, 'SPEAKER_07')]),
    ];
    const { turns } = await diarize(messages);
    expect(turns.map(({ speakerIds }) => speakerIds)).toEqual([['A'], ['B'], ['A']]);
  });

  test('keeps the speakers of two channels apart, even with equal names', async () => {
    const { turns } = await diarize([said([word('hi', 0, 100, '0')], '0'), said([word(' ho', 200, 300, '0')], '1')]);
    expect(turns.map(({ speakerIds }) => speakerIds)).toEqual([['A'], ['B']]);
  });

  test('names speakers but reports no turns if words have no times', async () => {
    const { passed, turns } = await diarize([said([word('hi', null, null, 'X')])]);
    expect(passed).toMatchObject([{ words: [{ metadata: { speakers: ['A'], speakersOverlap: false } }] }]);
    expect(turns).toEqual([]);
  });

  test("attributes everything to a single speaker without an engine's help", async () => {
    expect((await diarize([said([word('hi', 0, 100)])], { speakersNumber: 1 })).turns).toMatchObject([{ speakerIds: ['A'] }]);
    expect(diarization(false).unavailable({ maxSpeakersNumber: 1 }, [])).toBeNull();
  });

  test('writes nothing for silence', async () => {
    expect(await diarize([], { speakersNumber: 2 })).toEqual({ passed: [], turns: [] });
  });

  test('fails if speakers cannot be told apart, and names the setting that helps', async () => {
    await expect(diarize([said([word('hi', 0, 100)])])).rejects.toMatchObject({
      errorName: 'PROCESSOR_SPEAKER_DIARIZATION_ERROR',
      message: expect.stringContaining('splitStereo'),
    });
  });

  test.each([
    [{ speakersNumber: 3 }, 'exactly 3 were expected'],
    [{ minSpeakersNumber: 3 }, 'at least 3 were expected'],
    [{ maxSpeakersNumber: 1, minSpeakersNumber: 1, speakersNumber: 1 }, null],
    [{ speakersNumber: 2 }, null],
    [{ minSpeakersNumber: 2, maxSpeakersNumber: 4 }, null],
    [{ minSpeakersNumber: 3, maxSpeakersNumber: 4 }, '3 to 4 were expected'],
  ])('passes the speakers that it finds, and warns if %j expects others', async (properties, warning) => {
    const { passed, turns } = await diarize([said([word('hi', 0, 100)], '0'), said([word(' ho', 200, 300)], '1')], properties);
    expect(turns).toHaveLength(2);
    const warnings = passed.flatMap(({ metadata }) => (metadata as JsonObject).warnings ?? []);
    const expected = { code: 'SPEAKERS_DIFFER', message: `2 speakers were told apart in the recording, and ${warning}.` };
    expect([...new Set(warnings.map((one) => JSON.stringify(one)))]).toEqual(warning === null ? [] : [JSON.stringify(expected)]);
  });

  test('keeps earlier warnings of the transcription', async () => {
    const message = { ...said([word('hi', 0, 100)], '0'), metadata: { warnings: ['an older note'] } };
    const { passed } = await diarize([message], { speakersNumber: 2 });
    expect(passed).toMatchObject([{ metadata: { warnings: ['an older note', { code: 'SPEAKERS_DIFFER' }] } }]);
  });
});

describe('before the upload', () => {
  const SPLIT = [{ declarationId: 'batch-transcriber', properties: { splitStereo: true } }];
  const MIXED = [{ declarationId: 'batch-transcriber', properties: { splitStereo: false } }];

  test('diarization needs split channels or a speech server', () => {
    expect(diarization(false).unavailable({}, MIXED)).toMatch(/npm run setup.*splitStereo=true/);
    expect(diarization(false).unavailable({}, SPLIT)).toBeNull();
    expect(diarization(true).unavailable({}, MIXED)).toBeNull();
  });

  test('accepts two speakers for two channels', () => {
    expect(diarization(false).unavailable({ speakersNumber: 2 }, SPLIT)).toBeNull();
    expect(diarization(false).unavailable({ speakersNumber: 3 }, SPLIT)).toContain('TRANSCRIBER_URL');
  });

  test('refuses contradictory numbers of speakers', () => {
    expect(() => diarization().unavailable({ minSpeakersNumber: 3, maxSpeakersNumber: 2 }, SPLIT)).toThrow(
      expect.objectContaining({ internalErrorName: 'PROCESSOR_PROPERTIES_VALIDATION_ERROR' }),
    );
  });
});

test('names any number of speakers in linear time', () => {
  const began = performance.now();
  const speakers = new Speakers(false);
  for (let n = 0; n < 20_000; n++) {
    const word = { word: 'x', start: null, end: null, confidence: null, language: null, metadata: { engineSpeaker: `s${n}` } };
    speakers.of(word, { transcription: 'x', words: [word], start: null, end: null, channel: null, metadata: {}, utterance: true });
  }
  expect(speakers.count).toBe(20_000);
  expect(performance.now() - began).toBeLessThan(1_000);
});
