import { messageOf } from '../domain/stream/messageFrame.ts';
import { type LlmMessage, MESSAGE_SCHEMAS, type SentimentSegment, type Transcription } from '../domain/stream/messages.ts';
import type { Names } from '../domain/transcript/content.ts';
import { corrected } from '../domain/transcript/corrections.ts';
import type { JsonObject, Shape } from '../json.ts';
import type { SinkMessageBody } from '../processors/processor.ts';
import type { Frame, Topics } from '../stores/topics.ts';
import { ResultMetadata } from './resultMetadata.ts';
import type { PROMPT_ANSWER } from './resultSchemas.ts';
import { framesOf, isTranscription, type Sink } from './sinks.ts';
import { type Transcript, transcriptOf } from './transcript.ts';

/** Its content is JSON text if a response format was requested. */
export type Answer = Shape<typeof PROMPT_ANSWER>;

/** The stream that results come from. */
export type ResultStream = Pick<Sink['stream'], 'streamId' | 'name' | 'fileName' | 'createdTimestamp' | 'audioLength'>;

const NO_STREAM: ResultStream = { streamId: '', name: null, fileName: null, createdTimestamp: '', audioLength: 0 };

/** Contents of all sinks of one stream. Missing ones are `null` or empty. */
export interface StreamResults {
  readonly transcript: Transcript | null;
  readonly enhanced: Transcript | null;
  readonly summaries: readonly string[];
  readonly answers: readonly Answer[];
  readonly segments: readonly SentimentSegment[] | null;
  readonly stream: ResultStream;
  /** Names that people gave to speakers, by id. */
  readonly speakerNames: Names;
  /** By processor id. */
  readonly metadata: ReadonlyMap<string, JsonObject>;
}

/** Reads the message sinks of one stream completely. */
export const resultsOf = async (topics: Pick<Topics, 'read'>, sinks: readonly Sink[], signal: AbortSignal): Promise<StreamResults> => {
  const collected = new Collected(sinks);
  for (const sink of sinks)
    for await (const { data } of framesOf(topics, sink.processor.destination.topic, signal)) collected.add(sink, messageOf(data));
  return collected.results();
};

/** Collects the final messages of one stream's sinks, which are added one after another. */
export class Collected {
  readonly #sinks: readonly Sink[];
  /** By sink, in the order of their first message. */
  readonly #spoken = new Map<Sink, Transcription[]>();
  readonly #enhanced: Transcription[] = [];
  readonly #summaries: string[] = [];
  readonly #answers: Answer[] = [];
  readonly #metadata = new ResultMetadata();
  #segments: SentimentSegment[] | null = null;

  constructor(sinks: readonly Sink[]) {
    this.#sinks = sinks;
  }

  add(sink: Sink, body: SinkMessageBody): void {
    if (isFinal(body, MESSAGE_SCHEMAS.transcription)) this.#transcription(sink, payloadOf<Transcription>(body));
    else if (isFinal(body, MESSAGE_SCHEMAS.llm)) this.#llm(sink, payloadOf<LlmMessage>(body));
  }

  results(): StreamResults {
    const { messages, names } = this.#corrected();
    return {
      transcript: this.#sinks.some(isTranscription) ? transcriptOf(messages, names) : null,
      enhanced: this.#enhanced.length > 0 ? transcriptOf(this.#enhanced) : null,
      summaries: this.#summaries,
      answers: this.#answers,
      segments: this.#segments,
      stream: this.#sinks[0]?.stream ?? NO_STREAM,
      speakerNames: names,
      metadata: this.#metadata.result(),
    };
  }

  #corrected(): { messages: readonly Transcription[]; names: Names } {
    const messages: Transcription[] = [];
    const names = new Map<string, string>();
    for (const [{ corrections }, spoken] of this.#spoken) {
      const content = corrections && corrected(spoken, corrections);
      for (const message of content ? content.utterances.map((utterance) => utterance.message) : spoken) messages.push(message);
      for (const { id, name } of content?.speakers ?? []) if (name !== null) names.set(id, name);
    }
    return { messages, names };
  }

  #transcription(sink: Sink, transcription: Transcription): void {
    // Live speech: an empty final result withdraws the partial ones.
    if (transcription.transcription !== '') (isTranscription(sink) ? this.#spokenIn(sink) : this.#enhanced).push(transcription);
    this.#metadata.add(sink.maker, transcription.metadata);
  }

  #spokenIn(sink: Sink): Transcription[] {
    const spoken = this.#spoken.get(sink) ?? [];
    this.#spoken.set(sink, spoken);
    return spoken;
  }

  #llm(sink: Sink, message: LlmMessage): void {
    this.#summaries.push(...contentOf(message.summary));
    this.#answers.push(...answerOf(message));
    if (message.sentimentAnalysis ?? message.sentimentAnalysisSummary) this.#segments ??= [];
    for (const segment of message.sentimentAnalysis ?? []) this.#segments?.push(segment);
    this.#metadata.add(sink.processor.id, message.metadata);
  }
}

/** The transcription in a frame; `null` for other messages. */
export const transcriptionIn = (frame: Frame): { message: Transcription; isFinal: boolean } | null => {
  const body = messageOf(frame.data);
  if (body.payloadSchema !== MESSAGE_SCHEMAS.transcription) return null;
  return { message: payloadOf<Transcription>(body), isFinal: body.frameType === 'final' };
};

const isFinal = (body: SinkMessageBody, schema: string): boolean => body.frameType === 'final' && body.payloadSchema === schema;

/** Safe cast: the platform's own processors wrote the payload under the schema that the message names. */
const payloadOf = <Payload>(body: SinkMessageBody): Payload => body.payload as Payload;

const contentOf = (parts: readonly { content: string }[] | undefined): string[] =>
  parts && parts.length > 0 ? [parts.map(({ content }) => content).join('\n')] : [];

const answerOf = ({ askAnything, promptId, responseFormatSpecification }: LlmMessage): Answer[] =>
  contentOf(askAnything).map((content) => ({ promptId: promptId ?? '0', content, responseFormatSpecification }));
