import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignWords } from '../../../src/processors/transcriber/alignment.ts';

const heard = fc.record({ text: fc.string({ maxLength: 12 }), notBefore: fc.nat(60) });

test('joins pieces to the original text, whatever words the engine reports', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80, unit: 'grapheme' }), fc.array(heard, { maxLength: 20 }), (text, words) => {
      const pieces = alignWords(text, words);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text.trimEnd());
      expect(pieces.map(({ at }) => at)).toEqual(pieces.map(({ at }) => at).sort((a, b) => a - b));
    }),
    { numRuns: 2_000 },
  );
});

test('finds all words of the text in order', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
      const text = words.map((one, n) => `${n === 0 ? one.toUpperCase() : one}${n % 3 === 0 ? ',' : ''}`).join(' ');
      const pieces = alignWords(
        text,
        words.map((one) => ({ text: one })),
      );
      expect(pieces.map((piece) => piece.word?.text)).toEqual(words);
    }),
  );
});

test('splits pieces with several words, and keeps a word with a space', () => {
  const pieces = alignWords('Twenty-three in New York, yes', [
    { text: 'twenty' },
    { text: 'three' },
    { text: 'in' },
    { text: 'New York' },
    { text: 'yes' },
  ]);
  expect(pieces.map(({ text, word }) => [text, word?.text])).toEqual([
    ['Twenty-', 'twenty'],
    ['three', 'three'],
    [' in', 'in'],
    [' New York,', 'New York'],
    [' yes', 'yes'],
  ]);
});

test('aligns a hundred thousand unknown words in linear time', () => {
  const began = performance.now();
  alignWords(
    'x '.repeat(200_000),
    Array.from({ length: 100_000 }, (_, n) => ({ text: `missing${n}` })),
  );
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('aligns a word of full stops in linear time', () => {
  const began = performance.now();
  const word = `a${'.'.repeat(200_000)}a`;
  expect(alignWords('a b', [{ text: word }]).map(({ text }) => text)).toEqual(['a', ' b']);
  expect(performance.now() - began).toBeLessThan(1_000);
});
