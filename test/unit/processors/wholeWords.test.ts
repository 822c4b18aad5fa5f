import { describe, expect, test } from 'vitest';
import type { EngineWord } from '../../../src/processors/transcriber/alignment.ts';
import { wholeWords } from '../../../src/processors/transcriber/wholeWords.ts';

const word = (text: string, start: number | null, end: number | null, more: Partial<EngineWord> = {}): EngineWord => ({
  ...{ text, start, end, confidence: null, speaker: null },
  ...more,
});
const texts = (...words: EngineWord[]) => wholeWords(words).map(({ text }) => text);

describe('tokens of a speech server', () => {
  test('without a space continue the word before them', () => {
    expect(wholeWords([word(' quar', 0, 100), word('ter', 100, 200), word('ly', 200, 300), word(' news', 300, 400)])).toEqual([
      word(' quarterly', 0, 300),
      word(' news', 300, 400),
    ]);
  });

  test('begin a word of their own after a pause of a second', () => {
    expect(texts(word(' Hello', 0, 400), word('there', 1_399, 1_500))).toEqual([' Hellothere']);
    expect(texts(word(' Hello', 0, 400), word('there', 1_400, 1_500))).toEqual([' Hello', 'there']);
    expect(texts(word(' so', 0, 100), word('me', 100, 200), word('thing', 1_200, 1_300))).toEqual([' some', 'thing']);
  });

  test('are joined where times are missing', () => {
    expect(texts(word(' Hel', null, null), word('lo', null, null))).toEqual([' Hello']);
  });

  test('of another speaker begin a word', () => {
    expect(texts(word(' a', 0, 10, { speaker: 'x' }), word('b', 10, 20, { speaker: 'y' }))).toEqual([' a', 'b']);
  });

  test('stay as they are where no word brings its space', () => {
    expect(texts(word('a', 0, 10), word('b', 10, 20))).toEqual(['a', 'b']);
  });
});
