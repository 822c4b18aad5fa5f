import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SentimentSegment, Transcription } from '../../../../src/domain/stream/messages.ts';
import { SentimentTotals } from '../../../../src/domain/stream/sentimentTotals.ts';
import { exportSrt, exportVtt, hasCaptions } from '../../../../src/http/export/captions/captions.ts';
import { DEFAULT_LAYOUT } from '../../../../src/http/export/captions/layout.ts';
import { exportJson, exportResult } from '../../../../src/http/export/formats/json.ts';
import { exportText } from '../../../../src/http/export/formats/text.ts';
import { ResultMetadata } from '../../../../src/results/resultMetadata.ts';
import { transcriptOf } from '../../../../src/results/transcript.ts';
import { results, STREAM, spokenResults as spoken } from './spoken.ts';

const utterance = (text: string, start: number, more: Partial<Transcription> = {}): Transcription => ({
  transcription: text,
  words: text.split(/(?= )/).map((word, n) => ({
    word,
    start: start + n * 100,
    end: start + n * 100 + 90,
    confidence: 0.5,
    language: 'en',
    metadata: {},
  })),
  start,
  end: start + 1000,
  metadata: {},
  channel: null,
  utterance: true,
  ...more,
});

const sentimentSummaryOf = (segments: readonly SentimentSegment[]) => {
  const totals = new SentimentTotals();
  for (const segment of segments) totals.add(segment);
  return totals.result();
};

describe('a transcript', () => {
  test('joins the utterances into one text, which equals its joined words', () => {
    const { transcription, utterances } = transcriptOf([utterance('go forward', 0), utterance(' ten meters', 2000)]);
    expect(transcription.text).toBe('go forward ten meters');
    expect(transcription.words.map(({ word }) => word).join('')).toBe(transcription.text);
    expect(utterances.map(({ text }) => text)).toEqual(['go forward', ' ten meters']);
  });

  test('adds missing spaces between utterances', () => {
    const { transcription } = transcriptOf([utterance('one', 0), utterance('two', 2000)]);
    expect(transcription.text).toBe('one two');
    expect(transcription.words.map(({ word }) => word).join('')).toBe('one two');
  });

  test('leaves out members that the engine did not report', () => {
    const words = [{ word: 'hi', start: null, end: null, confidence: null, language: null, metadata: {} }];
    const { transcription, utterances } = transcriptOf([utterance('hi', 0, { words, start: null, end: null })]);
    expect(transcription.words).toEqual([{ word: 'hi' }]);
    expect(utterances).toEqual([{ text: 'hi', words: [{ word: 'hi' }] }]);
  });

  test('keeps the text of an engine that reports no words', () => {
    expect(transcriptOf([utterance('only text', 0, { words: [] })])).toEqual({
      transcription: { text: 'only text', words: [] },
      utterances: [{ start: 0, end: 1000, text: 'only text', words: [] }],
    });
  });

  test('merges channels in spoken order, with the channel of each word', () => {
    const { utterances } = transcriptOf([
      utterance('a', 0, { channel: '0' }),
      utterance('c', 5000, { channel: '0' }),
      utterance('b', 2000, { channel: '1' }),
    ]);
    expect(utterances.map(({ text, channel, words }) => [text, channel, words[0]?.channel])).toEqual([
      ['a', '0', '0'],
      ['b', '1', '1'],
      ['c', '0', '0'],
    ]);
  });

  test('shows speakers on words and utterances', () => {
    const words = [
      { word: 'yes', start: 0, end: 1, confidence: 1, language: 'en', metadata: { speakers: ['A'], speakersOverlap: false } },
      { word: ' no', start: 1, end: 2, confidence: 1, language: 'en', metadata: { speakers: ['A', 'B'], speakersOverlap: true } },
    ];
    const { transcription, utterances } = transcriptOf([utterance('yes no', 0, { words })]);
    expect(transcription.words[1]).toMatchObject({ speakers: ['A', 'B'], speakersOverlap: true });
    expect(utterances[0]).toMatchObject({ speakerIds: ['A', 'B'], overlap: true });
  });

  test('takes linear time', () => {
    const seconds = (count: number): number => {
      const messages = Array.from({ length: count }, (_, n) => utterance(n === 0 ? 'one' : ' one', n));
      // Not the clock, which counts what other processes took.
      const began = process.cpuUsage();
      expect(transcriptOf(messages).transcription.text).toHaveLength(4 * count - 1);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    const best = (count: number): number => Math.min(...Array.from({ length: 5 }, () => seconds(count)));
    // Eight times as many: 8 when it grows with them, 64 with their square. The best of five, since the machine may be busy.
    expect(best(20_000) / best(2_500)).toBeLessThan(40);
  });
});

describe('JSON', () => {
  test('has only applicable members', () => {
    expect(exportResult([results({})])).toEqual({});
    expect(Object.keys(exportResult([spoken(utterance('hi', 0))]))).toEqual(['transcription', 'utterances']);
    expect(exportResult([results({ summaries: ['short'] })])).toEqual({ summary: { content: 'short' } });
  });

  test("maps each prompt to its answer, even if it is named like an object's own member", () => {
    const answer = { promptId: '__proto__', content: '{"a":1}', responseFormatSpecification: '{}' };
    expect(exportJson([results({ answers: [answer] })])).toBe(`{"askAnything":{"__proto__":${JSON.stringify(answer)}}}`);
  });

  test('is the text of its members, with answers in the order of their prompts', () => {
    const answers = ['10', '2'].map((promptId) => ({ promptId, content: 'x', responseFormatSpecification: null }));
    const one = results({ transcript: transcriptOf([utterance('ă "b"', 0)]), answers, summaries: ['s'] });
    const { askAnything, ...members } = JSON.parse(exportJson([one]));
    expect(members).toEqual({ ...one.transcript, summary: { content: 's' } });
    expect(exportJson([one])).toContain(`"askAnything":{"10":${JSON.stringify(answers[0])},"2":${JSON.stringify(answers[1])}}`);
  });

  test('joins the texts of several streams by newlines and concatenates their lists, in the given order', () => {
    const answer = (content: string) => ({ promptId: '0', content, responseFormatSpecification: null });
    const first = results({ transcript: transcriptOf([utterance('one', 0)]), summaries: ['s1'], answers: [answer('a1')] });
    const second = results({ transcript: transcriptOf([utterance('two', 0)]), summaries: ['s2'], answers: [answer('a2')] });
    const result = exportResult([first, second]);
    expect(result.transcription?.text).toBe('one\ntwo');
    expect(result.utterances?.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(result.summary?.content).toBe('s1\ns2');
    expect(result.askAnything?.get('0')?.content).toBe('a1\na2');
  });
});

describe('sentiment', () => {
  const segment = (score: number, sentiment: SentimentSegment['sentiment'], channel?: number): SentimentSegment => ({
    text: 'x',
    sentiment,
    startTime: null,
    endTime: null,
    score,
    ...(channel !== undefined && { channel }),
  });

  test('averages the scores with inclusive thresholds, and omits missing channels', () => {
    expect(sentimentSummaryOf([segment(0.66, 'positive'), segment(0, 'neutral')])).toEqual({
      negativeCount: 0,
      positiveCount: 1,
      neutralCount: 1,
      averageScore: 0.33,
      sentiment: 'positive',
    });
    expect(sentimentSummaryOf([segment(-0.33, 'negative')]).sentiment).toBe('negative');
    expect(sentimentSummaryOf([segment(0.3299, 'neutral')]).sentiment).toBe('neutral');
  });

  test('is positive from +0.33 and negative from -0.33 despite floating-point rounding', () => {
    const pairs = fc.tuple(fc.integer({ min: -340, max: 1_000 }), fc.constantFrom(1, -1));
    fc.assert(
      fc.property(pairs, ([thousandths, sign]) => {
        const scores = [(sign * thousandths) / 1_000, (sign * (660 - thousandths)) / 1_000];
        const { averageScore, sentiment } = sentimentSummaryOf(scores.map((score) => segment(score, 'neutral')));
        expect([averageScore, sentiment]).toEqual([sign * 0.33, sign > 0 ? 'positive' : 'negative']);
      }),
    );
    expect(sentimentSummaryOf([0.3, 0.3599].map((score) => segment(score, 'neutral'))).sentiment).toBe('neutral');
  });

  test('summarises each channel in order', () => {
    const { channels } = sentimentSummaryOf([segment(0.5, 'positive', 1), segment(-0.5, 'negative', 0)]);
    expect(channels).toEqual([
      { channel: 0, negativeCount: 1, positiveCount: 0, neutralCount: 0, averageScore: -0.5, sentiment: 'negative' },
      { channel: 1, negativeCount: 0, positiveCount: 1, neutralCount: 0, averageScore: 0.5, sentiment: 'positive' },
    ]);
  });

  test('covers the segments of all streams', () => {
    const { sentimentAnalysis } = exportResult([
      results({ segments: [segment(1, 'positive')] }),
      results({ segments: [segment(0, 'neutral'), segment(0, 'neutral')] }),
    ]);
    expect(sentimentAnalysis?.segments).toHaveLength(3);
    expect(sentimentAnalysis?.summary.averageScore).toBe(1 / 3);
  });
});

describe('TEXT', () => {
  test('is the text of the transcription', () => {
    expect(exportText([spoken(utterance(' go', 0), utterance(' on', 1))])).toBe('go on');
  });

  test('has one line per utterance with speakers or channels', () => {
    const metadata = { speakerIds: ['A'], overlap: false };
    expect(exportText([spoken(utterance('hello', 0, { metadata }), utterance(' bye', 9))])).toBe('Speaker A: hello\nbye');
    expect(exportText([spoken(utterance('hello', 0, { channel: '0' }), utterance(' bye', 9, { channel: '1' }))])).toBe(
      'Speaker A: hello\nSpeaker B: bye',
    );
  });

  test('keeps the name of a speaker on one line, whatever a processor has called them', () => {
    const metadata = { speakerIds: ['A\r\n\r\nSTYLE', 'B\u2028'], overlap: false };
    expect(exportText([spoken(utterance('hello', 0, { metadata }))])).toBe('Speaker A STYLE, Speaker B : hello');
    expect(exportText([spoken(utterance('hello', 0, { channel: '\n\nSTYLE' }))])).toBe('Speaker STYLE: hello');
  });

  test('without a transcription, is the summary or the answers, one per line', () => {
    const answers = ['yes', 'no'].map((content, n) => ({ promptId: String(n), content, responseFormatSpecification: null }));
    expect(exportText([results({ summaries: ['short'], answers })])).toBe('short');
    expect(exportText([results({ answers })])).toBe('yes\nno');
  });

  test('joins several streams with newlines', () => {
    expect(exportText([spoken(utterance('one', 0)), results({ summaries: ['two'] })])).toBe('one\ntwo');
  });
});

describe('captions', () => {
  const streams = [
    spoken(utterance('a <b> & --> c', 0)),
    spoken(utterance('two', 3_661_001), utterance('', 1), utterance('x', 1, { start: null })),
  ];

  test('JSON names the engine of each result at its root, by processor, and by stream if there are several', () => {
    const collected = new ResultMetadata();
    collected.add('transcriber', { engine: 'whisper', model: 'base', language: 'ro' });
    const incomplete = { code: 'FILE_INCOMPLETE', message: 'The file is incomplete.' };
    collected.add('transcriber', { engine: 'whisper', model: 'base', language: 'ro', warnings: [incomplete, 'An older warning.', 7] });
    collected.add('transcriber', { engine: 'whisper', model: 'base', language: 'ro', warnings: [incomplete] });
    collected.add('llm', { engine: 'lexicon' });
    collected.add('llm', { engine: 'extractive' });
    const metadata = collected.result();
    const transcriber = {
      engine: 'whisper',
      model: 'base',
      language: 'ro',
      warnings: [incomplete, { code: 'NOTE', message: 'An older warning.' }],
    };
    expect(exportResult([results({ metadata })]).metadata).toEqual(new Map(Object.entries({ transcriber, llm: { engine: 'extractive' } })));
    const two = [results({ stream: { ...STREAM, streamId: 'a' }, metadata }), results({ stream: { ...STREAM, streamId: 'b' } })];
    const named = { 'a/transcriber': transcriber, 'a/llm': { engine: 'extractive' } };
    expect(exportResult(two).metadata).toEqual(new Map(Object.entries(named)));
    expect(exportResult([results({})])).not.toHaveProperty('metadata');
  });

  test('require an utterance with times, and are empty for silence', () => {
    expect(hasCaptions([spoken(utterance('hello', 0))])).toBe(true);
    expect(hasCaptions([spoken(utterance('hello', 0, { start: null, end: null }))])).toBe(false);
    expect(hasCaptions([results({ summaries: ['no transcription'] })])).toBe(false);
    expect(hasCaptions([spoken()])).toBe(true);
    expect([exportSrt([spoken()]), exportVtt([spoken()])]).toEqual(['', 'WEBVTT\n']);
  });

  test('SRT numbers cues across streams, and skips utterances without words or times', () => {
    expect(exportSrt(streams)).toBe('1\n00:00:00,000 --> 00:00:01,000\na <b> & → c\n\n2\n01:01:01,001 --> 01:01:02,001\ntwo\n');
  });

  test('VTT escapes markup', () => {
    expect(exportVtt(streams)).toBe(
      'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\na &lt;b&gt; &amp; → c\n\n2\n01:01:01.001 --> 01:01:02.001\ntwo\n',
    );
  });
});

describe('long results', () => {
  test('of long utterances are captions on one line, without arrows', () => {
    const text = `a${' \n'.repeat(100_000)}${'-'.repeat(99_999)}>${'& --> '.repeat(20_000)}😀`;
    const plain = text.replace(/\s+/g, ' ').replaceAll('-->', '→').replaceAll('&', '&amp;').replaceAll('>', '&gt;');
    const layout = { ...DEFAULT_LAYOUT, byUtterance: true };
    expect(exportVtt([spoken(utterance(text, 0, { words: [] }))], layout)).toBe(`WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\n${plain}\n`);
  });

  test('are merged by channel in the order of their starts', () => {
    const messages = Array.from({ length: 25_000 }, (_, n) =>
      utterance(`${n}`, (n * 7_919) % 10_007, { channel: String(n % 2), words: [] }),
    );
    const inOrder = messages.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0)).map(({ transcription }) => transcription);
    expect(transcriptOf(messages).utterances.map(({ text }) => text)).toEqual(inOrder);
  });

  test('have at most 100 warnings of a processor, each of at most 1,000 characters', () => {
    const metadata = new ResultMetadata();
    let looked = 0;
    const warnings = Array.from({ length: 40_000 }, (_, n) => `${n}${'w'.repeat(2_000)}`);
    const get = (list: string[], name: string | symbol): unknown => {
      if (/^\d+$/.test(String(name))) looked += 1;
      return Reflect.get(list, name);
    };
    const counted = new Proxy(warnings, { get });
    for (let n = 0; n < 100; n += 1) metadata.add('own', { engine: 'x', warnings: counted });
    const kept = metadata.result().get('own')?.warnings;
    expect(kept).toEqual(warnings.slice(0, 100).map((warning) => ({ code: 'NOTE', message: warning.slice(0, 1_000) })));
    expect(looked).toBeLessThan(1_000);
  });
});
