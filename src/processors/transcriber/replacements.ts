import { UNSPACED } from '../../domain/transcript/words.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { replaceSpans, type Span, type TimedText } from '../spans.ts';

/** Letters that need a boundary: scripts without spaces have none between their words. */
const LETTER = `[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED}]]`;
const BEGINS = new RegExp(`^${LETTER}`, 'v');
const ENDS = new RegExp(`${LETTER}$`, 'v');

const key = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

const pattern = (heard: string): string => {
  const text = key(heard)
    .split(' ')
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+');
  return `${BEGINS.test(heard.trim()) ? `(?<!${LETTER})` : ''}${text}${ENDS.test(heard.trim()) ? `(?!${LETTER})` : ''}`;
};

/** Replaces whole words and phrases in words, without case. Longer phrases come first. */
export class Replacements {
  readonly #written: ReadonlyMap<string, string>;
  readonly #pattern: RegExp | null;

  /** `replacements`: what an engine writes, and what replaces it. */
  constructor({ replacements }: JsonObject) {
    const entries = isJsonObject(replacements) ? Object.entries(replacements) : [];
    const written = entries.flatMap(([heard, by]) => (typeof by === 'string' && key(heard) !== '' ? [[key(heard), by] as const] : []));
    this.#written = new Map(written);
    const longestFirst = [...this.#written.keys()].sort((a, b) => b.length - a.length);
    this.#pattern = longestFirst.length > 0 ? new RegExp(longestFirst.map(pattern).join('|'), 'giv') : null;
  }

  apply<Word extends TimedText>(words: readonly Word[]): readonly Word[] {
    if (!this.#pattern) return words;
    const text = words.map((word) => word.text).join('');
    const spans = [...text.matchAll(this.#pattern)].flatMap(({ 0: found, index }): Span[] => {
      const by = this.#written.get(key(found));
      return by === undefined ? [] : [{ from: index, to: index + found.length, by }];
    });
    return spans.length === 0 ? words : replaceSpans(words, spans);
  }
}
