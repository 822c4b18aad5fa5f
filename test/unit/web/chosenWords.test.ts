import { expect, test } from 'vitest';
import { chosenIn, hasAt, renamedIn, vocabularyOf, wordsIn } from '../../../web/src/pages/upload/chosenWords.ts';

test('reads words between commas, and never makes one the name of a saved vocabulary', () => {
  expect(wordsIn(' Anna , @team,, @@ crew, a@b, @')).toEqual(['Anna', 'team', 'crew', 'a@b']);
  expect(['@', 'Anna, @team', 'a@b, c'].map(hasAt)).toEqual([true, true, false]);
});

test('tells saved vocabularies from words', () => {
  expect(chosenIn(['@Places', 'Anna', 'Ben'])).toEqual({ saved: ['Places'], words: ['Anna', 'Ben'] });
  expect(vocabularyOf({ saved: ['Places'], words: ['Anna'] })).toEqual(['@Places', 'Anna']);
  expect(vocabularyOf({ saved: [], words: [] })).toBeUndefined();
});

test('follows the new name of a vocabulary, and drops a deleted one', () => {
  expect(renamedIn(['@places', '@Names', 'Anna'], 'Places', 'Towns')).toEqual(['@Towns', '@Names', 'Anna']);
  expect(renamedIn(['@Places', 'Anna'], 'Places', null)).toEqual(['Anna']);
  expect(renamedIn(['@Places'], 'Places', null)).toBeUndefined();
  expect(renamedIn(undefined, 'Places', 'Towns')).toBeUndefined();
});
