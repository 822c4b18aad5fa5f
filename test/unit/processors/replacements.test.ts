import { expect, test } from 'vitest';
import { Replacements } from '../../../src/processors/transcriber/replacements.ts';

const words = (...texts: string[]) =>
  texts.map((text, n) => ({ text, start: n * 100, end: n * 100 + 90, confidence: 1 - n / 10, speaker: null }));
const replaced = (replacements: Record<string, string>, ...texts: string[]) =>
  new Replacements({ replacements }).apply(words(...texts)).map(({ text, start, end }) => [text, start, end]);

test.each([
  ['whole words only', { or: 'X' }, ['More', ' or', ' order'], 'More X order'],
  ['without case, in any script', { ΑΘΗΝΑ: 'Athens', москва: 'Moscow' }, ['αθηνα', ' МОСКВА'], 'Athens Moscow'],
  ['a phrase over several words', { 'new york': 'NYC' }, ['In', ' New', ' York,', ' now'], 'In NYC, now'],
  ['the longest phrase first', { new: 'old', 'new york': 'NYC' }, ['New', ' York', ' new'], 'NYC old'],
  ['in scripts without spaces', { 東京: 'Tokyo' }, ['私は', '東京に'], '私はTokyoに'],
  ['with characters that patterns use', { 'c++': 'C plus', '(a)': 'b' }, ['c++,', ' (a)', ' c+'], 'C plus, b c+'],
  ['by nothing', { um: '' }, ['Um', ' hello', ' um.'], ' hello .'],
])('replaces %s', (_, replacements, texts, text) => {
  expect(
    replaced(replacements, ...texts)
      .map(([word]) => word)
      .join(''),
  ).toBe(text);
});

test('gives words that become one the time from the first to the last', () => {
  expect(replaced({ 'new york': 'NYC' }, 'In', ' New', ' York,', ' now')).toEqual([
    ['In', 0, 90],
    [' NYC,', 100, 290],
    [' now', 300, 390],
  ]);
});

test('leaves words without a replacement as they are', () => {
  const before = words('a', ' b');
  expect(new Replacements({}).apply(before)).toBe(before);
  expect(new Replacements({ replacements: { c: 'd' } }).apply(before)).toBe(before);
});
