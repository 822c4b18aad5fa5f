import type { ExportResult, StreamUsage, Tributary } from '#client';
import { heading, say } from './say.ts';

/** Prints transcript, summary, answer, sentiment and cost of an ended stream. */
export const showResults = async (tributary: Tributary, streamId: string): Promise<void> => {
  const result = await tributary.results(streamId);
  if (!result) return say('\nNothing to export.');
  const { transcriber, llm } = result.metadata ?? {};
  const extracts = llm?.engine === 'extractive' ? ' (an extract: sentences of the text, chosen without a language model)' : '';
  if (result.transcription) {
    const madeBy = [transcriber?.engine, transcriber?.model].filter(Boolean).join(', ');
    heading(madeBy === '' ? 'Transcript' : `Transcript (made by ${madeBy})`);
    say(`  ${result.transcription.text.trim()}`);
  }
  if (result.summary) {
    heading(`Summary${extracts}`);
    say(`  ${result.summary.content}`);
  }
  for (const answer of Object.values(result.askAnything ?? {})) {
    heading(`Asked "When should I call back?"${extracts}`);
    say(`  ${answer.content}`);
  }
  if (result.sentimentAnalysis) showSentiment(result.sentimentAnalysis);
  await showUsage(tributary, streamId);
};

const showSentiment = ({ segments, summary }: NonNullable<ExportResult['sentimentAnalysis']>): void => {
  heading(`Sentiment: ${summary.sentiment} (${summary.averageScore.toFixed(2)})`);
  for (const segment of segments) say(`  ${segment.score.toFixed(2).padStart(5)}  ${segment.sentiment.padEnd(8)}  ${segment.text.trim()}`);
};

const usageOf = async (tributary: Tributary, streamId: string, query: { currency?: string }): Promise<StreamUsage['processors']> => {
  const { data } = await tributary.http.GET('/usage-service/api/v1/usage/streams/{streamId}', { params: { path: { streamId }, query } });
  return data?.processors ?? [];
};

const showUsage = async (tributary: Tributary, streamId: string): Promise<void> => {
  const used = await usageOf(tributary, streamId, {});
  const priced = await usageOf(tributary, streamId, { currency: 'USD' });
  heading('Usage');
  used.forEach((one, index) => {
    const audio = one.processedAudioLength === null ? '' : `, ${(one.processedAudioLength / 1000).toFixed(1)} s of audio`;
    const price = priced[index]?.credits ?? '?';
    say(`  ${one.processorId.padEnd(14)} ${one.credits} credits (${price} USD), ran ${one.executionTime} ms${audio}`);
  });
};
