import { request, requestJson } from './demoRequest.ts';
import type { DemoServer } from './demoServer.ts';
import { heading, say } from './say.ts';

interface ExportResult {
  transcription?: { text: string };
  summary?: { content: string };
  askAnything?: Record<string, { promptId: string; content: string }>;
  sentimentAnalysis?: {
    segments: { text: string; sentiment: string; score: number }[];
    summary: { sentiment: string; averageScore: number };
  };
}

/** Transcript, summary, answer, sentiment and cost of a stream that has ended. */
export const showResults = async (server: DemoServer, streamId: string): Promise<void> => {
  const response = await request(server, `/export-service/api/v1/export/JSON?streams=${streamId}`);
  if (response.status === 204) return say('\nNothing to export.');
  const result = (await response.json()) as ExportResult;
  if (result.transcription) {
    heading('Transcript');
    say(`  ${result.transcription.text.trim()}`);
  }
  if (result.summary) {
    heading('Summary');
    say(`  ${result.summary.content}`);
  }
  for (const answer of Object.values(result.askAnything ?? {})) {
    heading('Asked "What should I do tomorrow?"');
    say(`  ${answer.content}`);
  }
  if (result.sentimentAnalysis) showSentiment(result.sentimentAnalysis);
  await showUsage(server, streamId);
};

const showSentiment = ({ segments, summary }: NonNullable<ExportResult['sentimentAnalysis']>): void => {
  heading(`Sentiment: ${summary.sentiment} (${summary.averageScore.toFixed(2)})`);
  for (const segment of segments) say(`  ${segment.score.toFixed(2).padStart(5)}  ${segment.sentiment.padEnd(8)}  ${segment.text.trim()}`);
};

interface Usage {
  processors: { processorId: string; operationType: string; credits: string; executionTime: number; processedAudioLength: number | null }[];
}

const showUsage = async (server: DemoServer, streamId: string): Promise<void> => {
  const usage = await requestJson<Usage>(server, `/usage-service/api/v1/usage/streams/${streamId}`);
  const priced = await requestJson<Usage>(server, `/usage-service/api/v1/usage/streams/${streamId}?currency=USD`);
  heading('Usage');
  usage.processors.forEach((one, index) => {
    const audio = one.processedAudioLength === null ? '' : `, ${(one.processedAudioLength / 1000).toFixed(1)} s of audio`;
    const price = priced.processors[index]?.credits ?? '?';
    say(`  ${one.processorId.padEnd(14)} ${one.credits} credits (${price} USD), ran ${one.executionTime} ms${audio}`);
  });
};
