import { clockText } from '../../../clock.ts';
import type { Transcript, Utterance } from '../../../results/transcript.ts';
import { endsWithSentence } from '../captions/breaks.ts';
import { onOneLine, speakerName } from './speakers.ts';

/** A part of a transcript for people to read. */
export interface Paragraph {
  /** Only where another speaker begins. */
  readonly speaker: string | null;
  /** `HH:MM:SS`; `null` if the engine gave no times. */
  readonly time: string | null;
  readonly text: string;
}

/** Characters after which a paragraph ends with the next sentence. */
const LONG = 600;

/** Joins the utterances of one speaker to paragraphs. */
export const paragraphsOf = ({ transcription, utterances }: Transcript): Paragraph[] => {
  const text = transcription.text.trim();
  if (utterances.length === 0) return text === '' ? [] : [{ speaker: null, time: null, text: onOneLine(text) }];
  const groups: { speaker: string | null; first: Utterance; texts: string[]; length: number }[] = [];
  for (const utterance of utterances.filter((one) => one.text.trim() !== '')) {
    const [speaker, said, last] = [speakerName(utterance), onOneLine(utterance.text.trim()), groups.at(-1)];
    if (last && last.speaker === speaker && !isFull(last)) last.texts.push(said);
    else groups.push({ speaker, first: utterance, texts: [said], length: 0 });
    const group = groups.at(-1);
    if (group) group.length += said.length + 1;
  }
  return groups.map(({ speaker, first, texts }, n) => ({
    speaker: speaker === groups[n - 1]?.speaker ? null : speaker,
    time: first.start === undefined ? null : clockText(first.start, { padded: true }),
    text: texts.join(' '),
  }));
};

const isFull = ({ texts, length }: { readonly texts: readonly string[]; readonly length: number }): boolean =>
  length > 2 * LONG || (length > LONG && endsWithSentence(texts.at(-1) ?? ''));
