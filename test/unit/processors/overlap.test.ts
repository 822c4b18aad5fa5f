import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NamedUtterance, OverlapFinder } from '../../../src/processors/diarization/overlap.ts';

interface Said {
  readonly start: number | null;
  readonly end: number | null;
  readonly speaker: string | null;
}

const utterance = (words: readonly Said[], start: number | null, end: number | null): NamedUtterance => ({
  transcription: { transcription: '', words: [], start, end, channel: null, metadata: {}, utterance: true },
  words: words.map(({ speaker, ...times }) => ({
    word: { word: 'a', confidence: null, language: null, metadata: {}, ...times },
    speaker,
    overlap: false,
  })),
});

const overlapping = (a: Said, b: Said): boolean =>
  a.start !== null && a.end !== null && b.start !== null && b.end !== null && a.speaker !== null && b.speaker !== null
    ? a.speaker !== b.speaker && b.start < a.end && b.end > a.start
    : false;

const time = fc.option(fc.integer({ min: 0, max: 12 }), { freq: 8 });
const said = fc.record({ start: time, end: time, speaker: fc.option(fc.constantFrom('A', 'B', 'C')) });

test('finds the words that overlap one of another speaker in another utterance, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(said, { maxLength: 6 }), { minLength: 2, maxLength: 4 }), (spoken) => {
      const utterances = spoken.map((words) => utterance(words, 0, 1_000));
      const finder = new OverlapFinder();
      const done = utterances.flatMap((one) => finder.add(one));
      expect([...done, ...finder.rest()]).toEqual(utterances);
      const expected = spoken.map((words, n) =>
        words.map((word) => spoken.some((others, m) => m !== n && others.some((other) => overlapping(word, other)))),
      );
      expect(utterances.map(({ words }) => words.map(({ overlap }) => overlap))).toEqual(expected);
    }),
  );
});

test('takes little work for utterances of thousands of words at the same time', () => {
  let reads = 0;
  const counted = (): NamedUtterance => {
    const one = utterance(Array(5_500).fill({ start: 0, end: 1e9, speaker: 'A' }), 0, 1e9);
    for (const { word } of one.words)
      Object.defineProperty(word, 'start', {
        get: () => {
          reads += 1;
          return 0;
        },
      });
    return one;
  };
  const finder = new OverlapFinder();
  for (let n = 0; n < 10; n += 1) finder.add(counted());
  expect(reads).toBeLessThan(10 * 5_500 * 10);
});
