import type { StreamResults } from './results.ts';
import type { Transcript, Utterance } from './transcript.ts';

/** Plain text of one or more streams in order, separated by newlines. */
export const exportText = (results: readonly StreamResults[]): string => results.map(textOf).join('\n');

/** The transcription; otherwise the summary; otherwise the answers, one per line. */
const textOf = ({ transcript, summaries, answers }: StreamResults): string => {
  if (transcript) return transcriptText(transcript);
  return (summaries.length > 0 ? summaries : answers.map(({ content }) => content)).join('\n');
};

/** With speakers or channels, one line per utterance: `Speaker A: ...`. */
const transcriptText = ({ transcription, utterances }: Transcript): string =>
  utterances.some(hasSpeaker) ? utterances.map(utteranceLine).join('\n') : transcription.text.trim();

/** The text without its leading space, after the speaker if known. */
export const utteranceLine = (utterance: Utterance): string => {
  const speaker = speakerOf(utterance);
  return (speaker === null ? '' : onOneLine(`Speaker ${speaker}: `)) + onOneLine(utterance.text.trim());
};

/** An empty line would end a caption, and the rest would be read as another one. */
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** `A`, or `A, B` for several. Channels become letters in order. `null` without speaker and channel. */
export const speakerOf = ({ speakerIds, channel }: Utterance): string | null => {
  if (speakerIds && speakerIds.length > 0) return speakerIds.join(', ');
  return channel === undefined ? null : letterOf(channel);
};

const hasSpeaker = ({ speakerIds, channel }: Utterance): boolean => (speakerIds?.length ?? 0) > 0 || channel !== undefined;

const letterOf = (channel: string): string =>
  /^\d{1,2}$/.test(channel) && Number(channel) < 26 ? String.fromCharCode(65 + Number(channel)) : channel;
