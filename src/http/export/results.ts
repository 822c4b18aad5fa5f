import { type LlmMessage, MESSAGE_SCHEMAS, type SentimentSegment, type Transcription } from '../../domain/stream/messages.ts';
import type { JsonObject, Shape } from '../../json.ts';
import { messageOf } from '../../processors/messageFrame.ts';
import type { SinkMessageBody } from '../../processors/processor.ts';
import type { Frame, Topics } from '../../stores/topics.ts';
import { givingWay, inSteps } from '../../supervision/ownTurn.ts';
import { ResultMetadata } from './resultMetadata.ts';
import type { PROMPT_ANSWER } from './resultSchemas.ts';
import { framesOf, isTranscription, type Sink } from './sinks.ts';
import { type Transcript, transcriptOf } from './transcript.ts';

/** Its content is JSON text if a response format was requested. */
export type Answer = Shape<typeof PROMPT_ANSWER>;

/** Contents of all sinks of one stream. Missing ones are `null` or empty. */
export interface StreamResults {
  readonly transcript: Transcript | null;
  readonly enhanced: Transcript | null;
  readonly summaries: readonly string[];
  readonly answers: readonly Answer[];
  readonly segments: readonly SentimentSegment[] | null;
  readonly streamId: string;
  /** By processor id. */
  readonly metadata: ReadonlyMap<string, JsonObject>;
}

/** Reads the message sinks of one stream completely. Gives way to other work, however many messages there are. */
export const resultsOf = async (topics: Topics, sinks: readonly Sink[], signal: AbortSignal): Promise<StreamResults> => {
  const spoken: Transcription[] = [];
  const enhanced: Transcription[] = [];
  const summaries: string[] = [];
  const answers: Answer[] = [];
  let segments: SentimentSegment[] | null = null;
  const metadata = new ResultMetadata();
  const giveWay = givingWay();
  for (const sink of sinks) {
    const transcriptions = isTranscription(sink) ? spoken : enhanced;
    for await (const frame of framesOf(topics, sink.processor.destination.topic, signal)) {
      await giveWay(frame.data.byteLength);
      const body = messageOf(frame.data);
      if (isFinal(body, MESSAGE_SCHEMAS.transcription)) {
        const transcription = payloadOf<Transcription>(body);
        // Live speech: an empty final result withdraws the partial ones.
        if (transcription.transcription !== '') transcriptions.push(transcription);
        metadata.add(sink.maker, transcription.metadata);
      } else if (isFinal(body, MESSAGE_SCHEMAS.llm)) {
        const message = payloadOf<LlmMessage>(body);
        summaries.push(...contentOf(message.summary));
        answers.push(...answerOf(message));
        if (message.sentimentAnalysis ?? message.sentimentAnalysisSummary) segments ??= [];
        for (const segment of message.sentimentAnalysis ?? []) segments?.push(segment);
        metadata.add(sink.processor.id, message.metadata);
      }
    }
  }
  return {
    transcript: sinks.some(isTranscription) ? await inSteps(transcriptOf(spoken)) : null,
    enhanced: enhanced.length > 0 ? await inSteps(transcriptOf(enhanced)) : null,
    summaries,
    answers,
    segments,
    streamId: sinks[0]?.stream.streamId ?? '',
    metadata: metadata.result(),
  };
};

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
