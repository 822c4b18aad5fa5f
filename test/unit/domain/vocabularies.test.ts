import { expect, test } from 'vitest';
import { deleteVocabulary, saveVocabulary } from '../../../src/domain/vocabularies/decisions.ts';
import type { VocabulariesEvent } from '../../../src/domain/vocabularies/events.ts';
import { vocabulariesDecider } from '../../../src/domain/vocabularies/state.ts';

const { evolve, initialState } = vocabulariesDecider;
const fold = (events: readonly VocabulariesEvent[], before = initialState()) =>
  events.reduce((state, event) => evolve(state, event, ''), before);
const draft = (name: string, terms = ['a']) => ({ name, terms, replacements: {} });
const saved = (n: number) => saveVocabulary(initialState(), { id: `v${n}`, known: false }, draft(`n${n}`));

test('rejects the 101st vocabulary, without deleted ones', () => {
  const full = fold(Array.from({ length: 100 }, (_, n) => saved(n)).flat());
  const add = (state: typeof full) => saveVocabulary(state, { id: 'v', known: false }, draft('n'));
  expect(() => add(full)).toThrow(expect.objectContaining({ statusCode: 429, headers: {} }));
  expect(saveVocabulary(full, { id: 'v7', known: true }, draft('n7', ['b']))).toHaveLength(1);
  expect(add(fold(deleteVocabulary(full, 'v7'), full))).toHaveLength(1);
});

test('rejects a vocabulary that would fill the configuration of a stream', () => {
  const terms = Array.from({ length: 200 }, (_, n) => `${n} ${'x'.repeat(200)}`);
  expect(() => saveVocabulary(initialState(), { id: 'v', known: false }, draft('n', terms))).toThrow('The limit is 32768');
});

test('appends nothing for a vocabulary that does not change', () => {
  expect(saveVocabulary(fold(saved(1)), { id: 'v1', known: true }, draft(' n1 ', ['a ', 'a']))).toEqual([]);
});

test('leaves nothing of the vocabularies of an erased owner', () => {
  expect(fold([...saved(1), { type: 'VocabularySaved', data: { id: 'v1', name: null, content: null } }])).toEqual({});
});
