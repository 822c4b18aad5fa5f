import type { SentimentSegment, SentimentSummary } from '../../domain/stream/messages.ts';
import { sentimentSummaryOf } from '../../domain/stream/sentimentTotals.ts';
import type { JsonObject } from '../../json.ts';
import { joinedMetadata } from './resultMetadata.ts';
import type { Answer, StreamResults } from './results.ts';
import type { Transcript, Utterance, Word } from './transcript.ts';

/** The public export result. Inapplicable members are absent. */
export interface ExportResult {
  transcription?: { text: string; words: Word[] };
  utterances?: Utterance[];
  summary?: { content: string };
  askAnything?: Record<string, Answer>;
  sentimentAnalysis?: { segments: SentimentSegment[]; summary: SentimentSummary };
  enhancedTranscription?: Transcript;
  metadata?: Record<string, JsonObject>;
}

/** Combines the results of one or more streams in order: texts joined by newlines, lists concatenated. */
export const exportResult = (results: readonly StreamResults[]): ExportResult => {
  const transcript = joined(present(results.map((result) => result.transcript)));
  const enhanced = joined(present(results.map((result) => result.enhanced)));
  const summaries = results.flatMap((result) => result.summaries);
  const answers = results.flatMap((result) => result.answers);
  const segments = present(results.map((result) => result.segments));
  const metadata = joinedMetadata(results);
  return {
    ...transcript,
    ...(summaries.length > 0 && { summary: { content: summaries.join('\n') } }),
    ...(answers.length > 0 && { askAnything: byPrompt(answers) }),
    ...(segments.length > 0 && { sentimentAnalysis: sentimentOfAll(segments.flat()) }),
    ...(enhanced && { enhancedTranscription: enhanced }),
    ...(metadata && { metadata }),
  };
};

const joined = (transcripts: readonly Transcript[]): Transcript | null => {
  const [first] = transcripts;
  if (!first || transcripts.length === 1) return first ?? null;
  return {
    transcription: {
      text: transcripts.map(({ transcription }) => transcription.text).join('\n'),
      words: transcripts.flatMap(({ transcription }) => transcription.words),
    },
    utterances: transcripts.flatMap(({ utterances }) => utterances),
  };
};

/** `fromEntries` defines own members, so a prompt named `__proto__` is harmless. */
const byPrompt = (answers: readonly Answer[]): Record<string, Answer> => {
  const prompts = new Map<string, Answer>();
  for (const answer of answers) {
    const before = prompts.get(answer.promptId);
    prompts.set(answer.promptId, before ? { ...answer, content: `${before.content}\n${answer.content}` } : answer);
  }
  return Object.fromEntries(prompts);
};

const sentimentOfAll = (segments: SentimentSegment[]): NonNullable<ExportResult['sentimentAnalysis']> => ({
  segments,
  summary: sentimentSummaryOf(segments),
});

const present = <Value>(values: readonly (Value | null)[]): Value[] => values.filter((value) => value !== null);
