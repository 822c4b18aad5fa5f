import { type LlmMessage, MESSAGE_SCHEMAS, type SentimentSegment, type Transcription } from '../../domain/stream/messages.ts';
import type { JsonObject } from '../../json.ts';
import { messageOf } from '../../processors/messageFrame.ts';
import type { SinkMessageBody } from '../../processors/processor.ts';
import type { Frame, Topics } from '../../stores/topics.ts';
import { addMetadata } from './resultMetadata.ts';
import { framesOf, isTranscription, makerOf, type Sink } from './sinks.ts';
import { inSteps } from './steps.ts';
import { type Transcript, transcriptOf } from './transcript.ts';

export interface Answer {
  promptId: string;
  /** JSON text if a response format was requested. */
  content: string;
  responseFormatSpecification: string | null;
}

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

/** Reads the message sinks of one stream completely. */
export const resultsOf = async (topics: Topics, sinks: readonly Sink[], signal: AbortSignal): Promise<StreamResults> => {
  const spoken: Transcription[] = [];
  const enhanced: Transcription[] = [];
  const said: LlmMessage[] = [];
  const metadata = new Map<string, JsonObject>();
  for (const sink of sinks) {
    const transcriptions = isTranscription(sink) ? spoken : enhanced;
    for await (const frame of framesOf(topics, sink, signal)) {
      const body = messageOf(frame.data);
      if (isFinal(body, MESSAGE_SCHEMAS.transcription)) {
        const transcription = payloadOf<Transcription>(body);
        // Live speech: an empty final result withdraws the partial ones.
        if (transcription.transcription !== '') transcriptions.push(transcription);
        addMetadata(metadata, makerOf(sink), transcription.metadata);
      } else if (isFinal(body, MESSAGE_SCHEMAS.llm)) {
        const message = payloadOf<LlmMessage>(body);
        said.push(message);
        addMetadata(metadata, sink.processor.id, message.metadata);
      }
    }
  }
  const sentiments = said.filter((message) => message.sentimentAnalysis ?? message.sentimentAnalysisSummary);
  return {
    transcript: sinks.some(isTranscription) ? await inSteps(transcriptOf(spoken)) : null,
    enhanced: enhanced.length > 0 ? await inSteps(transcriptOf(enhanced)) : null,
    summaries: said.flatMap((message) => contentOf(message.summary)),
    answers: said.flatMap(answerOf),
    ...{ streamId: sinks[0]?.stream.streamId ?? '', metadata },
    segments: sentiments.length > 0 ? sentiments.flatMap((message) => message.sentimentAnalysis ?? []) : null,
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
