import type { StreamResults } from './results.ts';
import { slicesOf, trimmed } from './steps.ts';
import type { Transcript, Utterance } from './transcript.ts';

/** Plain text of one or more streams in order, separated by newlines, in parts. */
export function* exportText(results: readonly StreamResults[]): Generator<string> {
  yield* lines(results, textOf);
}

/** The transcription; otherwise the summary; otherwise the answers, one per line. */
function* textOf({ transcript, summaries, answers }: StreamResults): Generator<string> {
  if (transcript) yield* transcriptText(transcript);
  else if (summaries.length > 0) yield* lines(summaries, slicesOf);
  else yield* lines(answers, ({ content }) => slicesOf(content));
}

/** With speakers or channels, one line per utterance: `Speaker A: ...`. */
function* transcriptText({ transcription, utterances }: Transcript): Generator<string> {
  if (utterances.some(hasSpeaker)) yield* lines(utterances, utteranceLine);
  else yield* slicesOf(yield* trimmed(transcription.text));
}

/** The parts of each item, and a newline between two items. */
function* lines<Item>(items: readonly Item[], partsOf: (item: Item) => Iterable<string>): Generator<string> {
  for (const [n, item] of items.entries()) {
    if (n > 0) yield '\n';
    yield* partsOf(item);
  }
}

/** The text without its leading space, after the speaker if known, in parts. */
export function* utteranceLine(utterance: Utterance): Generator<string> {
  const speaker = speakerOf(utterance);
  if (speaker !== null) yield onOneLine(`Speaker ${speaker}: `);
  for (const slice of slicesOf(utterance.text.trim(), WITHIN)) yield onOneLine(slice);
}

/** An empty line would end a caption, and the rest would be read as another one. */
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** Where a slice must not end, so that spaces are joined, and arrows found (`captions.ts`). */
const WITHIN = /[\s\ud800-\udbff-]/;

/** `A`, or `A, B` for several. Channels become letters in order. `null` without speaker and channel. */
export const speakerOf = ({ speakerIds, channel }: Utterance): string | null => {
  if (speakerIds && speakerIds.length > 0) return speakerIds.join(', ');
  return channel === undefined ? null : letterOf(channel);
};

const hasSpeaker = ({ speakerIds, channel }: Utterance): boolean => (speakerIds?.length ?? 0) > 0 || channel !== undefined;

const letterOf = (channel: string): string =>
  /^\d{1,2}$/.test(channel) && Number(channel) < 26 ? String.fromCharCode(65 + Number(channel)) : channel;
