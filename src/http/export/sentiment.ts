import {
  meanScore,
  type SentimentCounts,
  type SentimentSegment,
  type SentimentSummary,
  sentimentOf,
} from '../../domain/stream/messages.ts';

/** Counts and mean score of the segments, and per channel if the segments have channels. Without segments: neutral, 0. */
export const sentimentSummaryOf = (segments: readonly SentimentSegment[]): SentimentSummary => {
  const channels = [...new Set(segments.flatMap(({ channel }) => (channel === undefined ? [] : [channel])))].sort((a, b) => a - b);
  return {
    ...(channels.length > 0 && {
      channels: channels.map((channel) => ({ channel, ...countsOf(segments.filter((segment) => segment.channel === channel)) })),
    }),
    ...countsOf(segments),
  };
};

const countsOf = (segments: readonly SentimentSegment[]): SentimentCounts => {
  const having = (sentiment: string): number => segments.filter((segment) => segment.sentiment === sentiment).length;
  const averageScore = meanScore(
    segments.reduce((sum, { score }) => sum + score, 0),
    segments.length,
  );
  return {
    negativeCount: having('negative'),
    positiveCount: having('positive'),
    neutralCount: having('neutral'),
    averageScore,
    sentiment: sentimentOf(averageScore),
  };
};
