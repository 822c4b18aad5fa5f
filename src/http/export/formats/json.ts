import type { SentimentSegment, SentimentSummary } from '../../../domain/stream/messages.ts';
import { SentimentTotals } from '../../../domain/stream/sentimentTotals.ts';
import type { JsonObject } from '../../../json.ts';
import { joinedMetadata } from '../../../results/resultMetadata.ts';
import type { Answer, StreamResults } from '../../../results/results.ts';
import type { Transcript, Utterance, Word } from '../../../results/transcript.ts';

/** The public export result. Inapplicable members are absent. */
export interface ExportResult {
  transcription?: { text: string; words: Word[] };
  utterances?: Utterance[];
  speakerNames?: ReadonlyMap<string, string>;
  summary?: { content: string };
  askAnything?: ReadonlyMap<string, Answer>;
  sentimentAnalysis?: { segments: SentimentSegment[]; summary: SentimentSummary };
  enhancedTranscription?: Transcript;
  metadata?: ReadonlyMap<string, JsonObject>;
}

/** Combines the results of one or more streams in order: texts joined by newlines, lists concatenated. */
export const exportResult = (results: readonly StreamResults[]): ExportResult => {
  const transcript = joined(present(results.map((result) => result.transcript)));
  const enhanced = joined(present(results.map((result) => result.enhanced)));
  const summaries = results.flatMap((result) => result.summaries);
  const answers = byPrompt(results);
  const sentiment = sentimentOfAll(present(results.map((result) => result.segments)));
  const metadata = joinedMetadata(results);
  const names = joinedNames(results);
  return {
    ...(transcript && { ...transcript, utterances: transcript.utterances.map(({ spokenBy: _, ...utterance }) => utterance) }),
    ...(names.size > 0 && { speakerNames: names }),
    ...(summaries.length > 0 && { summary: { content: summaries.join('\n') } }),
    ...(answers.size > 0 && { askAnything: answers }),
    ...(sentiment && { sentimentAnalysis: sentiment }),
    ...(enhanced && { enhancedTranscription: enhanced }),
    ...(metadata && { metadata }),
  };
};

/** The result as JSON text. A map is written as an object, in its order. */
export const exportJson = (results: readonly StreamResults[]): string => {
  const members = Object.entries(exportResult(results)).map(([name, value]): [string, string] => [name, textOf(value)]);
  return objectText(members);
};

const textOf = (value: unknown): string =>
  value instanceof Map ? objectText([...value].map(([name, member]) => [String(name), JSON.stringify(member)])) : JSON.stringify(value);

const objectText = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

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

/** By id, or by `<streamId>/<id>` for several streams. */
const joinedNames = (results: readonly StreamResults[]): Map<string, string> =>
  new Map(
    results.flatMap(({ stream: { streamId }, speakerNames }) =>
      [...speakerNames].map(([id, name]) => [results.length > 1 ? `${streamId}/${id}` : id, name] as const),
    ),
  );

const byPrompt = (results: readonly StreamResults[]): Map<string, Answer> => {
  const prompts = new Map<string, Answer>();
  for (const answer of results.flatMap(({ answers }) => answers)) {
    const before = prompts.get(answer.promptId);
    prompts.set(answer.promptId, before ? { ...answer, content: `${before.content}\n${answer.content}` } : answer);
  }
  return prompts;
};

const sentimentOfAll = (lists: readonly (readonly SentimentSegment[])[]): ExportResult['sentimentAnalysis'] | null => {
  if (lists.length === 0) return null;
  const segments = lists.flat();
  const totals = new SentimentTotals();
  for (const segment of segments) totals.add(segment);
  return { segments, summary: totals.result() };
};

const present = <Value>(values: readonly (Value | null)[]): Value[] => values.filter((value) => value !== null);
