import { expect, test } from 'vitest';
import { speechRequest } from '../../../../src/http/openai/transcriptions/speechRequest.ts';
import { languageName } from '../../../../src/http/openai/transcriptions/verboseAnswer.ts';

const requestOf = (fields: Readonly<Record<string, string | string[]>>) =>
  speechRequest(new Map(Object.entries({ model: 'whisper-1', ...fields }).map(([name, value]) => [name, [value].flat()])), 'transcribe');

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

test.each([
  ['true', true],
  ['True', true],
  ['1', true],
  ['FALSE', false],
  ['0', false],
  ['', false],
])('reads the boolean %j', (stream, expected) => {
  expect(requestOf({ stream }).stream).toBe(expected);
});

test('reads enum values in any case, and lists repeated or with commas', () => {
  const verbose = { response_format: 'Verbose_JSON' };
  expect(requestOf({ ...verbose, timestamp_granularities: 'Word, segment' }).granularities).toEqual(['word', 'segment']);
  expect(requestOf({ ...verbose, timestamp_granularities: ['WORD', 'segment'] })).toMatchObject({ granularities: ['word', 'segment'] });
  expect(requestOf({ keywords: ['Zürich', 'Anna, Ben'], prompt: 'A call.' }).vocabulary).toBe('A call., Zürich, Anna, Ben');
  expect(requestOf({ languages: 'DE' }).language).toBe('de');
  expect(requestOf({ languages: ['de', 'fr'] }).language).toEqual(['de', 'fr']);
  expect(requestOf({ languages: ['de', 'fr'], language: 'it' }).language).toBe('it');
  expect(requestOf({ known_speaker_names: ['Smith, Anna', 'Ben'] }).speakerNames).toEqual(['Smith, Anna', 'Ben']);
  expect(requestOf({ known_speaker_names: 'Anna,Ben', known_speaker_references: 'data:' })).toMatchObject({
    ...{ speakerNames: ['Anna', 'Ben'], warning: 'known_speaker_references is ignored' },
  });
});

test.each([
  { chunking_strategy: 'Auto' },
  { chunking_strategy: '' },
  { chunking_strategy: '{"type": "server_vad", "threshold": 0.4}' },
  { 'chunking_strategy[type]': 'SERVER_VAD', 'chunking_strategy[threshold]': '0.4' },
])('accepts %j, and leaves it to the engine', (fields) => {
  expect(requestOf(fields)).toEqual(requestOf({}));
});

test.each([
  [{ stream: 'yes' }, 'stream'],
  [{ response_format: 'xml' }, 'response_format'],
  [{ include: ['logprobs', 'secrets'] }, 'include'],
  [{ chunking_strategy: 'by_chapter' }, 'chunking_strategy'],
  [{ chunking_strategy: '{"type": "semantic_vad"}' }, 'chunking_strategy'],
  [{ chunking_strategy: '{"type": ' }, 'chunking_strategy'],
  [{ 'chunking_strategy[type]': 'none' }, 'chunking_strategy'],
  [{ response_format: 'verbose_json', timestamp_granularities: 'word,letter' }, 'timestamp_granularities'],
  [{ keywords: 'x'.repeat(4_097) }, 'keywords'],
  [{ languages: Array(21).fill('de') }, 'languages'],
])('refuses %j by name', (fields, param) => {
  expect(() => requestOf(fields)).toThrow(expect.objectContaining({ statusCode: 400, param }));
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

test('does not name a language that was not asked for', () => {
  expect([languageName([], 'Auto'), languageName([], ['de', 'fr']), languageName([], 'fr')]).toEqual(['english', 'english', 'french']);
});

test('names the language of most words', () => {
  expect(nameOf(['it', 'de', 'de', 'de', 'it', 'it', 'it'])).toBe('italian');
  expect(nameOf(['de', 'it', 'it', 'de'])).toBe('german');
});
