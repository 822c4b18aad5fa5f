import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { originInWords, originsOf } from '../../../web/src/results/origins.ts';
import type { Utterance } from '../../../web/src/results/results.ts';
import { asText, blockOfWord, blocksOf, matching } from '../../../web/src/results/transcript/blocks.ts';

const utterance = (text: string, more: Partial<Utterance> = {}): Utterance => ({
  text,
  words: text.split(' ').map((word) => ({ word: ` ${word}`, start: null, end: null, confidence: null })),
  start: null,
  end: null,
  speakers: [],
  channel: null,
  ...more,
});

describe('a transcript in blocks', () => {
  test('contains every utterance once, in order, and finds the block of each word', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 400 }), (lengths) => {
        const utterances = lengths.map((length, n) => utterance(`${n}`, { words: utterance('w '.repeat(length)).words.slice(0, length) }));
        const blocks = blocksOf(utterances);
        expect(blocks.flatMap(({ items }) => items)).toEqual(utterances);
        const words = utterances.flatMap((one) => one.words);
        words.forEach((_, word) => {
          const block = blocks[blockOfWord(blocks, word)];
          const count = block?.items.reduce((sum, one) => sum + one.words.length, 0) ?? 0;
          expect(word >= (block?.firstWord ?? -1) && word < (block?.firstWord ?? 0) + count).toBe(true);
        });
      }),
      { numRuns: 50 },
    );
  });

  test('is searched in any case, every occurrence with its place in the shown words; an empty search finds nothing', () => {
    const utterances = [utterance('Hello world'), utterance('ȘTIRI bune'), utterance('the World, the world')];
    expect(matching(utterances, 'WORLD')).toEqual([
      { utterance: 0, start: 7, end: 12 },
      { utterance: 2, start: 5, end: 10 },
      { utterance: 2, start: 16, end: 21 },
    ]);
    expect(matching(utterances, 'știri')).toEqual([{ utterance: 1, start: 1, end: 6 }]);
    expect(matching(utterances, '  ')).toEqual([]);
  });

  test('is copied with a line per utterance and its speaker', () => {
    const utterances = [utterance(' Hello.', { speakers: ['Speaker A'] }), utterance('Hi.', { speakers: ['Anna'] }), utterance('Bye.')];
    expect(asText(utterances)).toBe('Speaker A: Hello.\nAnna: Hi.\nBye.');
  });
});

describe('the origin of a result', () => {
  test('names engine, model and language once', () => {
    const made = { engine: 'moonshine-voice 0.0.62', model: 'tiny-en', language: 'en' };
    expect(originsOf([made, made]).map(originInWords)).toEqual(['Made by moonshine-voice 0.0.62, model tiny-en, English.']);
  });

  test('has every warning once, also those of older results, which are bare text', () => {
    const warned = (...warnings: unknown[]) => ({ engine: 'moonshine-voice 0.0.62', warnings });
    const truncated = { code: 'FILE_INCOMPLETE', message: 'The file is truncated.' };
    const [origin] = originsOf([warned(truncated), warned('An older note.', truncated, 7, { code: 'X' }), warned()]);
    expect(origin?.warnings).toEqual(['The file is truncated.', 'An older note.']);
  });

  test('labels extracts and the word list as such', () => {
    expect(originsOf([{ engine: 'extractive' }]).map(originInWords)).toEqual([
      expect.stringMatching(/^Extract: .*without a language model/),
    ]);
    expect(originsOf([{ engine: 'lexicon' }]).map(originInWords)).toEqual([expect.stringMatching(/other languages reads as neutral/)]);
  });

  test('names the language model, if the messages do', () => {
    expect(originsOf([{ engine: 'llm', model: 'gpt-4o-mini' }, { engine: 'llm' }]).map(originInWords)).toEqual([
      'Written by the language model gpt-4o-mini.',
      'Written by a language model.',
    ]);
  });

  test('is empty when the messages do not say', () => {
    fc.assert(fc.property(fc.array(fc.anything()), (metadata) => originsOf(metadata).every(({ engine }) => typeof engine === 'string')));
    expect(originsOf([{}, null, 'text', { engine: '' }])).toEqual([]);
  });
});
