import { SentimentIntensityAnalyzer } from 'vader-sentiment';
import { type SentimentCounts, type SentimentSegment, type SentimentSummary, sentimentOf } from '../../domain/messages.ts';
import type { Pace } from './pace.ts';
import { type Passage, sentencesOf } from './passages.ts';

/** -1..1, unrounded: VADER's compound score; of a passage that is very long, the mean of its pieces. */
export const scoreOf = (text: string): number => {
  if (text.length <= 2_000) return compound(text);
  const scores = [...sentencesOf(text)].map(compound);
  return mean(
    scores.reduce((sum, score) => sum + score, 0),
    scores.length,
  );
};

const compound = (text: string): number => {
  const { compound } = SentimentIntensityAnalyzer.polarity_scores(text);
  return Number.isFinite(compound) ? Math.max(-1, Math.min(1, compound)) : 0;
};

const mean = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);

/** One segment a passage, in their order. */
export async function* sentimentSegments(passages: readonly Passage[], pace: Pace): AsyncGenerator<SentimentSegment> {
  for (const { text, start, end, channel } of passages) {
    await pace(text.length);
    const score = scoreOf(text);
    const segment = { text, sentiment: sentimentOf(score), startTime: start, endTime: end, score };
    yield channel === null ? segment : { ...segment, channel };
  }
}

class Counts {
  #sum = 0;
  #counts = { negative: 0, neutral: 0, positive: 0 };
  #segments = 0;

  add({ score, sentiment }: SentimentSegment): void {
    this.#sum += score;
    this.#segments++;
    this.#counts[sentiment]++;
  }

  result(): SentimentCounts {
    const averageScore = mean(this.#sum, this.#segments);
    return {
      negativeCount: this.#counts.negative,
      positiveCount: this.#counts.positive,
      neutralCount: this.#counts.neutral,
      averageScore,
      sentiment: sentimentOf(averageScore),
    };
  }
}

/** Sums segments up as they come: of all, and of each channel when there are channels. */
export class SentimentTotals {
  readonly #all = new Counts();
  readonly #channels = new Map<number, Counts>();

  add(segment: SentimentSegment): void {
    this.#all.add(segment);
    if (segment.channel === undefined) return;
    const counts = this.#channels.get(segment.channel) ?? new Counts();
    this.#channels.set(segment.channel, counts);
    counts.add(segment);
  }

  result(): SentimentSummary {
    if (this.#channels.size === 0) return this.#all.result();
    const channels = [...this.#channels].sort(([a], [b]) => a - b).map(([channel, counts]) => ({ channel, ...counts.result() }));
    return { channels, ...this.#all.result() };
  }
}
