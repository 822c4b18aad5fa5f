/** Everyday words without numbers, names or abbreviations, so that there is only one correct spelling. */
const SUBJECTS = [
  'the teacher',
  'our neighbour',
  'the old captain',
  'a young doctor',
  'my brother',
  'the garden',
  'the evening train',
  'their company',
  'the river',
  'this morning',
];
const VERBS = [
  'has changed',
  'will remember',
  'never forgot',
  'can explain',
  'should follow',
  'left behind',
  'brought back',
  'wants to keep',
  'is looking for',
  'could not find',
];
const OBJECTS = [
  'the broken window',
  'a small village',
  'every important letter',
  'the way to the station',
  'a better answer',
  'the quiet winter',
  'an empty kitchen',
  'the right direction',
  'a long story',
  'the last summer',
];
const ENDINGS = [
  'before the rain came',
  'without a single word',
  'after a long journey',
  'because the road was closed',
  'and everybody was surprised',
  'as soon as possible',
  'in the middle of the night',
  'when the music stopped',
];

/** `count` different sentences, always the same ones. */
export const sentences = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    const pick = (words: readonly string[], step: number): string => words[(n * step + Math.floor(n / 10)) % words.length] ?? '';
    return `${pick(SUBJECTS, 1)} ${pick(VERBS, 3)} ${pick(OBJECTS, 7)} ${pick(ENDINGS, 5)}`;
  });
