import type { Pace } from './pace.ts';
import { type Passage, pacedSentences } from './passages.ts';

const STOP_WORDS = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by can could did do
  does doing down during each few for from further had has have having he her here hers him his how i if in into is it its itself just me more
  most my no nor not now of off on once only or other our ours out over own please same she should so some such tell than that the their theirs
  them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will
  with would you your yours`.split(/\s+/),
);

/** Rough English stem, so that "parcels" matches "parcel" and "arrived" matches "arrives". */
const stem = (word: string): string => {
  if (word.length < 4) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ing') && word.length > 5) return word.slice(0, -3).replace(/e$/, '');
  if (word.endsWith('ed') && word.length > 4) return word.slice(0, -2).replace(/e$/, '');
  if (word.endsWith('es')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1).replace(/e$/, '');
  return word.replace(/e$/, '');
};

/** Stems of the content words, without duplicates. */
const contentWords = (text: string): string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  return [...new Set(words.filter((word) => !STOP_WORDS.has(word)).map((word) => stem(word.replace(/['’].*$/, ''))))];
};

/** A sentence that can be quoted, with its content words. */
interface Extract {
  readonly text: string;
  readonly words: readonly string[];
}

export type SummaryLength = 'brief' | 'detailed';
export type SummaryStructure = 'paragraphs' | 'bullet_points';

const LONGEST_EXTRACT = 600;
const SENTENCES_A_PARAGRAPH = 4;
const NO_ANSWER = 'Nothing in the text answers this.';

/** Selects sentences of a text for a summary or an answer. Works offline and adds no words. */
export class Extracts {
  readonly #extracts: readonly Extract[];
  /** Number of sentences that contain each word. */
  readonly #frequency: ReadonlyMap<string, number>;
  readonly #pace: Pace;

  private constructor(extracts: readonly Extract[], frequency: ReadonlyMap<string, number>, pace: Pace) {
    this.#extracts = extracts;
    this.#frequency = frequency;
    this.#pace = pace;
  }

  static async of(passages: readonly Passage[], pace: Pace): Promise<Extracts> {
    const extracts: Extract[] = [];
    const frequency = new Map<string, number>();
    for (const passage of passages) {
      for await (const text of pacedSentences(passage.text, LONGEST_EXTRACT, pace)) {
        const words = contentWords(text);
        for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
        extracts.push({ text, words });
      }
    }
    return new Extracts(extracts, frequency, pace);
  }

  /** The most central sentences, in the order of the text. Empty for an empty text. */
  async summary(length: SummaryLength, structure: SummaryStructure): Promise<string> {
    const total = this.#extracts.length;
    const count = length === 'brief' ? Math.min(3, Math.ceil(total / 3)) : Math.min(10, Math.ceil(total / 2));
    const sentences = (await this.#central(count)).map(punctuated);
    if (structure === 'bullet_points') return sentences.map((sentence) => `- ${sentence}`).join('\n');
    const paragraphs: string[] = [];
    for (let n = 0; n < sentences.length; n += SENTENCES_A_PARAGRAPH) {
      paragraphs.push(sentences.slice(n, n + SENTENCES_A_PARAGRAPH).join(' '));
    }
    return paragraphs.join('\n\n');
  }

  /** At most three sentences that share most with a question, or a sentence that says that there are none. */
  async answers(question: string): Promise<string[]> {
    const asked = contentWords(question).filter((word) => this.#frequency.has(word));
    if (contentWords(question).length === 0) return (await this.#central(1)).map(punctuated);
    const rarity = new Map(asked.map((word) => [word, Math.log(1 + this.#extracts.length / (this.#frequency.get(word) ?? 1))]));
    const scored: { n: number; score: number }[] = [];
    for (const [n, { words }] of this.#extracts.entries()) {
      await this.#pace();
      const score = words.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0);
      if (score > 0) scored.push({ n, score });
    }
    const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
    const chosen = scored.filter(({ score }) => score >= 0.8 * best).slice(0, 3);
    return chosen.length === 0 ? [NO_ANSWER] : chosen.map(({ n }) => punctuated(this.#extracts[n]?.text ?? ''));
  }

  /** Repeatedly picks the sentence with the most frequent words and lowers the weight of those words, to avoid repetition. */
  async #central(count: number): Promise<string[]> {
    // Only what differs from the frequency: a text may have a million different words.
    const lowered = new Map<string, number>();
    const weightOf = (word: string): number => lowered.get(word) ?? this.#frequency.get(word) ?? 0;
    const chosen = new Set<number>();
    while (chosen.size < count) {
      let best = { n: -1, score: -1 };
      for (const [n, { words }] of this.#extracts.entries()) {
        await this.#pace();
        if (chosen.has(n)) continue;
        const score = words.reduce((sum, word) => sum + weightOf(word), 0) / (5 + words.length);
        if (score > best.score) best = { n, score };
      }
      chosen.add(best.n);
      for (const word of this.#extracts[best.n]?.words ?? []) lowered.set(word, weightOf(word) / 4);
    }
    return [...chosen].sort((a, b) => a - b).map((n) => this.#extracts[n]?.text ?? '');
  }
}

/** Ends bare words with a full stop: some engines report no punctuation. */
const punctuated = (sentence: string): string => (/[\p{P}]$/u.test(sentence) ? sentence : `${sentence}.`);
