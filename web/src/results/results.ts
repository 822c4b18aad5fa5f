import type { Egress, JsonObject } from '../api/types.ts';
import { type Origin, originsOf } from './origins.ts';
import { languagesIn } from './sourceLanguage.ts';
import { shownSpeakers } from './speakers.ts';

/** The results of a stream's sinks, as shown to people. Times in milliseconds from the start of the recording. */
export interface Results {
  readonly utterances: readonly Utterance[];
  /** The partial results: the next messages replace them. */
  readonly tentative: string;
  /** The transcript as a language model has corrected it; `null` without one. */
  readonly enhanced: readonly Utterance[] | null;
  readonly summaries: readonly string[];
  readonly answers: readonly Answer[];
  readonly segments: readonly SentimentSegment[];
  readonly sentiment: SentimentSummary | null;
  /** Milliseconds of the recording as its file announces them; `null` when no result says so. */
  readonly recordingLength: number | null;
  /** Languages of the speech: as detected, or as chosen for its transcription. Empty: not known. */
  readonly languages: readonly string[];
  /** The origin of each kind of result. */
  readonly origins: Readonly<Record<'transcript' | 'enhanced' | 'summary' | 'answers' | 'sentiment', readonly Origin[]>>;
}

export interface Word {
  readonly word: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly confidence: number | null;
}

export interface Utterance {
  readonly text: string;
  readonly words: readonly Word[];
  readonly start: number | null;
  readonly end: number | null;
  /** As people see them. */
  readonly speakers: readonly string[];
  readonly channel: string | null;
  /** Of the transcript that can be corrected: the id of the utterance and of its speaker. */
  readonly id?: string;
  readonly speakerId?: string | null;
}

export interface Answer {
  readonly promptId: string;
  readonly content: string;
}

export interface SentimentSegment {
  readonly text: string;
  readonly sentiment: 'negative' | 'neutral' | 'positive';
  readonly startTime: number | null;
  readonly score: number;
}

export interface SentimentSummary {
  readonly negativeCount: number;
  readonly neutralCount: number;
  readonly positiveCount: number;
  readonly averageScore: number;
  readonly sentiment: 'negative' | 'neutral' | 'positive';
}

/** A message of a sink, as sent by live egress. */
export interface SinkMessage {
  readonly sinkTopicName: string;
  readonly messageId: string;
  readonly processorId: string;
  readonly frameType: 'final' | 'partial';
  readonly payloadSchema: string;
  readonly payload: unknown;
}

interface TranscriptionPayload {
  readonly transcription: string;
  readonly words: readonly (Word & { readonly metadata: { readonly speakers?: readonly string[] } })[];
  readonly start: number | null;
  readonly end: number | null;
  readonly channel: string | null;
  readonly metadata: {
    readonly speakerIds?: readonly string[];
    readonly speakers?: readonly string[];
    readonly recordingLength?: number;
    readonly language?: string | null;
  };
}

interface LlmPayload {
  readonly metadata?: unknown;
  readonly promptId: string | null;
  readonly summary?: readonly { readonly content: string }[];
  readonly askAnything?: readonly { readonly content: string }[];
  readonly sentimentAnalysis?: readonly SentimentSegment[];
  readonly sentimentAnalysisSummary?: SentimentSummary;
}

export const TRANSCRIPTION = 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto';
export const LLM = 'tech.vatis.schema.stream.processor.messages.llm.LlmResponseDto';

/** A processor that may have a sink. */
export interface SinkSource {
  readonly id: string;
  readonly egress: Egress;
  readonly destination: { readonly messageSchema: string };
  readonly properties?: JsonObject;
}

/** The processors whose sinks hold messages, not bytes. */
export const messageSinks = (processors: readonly SinkSource[]): readonly SinkSource[] =>
  processors.filter(({ egress, destination }) => egress.sink && destination.messageSchema.includes('.'));

const OWN_PREFIX = 'tributary.processors.';

/** Messages of users' own processors, in schemas of their own. */
export const ownMessages = (messages: readonly SinkMessage[]): readonly SinkMessage[] =>
  messages.filter(({ payloadSchema, frameType }) => frameType === 'final' && payloadSchema.startsWith(OWN_PREFIX));

/** Puts the messages of one stream together. */
export const resultsOf = (processors: readonly SinkSource[], messages: readonly SinkMessage[]): Results => {
  const finals = messages.filter(({ frameType }) => frameType === 'final');
  const ofSchema = <Payload>(schema: string, from: (processorId: string) => boolean): Payload[] =>
    finals
      .filter(({ payloadSchema, processorId }) => payloadSchema === schema && from(processorId))
      // The platform's own processors wrote it under that schema.
      .map(({ payload }) => payload as Payload);
  const transcribers = processors.filter(({ destination }) => destination.messageSchema === TRANSCRIPTION);
  const speakers = transcribers.map(({ id }) => id);
  // A later processor passes on the transcription of an earlier one, with more information.
  const heardBy = speakers.findLast((id) => finals.some(({ processorId }) => processorId === id));
  const corrected = ofSchema<TranscriptionPayload>(TRANSCRIPTION, (id) => !speakers.includes(id));
  const said = ofSchema<LlmPayload>(LLM, () => true);
  const last = messages.at(-1);
  const heard = inSpokenOrder(ofSchema<TranscriptionPayload>(TRANSCRIPTION, (id) => id === heardBy));
  const madeOf = (has: (payload: LlmPayload) => unknown) => originsOf(said.filter(has).map(({ metadata }) => metadata));
  return {
    utterances: heard.map(utteranceOf),
    recordingLength: heard.find(({ metadata }) => metadata.recordingLength)?.metadata.recordingLength ?? null,
    languages: languagesIn(
      heard.map(({ metadata }) => metadata.language),
      transcribers.map(({ properties }) => properties),
    ),
    origins: {
      transcript: originsOf(heard.map(({ metadata }) => metadata)),
      enhanced: originsOf(corrected.map(({ metadata }) => metadata)),
      summary: madeOf(({ summary }) => summary?.length),
      answers: madeOf(({ askAnything }) => askAnything?.length),
      sentiment: madeOf(({ sentimentAnalysis, sentimentAnalysisSummary }) => sentimentAnalysis?.length || sentimentAnalysisSummary),
    },
    tentative:
      last?.frameType === 'partial' && last.payloadSchema === TRANSCRIPTION ? (last.payload as TranscriptionPayload).transcription : '',
    enhanced: corrected.length > 0 ? inSpokenOrder(corrected).map(utteranceOf) : null,
    summaries: said.flatMap(({ summary }) => textsOf(summary)),
    answers: said.flatMap(({ askAnything, promptId }) => textsOf(askAnything).map((content) => ({ promptId: promptId ?? '0', content }))),
    segments: said.flatMap(({ sentimentAnalysis = [] }) => sentimentAnalysis),
    sentiment: said.findLast(({ sentimentAnalysisSummary }) => sentimentAnalysisSummary)?.sentimentAnalysisSummary ?? null,
  };
};

export const isEmpty = ({ utterances, tentative, summaries, answers, segments }: Results): boolean =>
  utterances.length + summaries.length + answers.length + segments.length === 0 && tentative === '';

/** Channels are transcribed one after the other, but were spoken at once. */
const inSpokenOrder = (messages: readonly TranscriptionPayload[]): readonly TranscriptionPayload[] =>
  messages.some(({ channel }) => channel !== null) ? messages.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0)) : messages;

const utteranceOf = ({ transcription, words, start, end, channel, metadata }: TranscriptionPayload): Utterance => ({
  text: transcription,
  words,
  start,
  end,
  channel,
  speakers: shownSpeakers(
    metadata.speakerIds ?? metadata.speakers ?? [...new Set(words.flatMap((word) => word.metadata.speakers ?? []))],
    channel,
  ),
});

const textsOf = (parts: readonly { readonly content: string }[] | undefined): string[] =>
  parts && parts.length > 0 ? [parts.map(({ content }) => content).join('\n')] : [];
