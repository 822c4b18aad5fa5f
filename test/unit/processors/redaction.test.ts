import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { redactionTable, sentencesOf, TEST_SETS } from '../../../bench/redaction/measure.ts';
import type { Transcription } from '../../../src/domain/stream/messages.ts';
import { Redactor } from '../../../src/processors/redaction/redactor.ts';
import { spokenText } from '../../../src/processors/redaction/spokenText.ts';

const SETS = new URL('../../../bench/redaction/', import.meta.url);
const GUIDE = new URL('../../../docs/guides/redaction.md', import.meta.url);

const redacted = (text: string, properties: object, language = 'en') => new Redactor({ ...properties }).text(text, language);

const transcription = (...words: string[]): Transcription => ({
  transcription: words.join(''),
  words: words.map((word, n) => ({
    word,
    start: n * 100,
    end: n * 100 + 90,
    confidence: 0.9,
    language: 'en',
    metadata: { speakers: ['A'] },
  })),
  ...{ start: 0, end: words.length * 100, metadata: { engine: 'e' }, channel: null, utterance: true },
});

describe('redaction', () => {
  test('has the precision and recall that its guide says', () => {
    expect(readFileSync(GUIDE, 'utf8'), 'Run npm run redaction-figures -- --write').toContain(redactionTable(SETS));
  });

  test('finds the same in the words of an utterance as in its text', () => {
    const kinds = ['email', 'phone', 'card', 'iban', 'ssn', 'ip', 'url'];
    for (const { text, language } of TEST_SETS.flatMap((set) => sentencesOf(set, SETS))) {
      const words = text.split(/(?=\s)/).map((word) => ({ word, start: 0, end: 1, confidence: null, language, metadata: {} }));
      const { words: found, ...others } = new Redactor({ kinds }).transcription({ ...transcription(), transcription: text, words });
      expect(found.map(({ word }) => word).join('')).toBe(others.transcription);
      expect(others.transcription).toBe(redacted(text, { kinds }, language));
    }
  });

  test('gives a replacement the time of its words, and what surrounds it', () => {
    const { words, transcription: text } = new Redactor({ kinds: ['card'] }).transcription(
      transcription('It is', ' "4111', ' 1111', ' 1111', ' 1111",', ' yes'),
    );
    expect(text).toBe('It is "[CARD]", yes');
    expect(words.map(({ word, start, end, metadata }) => [word, start, end, metadata])).toEqual([
      ['It is', 0, 90, { speakers: ['A'] }],
      [' "[CARD]",', 100, 490, { speakers: ['A'] }],
      [' yes', 500, 590, { speakers: ['A'] }],
    ]);
  });

  test('passes on only the members that it knows', () => {
    const own = { ...transcription('Hello'), raw: 'my card is 4111 1111 1111 1111' };
    expect(JSON.stringify(new Redactor({ kinds: ['card'] }).transcription(own))).not.toContain('4111');
  });

  test('reads a text that differs from its words by itself', () => {
    const { transcription: text } = new Redactor({ kinds: ['card'] }).transcription({
      ...transcription('Hello'),
      transcription: 'My card is 4111 1111 1111 1111.',
    });
    expect(text).toBe('My card is [CARD].');
  });

  test.each([
    [
      'every number',
      { kinds: ['number'] },
      'On 12 May, 1,250.50 and four one five; one of two',
      'On [NUMBER] May, [NUMBER] and [NUMBER]; one of two',
    ],
    ['only what is asked for', { kinds: ['email'] }, 'a@b.com 4111111111111111', '[EMAIL] 4111111111111111'],
    ['patterns before all else', { kinds: ['card'], patterns: ['\\d{4} \\d{4}'] }, '4111 1111 1111 1111', '[CUSTOM] [CUSTOM]'],
    ['nothing for an empty match', { patterns: ['x*'] }, 'a xx b', 'a [CUSTOM] b'],
  ])('replaces %s', (_, properties, text, expected) => {
    expect(redacted(text, properties)).toBe(expected);
  });

  test('refuses patterns that are long to match, and utterances that are too long for patterns', () => {
    expect(() => new Redactor({ patterns: ['(?:a?){500}'] })).toThrow('The limit is 500');
    expect(() => redacted('a'.repeat(20_001), { patterns: ['b'] })).toThrow('20001 characters');
    expect(redacted('a'.repeat(20_001), { kinds: ['card'] })).toHaveLength(20_001);
  });

  test('takes linear time for patterns and texts that are made to be slow', () => {
    const began = performance.now();
    redacted('a'.repeat(20_000), { patterns: ['(a+)+$', '(a|a)*b'] });
    for (const text of ['1 '.repeat(50_000), 'a.'.repeat(50_000), ':'.repeat(100_000), 'a at '.repeat(20_000), '+('.repeat(50_000)])
      redacted(text, { kinds: ['email', 'phone', 'card', 'iban', 'ssn', 'ip', 'url', 'number'] });
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

test.each([
  ['en', 'call four one five, double five', 'call 41555'],
  ['en', 'one or two, three', 'one or two, three'],
  ['en', 'plus four four two oh', '+4420'],
  ['de', 'null eins fünf', '015'],
  ['en', 'version 1.2.3', 'version 1.2.3'],
])('digits that are spelled out in %s are joined: %s', (language, text, joined) => {
  expect(spokenText(text, language).text).toBe(joined);
});
