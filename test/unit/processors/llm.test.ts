import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { SentimentSegment, SentimentSummary } from '../../../src/domain/stream/messages.ts';
import { sentimentOf } from '../../../src/domain/stream/messages.ts';
import type { JsonObject } from '../../../src/json.ts';
import { pacedSentences, readPassages } from '../../../src/processors/llm/passages.ts';
import { scoreOf } from '../../../src/processors/llm/sentiment.ts';
import { openProcessors } from '../../../src/processors/registry.ts';
import { type OneRun, oneRun } from '../../processors/oneRun.ts';

const llm = () => {
  const processor = openProcessors({ clock: systemClock }).get('llm');
  if (!processor) throw new Error('no llm');
  return processor;
};

const TEXT = [
  'The parcel arrived on Tuesday.',
  'The parcel was broken, and I am very angry about the broken parcel!',
  'The support team was wonderful.',
  'They sent a new parcel within two days.',
  'My cat sleeps.',
  'I love this shop.',
].join(' ');

const text = (content: string | Uint8Array): OneRun => ({ schema: 'string', bytes: [Buffer.from(content)] });

const payloads = async (properties: JsonObject, run: OneRun = text(TEXT)) =>
  (await oneRun(llm(), { ...run, properties })).messages.map(({ payload }) => payload as JsonObject);

/** Never gives way. */
const atOnce = async (): Promise<void> => {};

const sentencesOf = async (content: string, longest = 2_000): Promise<string[]> => {
  const sentences: string[] = [];
  for await (const sentence of pacedSentences(content, longest, atOnce)) sentences.push(sentence);
  return sentences;
};

const utterance = (transcription: string, start: number, channel: string | null) => ({
  ...{ transcription, start, end: start + 900, channel },
  ...{ words: [], metadata: {}, utterance: true },
});

describe('the offline llm processor', () => {
  test('completes with a description if no prompt is enabled', async () => {
    const { report, messages } = await oneRun(llm(), {
      ...text(TEXT),
      properties: { summary: { enabled: false }, askAnything: { 0: {} } },
    });
    expect(report).toEqual({ description: 'Stream has no prompt enabled' });
    expect(messages).toEqual([]);
  });

  test('does not read a transcription if no prompt is enabled, but still requires text to be UTF-8', async () => {
    const unread = { schema: 'transcription', messages: [new Proxy({}, { getOwnPropertyDescriptor: () => expect.fail('it was read') })] };
    expect((await oneRun(llm(), { ...unread, properties: {} })).report).toEqual({ description: 'Stream has no prompt enabled' });
    await expect(payloads({}, text(Buffer.from([0xc3, 0x28])))).rejects.toMatchObject({
      message: 'The data are not UTF-8 text. Save the file as UTF-8 and upload it again.',
    });
  });

  test.each([
    ['sentences', 'A short sentence. '],
    ['empty lines', '\n'],
    ['no end at all', 'word '],
    ['abbreviations', 'Mr. '],
  ])('lets other work run while it reads a text of %s, and notices an abort', async (_, part) => {
    const bytes = [Buffer.from(part.repeat(400_000 / part.length))];
    const input = {
      schema: 'string',
      bytes: async function* () {
        yield* bytes;
      },
      messages: async function* () {},
      file: () => expect.fail(),
      folder: () => expect.fail(),
    };
    let steps = 0;
    await readPassages(input, async () => void steps++);
    expect(steps).toBeGreaterThanOrEqual(100);
    const aborted = new Error('aborted');
    await expect(readPassages(input, () => Promise.reject(aborted))).rejects.toBe(aborted);
  });

  test('refuses enhanced transcription before the upload', () => {
    expect(() => llm().unavailable({ enhancedTranscription: { enabled: true } })).toThrow(
      expect.objectContaining({ internalErrorName: 'PROCESSOR_FEATURE_ERROR', statusCode: 400 }),
    );
    expect(llm().unavailable({ enhancedTranscription: { enabled: false } })).toBeNull();
  });

  test('refuses invalid UTF-8, wherever frames are cut', async () => {
    const broken = { schema: 'string', bytes: [Buffer.from([0x61, 0xc3]), Buffer.from([0x28])] };
    await expect(payloads({ summary: { enabled: true } }, broken)).rejects.toMatchObject({
      message: 'The data are not UTF-8 text. Save the file as UTF-8 and upload it again.',
    });
    const cut = { schema: 'string', bytes: [Buffer.from([0x61, 0xc3]), Buffer.from([0xa4])] };
    expect(await payloads({ summary: { enabled: true } }, cut)).toMatchObject([{ summary: [{ content: 'aä.' }] }]);
    await expect(payloads({}, { schema: 'string', bytes: [Buffer.alloc(5_000_000, 'a')] })).rejects.toThrow('longer than');
  });

  test('summarises with sentences of the text in order, labelled as extracts', async () => {
    const [brief] = await payloads({ summary: { enabled: true } });
    expect(brief).toMatchObject({ promptId: null, sequenceId: 0, responseFormatSpecification: null, metadata: { engine: 'extractive' } });
    expect(brief?.summary).toEqual([{ content: 'The support team was wonderful. They sent a new parcel within two days.' }]);
    const [points] = await payloads({ summary: { enabled: true, properties: { length: 'detailed', structure: 'bullet_points' } } });
    const lines = (points as unknown as { summary: { content: string }[] }).summary.flatMap(({ content }) => content.split('\n'));
    expect(lines.length).toBe(3);
    expect(lines.every((line) => line.startsWith('- ') && TEXT.includes(line.slice(2)))).toBe(true);
    expect(await payloads({ summary: { enabled: true } }, text(''))).toMatchObject([{ summary: [{ content: '' }] }]);
  });

  test('answers with the sentences that match the question', async () => {
    const askAnything = { 0: { content: 'When did the parcel arrive?' }, 2: { content: 'What about quantum physics?', promptId: 'odd' } };
    expect(await payloads({ askAnything })).toMatchObject([
      { promptId: '0', sequenceId: 0, askAnything: [{ content: 'The parcel arrived on Tuesday.' }], metadata: { engine: 'extractive' } },
      { promptId: 'odd', sequenceId: 1, askAnything: [{ content: 'Nothing in the text answers this.' }] },
    ]);
  });

  test('fills a response format that sentences can fill, and otherwise says what is needed', async () => {
    const ask = (specification: string) =>
      payloads({ askAnything: { 0: { content: 'When did the parcel arrive?', responseFormat: { specification } } } });
    const specification = JSON.stringify({
      ...{ type: 'object', required: ['answer'], additionalProperties: false },
      properties: { answer: { type: 'string' } },
    });
    expect(await ask(specification)).toMatchObject([
      { responseFormatSpecification: specification, askAnything: [{ content: '{"answer":"The parcel arrived on Tuesday."}' }] },
    ]);
    expect(await ask('{"type":"array","items":{"type":"string"}}')).toMatchObject([
      { askAnything: [{ content: '["The parcel arrived on Tuesday."]' }] },
    ]);
    for (const unfillable of ['{"type":"number"}', '{"type":"string","pattern":"(a+)+$"}', '{"enum":["yes","no"]}']) {
      await expect(ask(unfillable)).rejects.toMatchObject({
        errorName: 'PROCESSOR_FEATURE_ERROR',
        message: expect.stringContaining('LLM_URL'),
      });
    }
    for (const wrong of ['no json', '7', '{"$ref":"#/nowhere"}']) {
      await expect(ask(wrong)).rejects.toMatchObject({ errorName: 'PROCESSOR_PROPERTIES_VALIDATION_ERROR' });
    }
  });

  // A check that gives a promise would end the process with its rejection.
  test('ignores $async in a response format', async () => {
    const specification = '{"$async":true,"type":"number"}';
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    const run = payloads({ askAnything: { 0: { content: 'When?', responseFormat: { specification } } } });
    await expect(run).rejects.toMatchObject({ errorName: 'PROCESSOR_FEATURE_ERROR' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });

  test('scores each sentence and the whole text', async () => {
    const [segments, summary] = await payloads({ sentimentAnalysis: { enabled: true } });
    const list = segments?.sentimentAnalysis as unknown as SentimentSegment[];
    expect(list.map(({ sentiment }) => sentiment)).toEqual(['neutral', 'negative', 'positive', 'neutral', 'neutral', 'positive']);
    expect(list.every((segment) => segment.startTime === null && segment.endTime === null && !('channel' in segment))).toBe(true);
    expect(segments?.metadata).toEqual({ engine: 'lexicon' });
    const total = summary?.sentimentAnalysisSummary as unknown as SentimentSummary;
    expect(total).toMatchObject({ negativeCount: 1, positiveCount: 2, neutralCount: 3 });
    expect(total.averageScore).toBe(list.reduce((sum, { score }) => sum + score, 0) / 6);
    expect('channels' in total).toBe(false);
  });

  test('scores each utterance of a transcription with its times, and each channel', async () => {
    const messages = [utterance('I love it', 0, '0'), utterance(' this is terrible', 1000, '1'), utterance(' wonderful', 2000, '0')];
    const run = { schema: 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto', messages };
    const [segments, summary] = await payloads({ sentimentAnalysis: { enabled: true } }, run);
    expect(segments?.sentimentAnalysis).toMatchObject([
      { text: 'I love it', channel: 0, startTime: 0, endTime: 900, sentiment: 'positive' },
      { text: 'this is terrible', channel: 1, startTime: 1000, endTime: 1900, sentiment: 'negative' },
      { text: 'wonderful', channel: 0, startTime: 2000 },
    ]);
    const total = summary?.sentimentAnalysisSummary as unknown as SentimentSummary;
    expect(total.channels).toMatchObject([
      {
        channel: 0,
        positiveCount: 2,
        negativeCount: 0,
        averageScore: ((await scoreOf('I love it', atOnce)) + (await scoreOf('wonderful', atOnce))) / 2,
      },
      { channel: 1, positiveCount: 0, negativeCount: 1, sentiment: 'negative' },
    ]);
  });

  test('stops in the middle of a long text when aborted', async () => {
    const abort = new AbortController();
    const run = payloads({ sentimentAnalysis: { enabled: true } }, { ...text('I love it. '.repeat(50_000)), signal: abort.signal });
    const outcome = expect(run).rejects.toThrow('enough');
    setImmediate(() => abort.abort(new Error('enough')));
    await outcome;
  });

  test('gives neutral sentiment for an empty text', async () => {
    expect(await payloads({ sentimentAnalysis: { enabled: true } }, text(' \n '))).toMatchObject([
      { sentimentAnalysisSummary: { negativeCount: 0, positiveCount: 0, neutralCount: 0, averageScore: 0, sentiment: 'neutral' } },
    ]);
  });
});

test('accepts sentiment thresholds of 0.33, inclusive', () => {
  expect([0.33, 0.329_999, 0, -0.329_999, -0.33].map(sentimentOf)).toEqual(['positive', 'neutral', 'neutral', 'neutral', 'negative']);
});

test('keeps scores finite and between -1 and 1 for any text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 3_000 }), async (any) => {
      const score = await scoreOf(any, atOnce);
      return Number.isFinite(score) && score >= -1 && score <= 1;
    }),
    { numRuns: 20 },
  );
  expect(await scoreOf('__proto__ constructor toString hasOwnProperty', atOnce)).toBe(0);
});

test.each([
  ['sentences', 'I love it. ', 2_000],
  ['no end at all', 'love ', 7],
  ['no sentence at all', ' ', 7],
])('gives way before each step of the score of a long passage of %s', async (_, part, atLeast) => {
  let steps = 0;
  await scoreOf(`a${part.repeat(30_000 / part.length)}b`, async () => void steps++);
  expect(steps).toBeGreaterThan(atLeast);
});

describe('sentences', () => {
  test('end at punctuation, not at abbreviations or wrapped lines', async () => {
    const wrapped = 'Dr. Smith paid 3.5 dollars\nfor it. Great!\n\nIs it? Yes';
    expect(await sentencesOf(wrapped)).toEqual(['Dr. Smith paid 3.5 dollars for it.', 'Great!', 'Is it?', 'Yes']);
  });

  test.each(['\n', '\r\n'])('are the same for any line wrapping of a long text', async (end) => {
    for (let offset = 1; offset < 40; offset++) {
      const wrapped = `${'A'.repeat(offset)}. ${'Go on. '.repeat(565)}We are${end}wrapped. Next.`;
      expect((await sentencesOf(wrapped)).slice(-3)).toEqual(['Go on.', 'We are wrapped.', 'Next.']);
    }
  });

  test('contain every word and stay within their length limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.lorem({ mode: 'sentences', maxCount: 20 }), fc.integer({ min: 20, max: 200 }), async (any, longest) => {
        const sentences = await sentencesOf(any, longest);
        const words = (all: string) => all.split(/\s+/).filter((word) => word !== '');
        expect(sentences.flatMap(words)).toEqual(words(any));
        expect(sentences.every((sentence) => sentence !== '' && sentence.length <= longest)).toBe(true);
      }),
    );
  });
});
