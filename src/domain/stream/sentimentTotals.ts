import { meanScore, type SentimentCounts, type SentimentSegment, type SentimentSummary, sentimentOf } from './messages.ts';

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
    const averageScore = meanScore(this.#sum, this.#segments);
    return {
      negativeCount: this.#counts.negative,
      positiveCount: this.#counts.positive,
      neutralCount: this.#counts.neutral,
      averageScore,
      sentiment: sentimentOf(averageScore),
    };
  }
}

/** Running totals of the segments: overall, and per channel if there are channels. */
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
