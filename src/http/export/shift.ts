import type { StreamResults } from '../../results/results.ts';
import type { Transcript } from '../../results/transcript.ts';

/** Moves each recording behind the one before it. */
export const shifted = (results: readonly StreamResults[]): StreamResults[] => {
  let offset = 0;
  return results.map((one) => {
    const moved = { ...one, transcript: one.transcript && movedBy(offset, one.transcript) };
    offset += lengthOf(one);
    return moved;
  });
};

const movedBy = (offset: number, { transcription, utterances }: Transcript): Transcript => {
  const later = <Part extends { start?: number; end?: number }>(part: Part): Part => ({
    ...part,
    ...(part.start !== undefined && { start: part.start + offset }),
    ...(part.end !== undefined && { end: part.end + offset }),
  });
  return {
    transcription: { ...transcription, words: transcription.words.map(later) },
    utterances: utterances.map((utterance) => ({ ...later(utterance), words: utterance.words.map(later) })),
  };
};

/** Milliseconds of a recording: as stated or measured, and at least up to its last word. */
const lengthOf = ({ transcript, metadata, stream }: StreamResults): number => {
  const stated = [...metadata.values()].flatMap(({ recordingLength }) => (typeof recordingLength === 'number' ? recordingLength : []));
  const ends = transcript?.utterances.map(({ end = 0 }) => end) ?? [];
  return ends.reduce((longest, end) => Math.max(longest, end), Math.max(0, stream.audioLength, ...stated));
};
