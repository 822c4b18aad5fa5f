import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../../src/http/search/excerpt.ts';
import { hitsIn } from '../../../../src/http/search/passages.ts';
import { parseQuery } from '../../../../src/http/search/query.ts';
import type { SearchedPassage } from '../../../../src/projections/search.ts';

const passages = (...texts: string[]): SearchedPassage[] => texts.map((text) => ({ kind: 'transcript', text }));
const find = (q: string, ...texts: string[]) => hitsIn(passages(...texts), parseQuery(q).all);
const marked = (q: string, text: string) => find(q, text).passages.flatMap((shown) => shown.marks.map(([a, b]) => shown.text.slice(a, b)));

describe('passages of a stream', () => {
  it('show the three best: with most of the phrases, then with most occurrences, then the earliest', () => {
    const { hits, passages: shown } = find('red blue', 'red', 'blue blue', 'none', 'red and blue', 'red again');
    expect(shown.map(({ text }) => text)).toEqual(['red and blue', 'blue blue', 'red']);
    expect(hits).toBe(6);
  });

  it.each([
    ['creme', 'Une crème brûlée', ['crème']],
    ['"soon as"', 'As soon as I can, soon as ever', ['soon as', 'soon as']],
    ['ref*', 'Refunds, a refund', ['Refunds', 'refund']],
    ['strasse', '🎉 Straße', ['Straße']],
    ['京都', '東京都と京都', ['京都', '京都']],
    ['都', '東京都', ['都']],
    ['𠮷野', '𠮷野家', ['𠮷野']],
    ['ไทย', 'ภาษาไทย', ['ไทย']],
    ['"a b" "b c"', 'a b c', ['a b c']],
  ])('mark %s in %s', (q, text, expected) => {
    expect(marked(q, text)).toEqual(expected);
  });

  it('are cut around their marks, with the marks in the part that is left', () => {
    const far = `${'before '.repeat(100)}a refund, and a refund ${'after '.repeat(100)}`;
    const [shown] = find('refund', far).passages;
    expect(shown?.text).toMatch(/^…before .* after…$/);
    expect(shown?.text.length).toBeLessThan(250);
    expect(shown?.marks.map(([start, end]) => shown.text.slice(start, end))).toEqual(['refund', 'refund']);
  });

  it('keep at least one whole mark and whole characters, whatever is cut', () => {
    const word = fc.constantFrom('mark', 'x', '🎉'.repeat(30), '漢字'.repeat(40), 'long'.repeat(90), 'é');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), (words) => {
        const text = words.join(' ');
        const { passages: shown } = find('mark', text);
        for (const one of shown) {
          expect(one.marks.length).toBeGreaterThan(0);
          for (const [start, end] of one.marks) expect(one.text.slice(start, end)).toBe('mark');
          expect(Buffer.from(one.text).toString()).toBe(one.text);
        }
      }),
    );
  });

  it('of a long mark show all of it', () => {
    const text = 'word '.repeat(200);
    expect(excerptOf(text, [[100, 700]]).marks).toHaveLength(1);
  });
});
