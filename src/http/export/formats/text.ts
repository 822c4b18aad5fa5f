import type { StreamResults } from '../../../results/results.ts';
import type { Transcript, Utterance } from '../../../results/transcript.ts';
import { onOneLine, speakerName } from './speakers.ts';

/** Plain text of one or more streams in order, separated by newlines. */
export const exportText = (results: readonly StreamResults[]): string => results.map(textOf).join('\n');

/** The transcription, under the summary if there is one; otherwise the texts, one per line. */
const textOf = (results: StreamResults): string => {
  const { transcript, summaries } = results;
  if (!transcript) return textsOf(results).join('\n');
  const text = transcriptText(transcript);
  return summaries.length === 0 ? text : `${SUMMARY}\n\n${summaries.join('\n')}\n\n${TRANSCRIPT}\n\n${text}`;
};

/** Headings in documents that have both. */
export const SUMMARY = 'Summary';
export const TRANSCRIPT = 'Transcript';

/** The texts of a stream without a transcription: the summaries; otherwise the answers. */
export const textsOf = ({ summaries, answers }: Pick<StreamResults, 'summaries' | 'answers'>): readonly string[] =>
  summaries.length > 0 ? summaries : answers.map(({ content }) => content);

/** With speakers or channels, one line per utterance: `Speaker A: ...`. */
const transcriptText = ({ transcription, utterances }: Transcript): string =>
  utterances.some((utterance) => speakerName(utterance) !== null) ? utterances.map(utteranceLine).join('\n') : transcription.text.trim();

/** The text without its leading space, after the speaker if known. */
const utteranceLine = (utterance: Utterance): string => {
  const speaker = speakerName(utterance);
  return (speaker === null ? '' : `${speaker}: `) + onOneLine(utterance.text.trim());
};
