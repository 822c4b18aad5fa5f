import { meanScore, type SentimentSegment, sentimentOf } from '../../domain/stream/messages.ts';
import type { Pace } from './pace.ts';
import { LONGEST_SENTENCE, type Passage, pacedSentences } from './passages.ts';

/** VADER's compound score, -1..1, unrounded. For a very long passage, the mean of its pieces. */
export const scoreOf = async (text: string, pace: Pace): Promise<number> => {
  await pace();
  if (text.length <= LONGEST_SENTENCE) return compound(text);
  let [sum, count] = [0, 0];
  for await (const sentence of pacedSentences(text, LONGEST_SENTENCE, pace)) {
    sum += await compound(sentence);
    count += 1;
  }
  return meanScore(sum, count);
};

const compound = async (text: string): Promise<number> => {
  // Loaded at the first score: its lexicon would take a tenth of the start.
  const { default: vader } = await import('vader-sentiment');
  const { compound } = vader.SentimentIntensityAnalyzer.polarity_scores(text);
  return Number.isFinite(compound) ? Math.max(-1, Math.min(1, compound)) : 0;
};

/** One segment per passage, in order. */
export async function* sentimentSegments(passages: readonly Passage[], pace: Pace): AsyncGenerator<SentimentSegment> {
  for (const { text, start, end, channel } of passages) {
    yield segmentOf({ text, start, end, channel }, await scoreOf(text, pace));
  }
}

export const segmentOf = (
  { text, start, end, channel }: Pick<Passage, 'text' | 'start' | 'end' | 'channel'>,
  score: number,
): SentimentSegment => {
  const segment = { text, sentiment: sentimentOf(score), startTime: start, endTime: end, score };
  return channel === null ? segment : { ...segment, channel };
};
