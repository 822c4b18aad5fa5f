import { Chart } from '../parts/Chart.tsx';
import { clockTime } from '../parts/format.ts';
import type { SentimentSegment, SentimentSummary } from './results.ts';

const TONES = { positive: 'good', negative: 'bad' } as const;

const signed = (score: number): string => `${score > 0 ? '+' : ''}${score.toFixed(2)}`;

/** The mood as a line over time, or over the sentences of a text. */
export const SentimentView = ({
  segments,
  summary,
}: {
  readonly segments: readonly SentimentSegment[];
  readonly summary: SentimentSummary | null;
}) => (
  <>
    {summary && (
      <p class="counts">
        <span class="badge good">{summary.positiveCount} positive</span> <span class="badge quiet">{summary.neutralCount} neutral</span>{' '}
        <span class="badge bad">{summary.negativeCount} negative</span>{' '}
        <span class="quiet">
          average {signed(summary.averageScore)}, {summary.sentiment}
        </span>
      </p>
    )}
    <Chart
      label="Sentiment from -1 to +1, segment by segment"
      kind="line"
      range={[-1, 1]}
      height={170}
      format={(value) => (value === 0 ? '0' : signed(value).replace('.00', ''))}
      points={segments.map(({ text, sentiment, score, startTime }, n) => ({
        x: n,
        y: score,
        xText: startTime === null ? `Sentence ${n + 1}` : clockTime(startTime),
        yText: signed(score),
        detail: text.trim(),
        ...(sentiment !== 'neutral' && { tone: TONES[sentiment] }),
      }))}
    />
  </>
);
