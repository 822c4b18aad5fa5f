import { describe, expect, test } from 'vitest';
import { isOtherLanguage, languagesIn } from '../../../web/src/results/sourceLanguage.ts';

const ENGLISH = ['Anna will call you on Monday about the offer.', 'It was a long day, and we have to wait for the delivery.'];
const FRENCH = [
  'Anna vous appellera lundi au sujet de cette offre.',
  'La journée était longue et nous attendons toujours notre livraison.',
];
const ROMANIAN = ['Ana te va suna luni în legătură cu oferta primită.', 'Ziua a fost foarte lungă și așteptăm încă livrarea noastră.'];

describe('the languages of speech', () => {
  test('are those that the results name', () => {
    expect(languagesIn(['ro', null, 'ro', 'en'], [{ language: 'fr' }])).toEqual(['ro', 'en']);
  });

  test('are otherwise those chosen for the transcription', () => {
    expect(languagesIn([null, undefined], [undefined, { language: 'fr' }])).toEqual(['fr']);
    expect(languagesIn([], [{ language: ['fr', 'de'] }])).toEqual(['fr', 'de']);
    expect(languagesIn([], [{}])).toEqual([]);
  });

  test('are English for a translation', () => {
    expect(languagesIn(['ro'], [{ task: 'translate' }])).toEqual(['en']);
  });
});

describe('a text', () => {
  test('is in the language of its speech, if that is known', () => {
    expect(isOtherLanguage(['ro'], ENGLISH)).toBe(true);
    expect(isOtherLanguage(['en-US'], FRENCH)).toBe(false);
    expect(isOtherLanguage(['english'], [])).toBe(false);
  });

  test('is not all in English if its speech is in English and another language', () => {
    expect(isOtherLanguage(['en', 'ro'], ENGLISH)).toBe(true);
  });

  test('is otherwise judged by its script', () => {
    expect(isOtherLanguage([], ['שלום עולם, hello'])).toBe(true);
    expect(isOtherLanguage([], ['Hello world, שלום'])).toBe(false);
    expect(isOtherLanguage([], [])).toBe(false);
  });

  test.each([
    ['French', FRENCH, true],
    ['Romanian', ROMANIAN, true],
    ['English', ENGLISH, false],
    ['a few words', ['Bonjour Anna'], false],
    ['a list of English names', ['Anna Smith, Ben Brown, Carol White, David Green, Emma Taylor, Frank Baker, Grace Hill.'], true],
  ])('in Latin script is judged by how many common English words it has: %s', (_, texts, isOther) => {
    expect(isOtherLanguage([], texts)).toBe(isOther);
  });
});
