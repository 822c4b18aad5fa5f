import { SentimentIntensityAnalyzer } from 'vader-sentiment';
import { meanScore, type SentimentSegment, sentimentOf } from '../../domain/stream/messages.ts';
import type { Pace } from './pace.ts';
import { type Passage, sentencesOf } from './passages.ts';

/** VADER's compound score, -1..1, unrounded. For a very long passage, the mean of its pieces. */
export const scoreOf = (text: string): number => {
  if (text.length <= 2_000) return compound(text);
  const scores = [...sentencesOf(text)].map(compound);
  return meanScore(
    scores.reduce((sum, score) => sum + score, 0),
    scores.length,
  );
};

const compound = (text: string): number => {
  const { compound } = SentimentIntensityAnalyzer.polarity_scores(text);
  return Number.isFinite(compound) ? Math.max(-1, Math.min(1, compound)) : 0;
};

/** One segment per passage, in order. */
export async function* sentimentSegments(passages: readonly Passage[], pace: Pace): AsyncGenerator<SentimentSegment> {
  for (const { text, start, end, channel } of passages) {
    await pace(text.length);
    yield segmentOf({ text, start, end, channel }, scoreOf(text));
  }
}

export const segmentOf = (
  { text, start, end, channel }: Pick<Passage, 'text' | 'start' | 'end' | 'channel'>,
  score: number,
): SentimentSegment => {
  const segment = { text, sentiment: sentimentOf(score), startTime: start, endTime: end, score };
  return channel === null ? segment : { ...segment, channel };
};
