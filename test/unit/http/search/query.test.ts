import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/http/search/query.ts';

const word = (...words: string[]) => ({ words, prefix: false });
const beginning = (...words: string[]) => ({ words, prefix: true });

describe('the text of a search', () => {
  it.each([
    ['Refund  POSSIBLE', { all: [word('refund'), word('possible')], none: [] }],
    ['"as soon as" refund', { all: [word('as', 'soon', 'as'), word('refund')], none: [] }],
    ['“as soon” „as“', { all: [word('as', 'soon'), word('as')], none: [] }],
    ['"not closed', { all: [word('not', 'closed')], none: [] }],
    ['a -b -"c d" -ef*', { all: [word('a')], none: [word('b'), word('c', 'd'), beginning('ef')] }],
    ['ship*', { all: [beginning('ship')], none: [] }],
    ['well-known', { all: [word('well', 'known')], none: [] }],
    ["don't", { all: [word('don', 't')], none: [] }],
    ['same Same', { all: [word('same')], none: [] }],
    ['東京 都*', { all: [word('東京'), beginning('都')], none: [] }],
    ['a & b', { all: [word('a'), word('b')], none: [] }],
    ['NEAR OR AND', { all: [word('near'), word('or'), word('and')], none: [] }],
  ])('%s is read as phrases', (q, expected) => {
    expect(parseQuery(q)).toEqual(expected);
  });

  it.each(['', ' ', '-a', '"', '***', '-"a b" -c'])('"%s" is refused, because there is nothing to find', (q) => {
    expect(() => parseQuery(q)).toThrow('no word to find');
  });

  it('is refused with a beginning of one letter', () => {
    expect(() => parseQuery('word r*')).toThrow('r* matches too many words. Give at least 2 letters before the *.');
  });
});
