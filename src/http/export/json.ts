import type { SentimentSegment, SentimentSummary } from '../../domain/stream/messages.ts';
import { SentimentTotals } from '../../domain/stream/sentimentTotals.ts';
import type { JsonObject } from '../../json.ts';
import { joinedMetadata } from './resultMetadata.ts';
import type { Answer, StreamResults } from './results.ts';
import type { Transcript, Utterance, Word } from './transcript.ts';

/** The public export result. Inapplicable members are absent. */
export interface ExportResult {
  transcription?: { text: string; words: Word[] };
  utterances?: Utterance[];
  summary?: { content: string };
  askAnything?: ReadonlyMap<string, Answer>;
  sentimentAnalysis?: { segments: SentimentSegment[]; summary: SentimentSummary };
  enhancedTranscription?: Transcript;
  metadata?: ReadonlyMap<string, JsonObject>;
}

/** Combines the results of one or more streams in order: texts joined by newlines, lists concatenated. Yields between its steps. */
export function* exportResult(results: readonly StreamResults[]): Generator<void, ExportResult, void> {
  const transcript = yield* joined(present(results.map((result) => result.transcript)));
  const enhanced = yield* joined(present(results.map((result) => result.enhanced)));
  const summaries = results.flatMap((result) => result.summaries);
  yield;
  const answers = yield* byPrompt(results);
  const sentiment = yield* sentimentOfAll(present(results.map((result) => result.segments)));
  const metadata = joinedMetadata(results);
  return {
    ...transcript,
    ...(summaries.length > 0 && { summary: { content: summaries.join('\n') } }),
    ...(answers.size > 0 && { askAnything: answers }),
    ...(sentiment && { sentimentAnalysis: sentiment }),
    ...(enhanced && { enhancedTranscription: enhanced }),
    ...(metadata && { metadata }),
  };
}

function* joined(transcripts: readonly Transcript[]): Generator<void, Transcript | null, void> {
  const [first] = transcripts;
  if (!first || transcripts.length === 1) return first ?? null;
  const words: Word[] = [];
  const utterances: Utterance[] = [];
  for (const transcript of transcripts) {
    for (const word of transcript.transcription.words) words.push(word);
    for (const utterance of transcript.utterances) utterances.push(utterance);
    yield;
  }
  return { transcription: { text: transcripts.map(({ transcription }) => transcription.text).join('\n'), words }, utterances };
}

function* byPrompt(results: readonly StreamResults[]): Generator<void, Map<string, Answer>, void> {
  const prompts = new Map<string, Answer>();
  for (const { answers } of results) {
    for (const answer of answers) {
      const before = prompts.get(answer.promptId);
      prompts.set(answer.promptId, before ? { ...answer, content: `${before.content}\n${answer.content}` } : answer);
      yield;
    }
  }
  return prompts;
}

function* sentimentOfAll(lists: readonly (readonly SentimentSegment[])[]): Generator<void, ExportResult['sentimentAnalysis'] | null, void> {
  if (lists.length === 0) return null;
  const segments: SentimentSegment[] = [];
  const totals = new SentimentTotals();
  for (const list of lists) {
    for (const segment of list) {
      segments.push(segment);
      totals.add(segment);
      if (segments.length % SEGMENTS_AT_ONCE === 0) yield;
    }
    yield;
  }
  return { segments, summary: totals.result() };
}

const SEGMENTS_AT_ONCE = 1_000;

const present = <Value>(values: readonly (Value | null)[]): Value[] => values.filter((value) => value !== null);
