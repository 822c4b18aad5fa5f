import { expect, test } from 'vitest';
import { speechRequest } from '../../../../src/http/openai/transcriptions/speechRequest.ts';
import { languageName } from '../../../../src/http/openai/transcriptions/verboseAnswer.ts';

const requestOf = (fields: Readonly<Record<string, string>>) =>
  speechRequest(new Map(Object.entries({ model: 'whisper-1', ...fields }).map(([name, value]) => [name, [value]])), 'transcribe');

const wordsIn = (languages: readonly string[]) => languages.map((language) => ({ word: 'a', language }));

const nameOf = (languages: readonly string[]): string => languageName(wordsIn(languages), null);

test.each([
  ['0', 0],
  ['1.0', 1],
  ['.25', 0.25],
  ['000.5', 0.5],
])('reads the temperature %s', (text, temperature) => {
  expect(requestOf({ temperature: text }).temperature).toBe(temperature);
});

test.each(['1.', '.', '-0', '1.1', '0,5', '1e-1', ' 1'])('refuses the temperature %j', (temperature) => {
  expect(() => requestOf({ temperature })).toThrow('temperature must be a number from 0 to 1');
});

// In quadratic time, this would take half a minute.
test('refuses a temperature of 256 KB in linear time', () => {
  expect(() => requestOf({ temperature: `${'1'.repeat(262_000)}x` })).toThrow('temperature must be a number from 0 to 1');
});

test('refuses a language code of more than 35 characters', () => {
  expect(requestOf({ language: 'EN-us' }).language).toBe('en-us');
  expect(() => requestOf({ language: `en-${'a'.repeat(33)}` })).toThrow('The field language has 36 characters. At most 35 are allowed.');
});

test('does not look up the name of a language code of more than 35 characters', () => {
  const long = `en-${Array.from({ length: 100_000 }, (_, n) => `v${String(n).padStart(6, '0')}`).join('-')}`;
  expect(nameOf([long])).toBe(long);
  expect(nameOf(['de'])).toBe('german');
});

test('names the language of most words', () => {
  expect(nameOf(['it', 'de', 'de', 'de', 'it', 'it', 'it'])).toBe('italian');
  expect(nameOf(['de', 'it', 'it', 'de'])).toBe('german');
});
