import { describe, expect, test } from 'vitest';
import { jsonDraft } from '../../../web/src/parts/jsonDraft.ts';

describe('JSON in a form', () => {
  test('is its value, or undefined if it is empty', () => {
    expect(jsonDraft('{"a": [1]}')).toEqual({ value: { a: [1] }, problem: null });
    expect(jsonDraft(' \n')).toEqual({ value: undefined, problem: null });
  });

  test.each([
    ['a word that does not belong there', '{\n  "a": 1,\n  nonsense\n}', 3],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3],
    ['an end that is missing', '{\n  "a": 1,\n', 3],
  ])('names the line of %s', (_, text, line) => {
    expect(jsonDraft(text).problem).toBe(`This is not valid JSON: see line ${line}.`);
  });
});
