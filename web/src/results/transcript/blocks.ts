import type { Utterance } from '../results.ts';

const UTTERANCES = 50;

/** Consecutive utterances that are rendered together. */
export interface TranscriptBlock {
  /** Index of its first utterance, and of that utterance's first word. */
  readonly first: number;
  readonly firstWord: number;
  readonly items: readonly Utterance[];
}

export const blocksOf = (utterances: readonly Utterance[]): readonly TranscriptBlock[] => {
  const blocks: TranscriptBlock[] = [];
  let firstWord = 0;
  for (let first = 0; first < utterances.length; first += UTTERANCES) {
    const items = utterances.slice(first, first + UTTERANCES);
    blocks.push({ first, firstWord, items });
    firstWord += items.reduce((sum, { words }) => sum + words.length, 0);
  }
  return blocks;
};

/** Index of the block that holds the word. */
export const blockOfWord = (blocks: readonly TranscriptBlock[], word: number): number =>
  blocks.findLastIndex(({ firstWord }) => firstWord <= word);

/** Indexes of the utterances that contain the text, in any case. None for an empty text. */
export const matching = (utterances: readonly Utterance[], text: string): readonly number[] => {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return [];
  return utterances.flatMap((utterance, n) => (utterance.text.toLocaleLowerCase().includes(wanted) ? [n] : []));
};

/** The transcript as text: a line per utterance, with its speaker or channel. */
export const asText = (utterances: readonly Utterance[]): string =>
  utterances
    .map(({ text, speakers, channel }) => {
      const who = speakers.length > 0 ? `Speaker ${speakers.join(', ')}: ` : channel === null ? '' : `Channel ${channel}: `;
      return `${who}${text.trim()}`;
    })
    .join('\n');
