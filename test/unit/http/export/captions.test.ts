import { describe, expect, test } from 'vitest';
import { exportSrt, exportVtt } from '../../../../src/http/export/captions/captions.ts';
import { type CaptionLayout, DEFAULT_LAYOUT } from '../../../../src/http/export/captions/layout.ts';
import type { StreamResults } from '../../../../src/results/results.ts';
import { spokenResults, timed } from './spoken.ts';

interface ShownCue {
  start: number;
  end: number;
  lines: string[];
}

const milliseconds = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.replace(',', '.').split(':').map(Number);
  return Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000);
};

const cuesIn = (captions: string): ShownCue[] =>
  captions
    .trim()
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith('WEBVTT'))
    .map((block) => {
      const [, times = '', ...lines] = block.split('\n');
      const [start = '', end = ''] = times.split(' --> ');
      return { start: milliseconds(start), end: milliseconds(end), lines };
    });

const srt = (results: StreamResults, layout: Partial<CaptionLayout> = {}) => cuesIn(exportSrt([results], { ...DEFAULT_LAYOUT, ...layout }));

const textsOf = (cues: readonly ShownCue[]): string[] => cues.map(({ lines }) => lines.join(' '));

const WALK =
  'and then we walked along the river until we came to the old bridge where my grandfather used to sell apples and pears to the people who came from the other side of the valley and they would always stop to talk about the weather and the price of corn';
const PROSE =
  'He had promised his wife, who was ill, that he would stay in the house until the winter. He left at nine. No one knew where he was going; not even his brother, who had always known everything about him.';

describe('a cue', () => {
  test.each([
    ['with the times of words', timed(WALK)],
    ['without them', timed(WALK, { words: [], end: 16_000 })],
    ['of prose', timed(PROSE)],
    ['of fast speech', timed(PROSE, { words: [], end: 4_000 })],
    ['of slow speech', timed('one two three four five', { words: [], end: 60_000 })],
  ])('has at most two lines of 42 characters and is shown for one to seven seconds: %s', (_, utterance) => {
    const cues = srt(spokenResults(utterance));
    expect(cues.length).toBeGreaterThan(1);
    for (const { start, end, lines } of cues) {
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
      expect(end - start).toBeLessThanOrEqual(7_000);
      expect(end - start).toBeGreaterThanOrEqual(1_000);
    }
    expect(textsOf(cues).join(' ')).toBe(utterance.transcription);
  });

  test('ends with a sentence, or else with a clause', () => {
    expect(textsOf(srt(spokenResults(timed(PROSE))))).toEqual([
      'He had promised his wife, who was ill,',
      'that he would stay in the house until the winter. He left at nine.',
      'No one knew where he was going; not even his brother,',
      'who had always known everything about him.',
    ]);
  });

  test('ends at a pause of more than 300 ms in speech without punctuation', () => {
    const before = timed('there was nothing at all to be seen from the window');
    const after = timed(' but somebody had been there and had left the door open', { start: (before.end ?? 0) + 400 });
    const utterance = {
      ...before,
      transcription: before.transcription + after.transcription,
      words: [...before.words, ...after.words],
      end: after.end,
    };
    expect(textsOf(srt(spokenResults(utterance)))).toEqual([before.transcription, after.transcription.trim()]);
  });

  test('continues over utterances that an engine divided in the middle of a sentence', () => {
    const first = timed('It came from the hotel in which he had');
    const second = timed(' been staying.', { start: first.end ?? 0 });
    const third = timed(' He was fine.', { start: (second.end ?? 0) + 100 });
    expect(textsOf(srt(spokenResults(first, second, third)))).toEqual([
      'It came from the hotel in which he had been staying.',
      'He was fine.',
    ]);
  });

  test('has the times of its first and last word', () => {
    const [cue] = srt(spokenResults(timed('Hello there my friend', { start: 500, end: 9_000 })));
    expect(cue).toMatchObject({ start: 500, end: timed('Hello there my friend', { start: 500 }).words.at(-1)?.end });
  });

  test('ends after its start and has text, whatever times an engine gives', () => {
    const odd = [
      [4_000, 4_000, ' zero'],
      [4_000.4, 4_000.5, ' tiny'],
      [5_000, 4_500, ' backward'],
      [7_000, 8_000, ' \r\n '],
      [3_599_999.6, 3_600_500, ' edge of the hour'],
    ] as const;
    for (const byUtterance of [false, true]) {
      const cues = srt(spokenResults(...odd.map(([start, end, text]) => timed(text, { words: [], start, end }))), { byUtterance });
      for (const { start, end, lines } of cues) {
        expect(end).toBeGreaterThan(start);
        expect(lines.join('')).toMatch(/\S/);
      }
      expect(textsOf(cues).join(' ')).toBe('zero tiny backward edge of the hour');
    }
  });

  test('of Chinese has lines of 16 characters and is broken between words', () => {
    const text = '今天天气很好，我们去公园散步吧。昨天下雨了，所以我们没有出门。我觉得这个主意非常好，我们还可以带一些吃的东西。';
    const cues = srt(spokenResults(timed(text, { words: [], end: 15_000 })));
    for (const { lines } of cues) for (const line of lines) expect(line.length).toBeLessThanOrEqual(16);
    expect(cues.flatMap(({ lines }) => lines).join('')).toBe(text);
    expect(textsOf(cues)[0]).toBe('今天天气很好，我们去公园散步吧。');
  });

  test('never divides a word, however long', () => {
    const word = 'x'.repeat(100);
    expect(srt(spokenResults(timed(`see ${word} there`, { words: [], end: 5_000 }))).flatMap(({ lines }) => lines)).toContain(word);
  });

  test('keeps the limits of a request, or is one utterance on one line', () => {
    const utterance = timed(PROSE);
    const narrow = srt(spokenResults(utterance), { maxLineLength: 20, maxLines: 3, maxCueDuration: 3_000 });
    for (const { start, end, lines } of narrow) {
      expect(lines.length).toBeLessThanOrEqual(3);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(20);
      expect(end - start).toBeLessThanOrEqual(3_000);
    }
    expect(srt(spokenResults(utterance), { byUtterance: true })).toEqual([{ start: 0, end: utterance.end, lines: [PROSE] }]);
  });
});

describe('a speaker', () => {
  const speaker = (id: string) => ({ metadata: { speakerIds: [id], overlap: false } });
  const talk = spokenResults(
    timed(PROSE, { ...speaker('A') }),
    timed(' Really?', { start: 20_000, ...speaker('B') }),
    timed(' No.', { start: 23_000, ...speaker('B') }),
  );

  test('is named in SRT where another one begins, within the length of a line', () => {
    const cues = srt(talk);
    expect(cues.filter(({ lines }) => lines[0]?.startsWith('Speaker')).map(({ lines }) => lines[0]?.slice(0, 10))).toEqual([
      'Speaker A:',
      'Speaker B:',
    ]);
    for (const line of cues.flatMap(({ lines }) => lines)) expect(line.length).toBeLessThanOrEqual(42);
  });

  test('is the voice of each cue in VTT', () => {
    const cues = cuesIn(exportVtt([talk]));
    expect(new Set(cues.map(({ lines }) => lines[0]?.match(/^<v [^>]+>/)?.[0]))).toEqual(new Set(['<v Speaker A>', '<v Speaker B>']));
  });
});

test('a hundred thousand words without a pause are divided in seconds', () => {
  const results = spokenResults(timed(`${WALK} `.repeat(2_000)));
  const began = process.cpuUsage();
  exportSrt([results]);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1e6).toBeLessThan(10);
});
