import { Problem } from '../../domain/problem.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import { type StreamProcessor, topicId } from '../../domain/stream/streamConfiguration.ts';
import type { Stream } from '../../domain/stream/streamResource.ts';
import type { StreamDocument } from '../../projections/streams.ts';
import { type Frame, TopicMissing, type Topics } from '../../stores/topics.ts';
import type { TagMatch } from './parameters.ts';

/** A sink of a stream that can be exported: the destination of a completed processor. */
export interface Sink {
  readonly stream: Stream;
  readonly processor: StreamProcessor;
}

/** The persistent sinks with the tags, in chain order. Empty for an expired stream, whose bytes are gone. */
export const matchingSinks = ({ stream, processors }: StreamDocument, match: TagMatch): Sink[] => {
  if (stream.state === 'EXPIRED') return [];
  const finished = new Set(processors.filter(({ state }) => state === 'COMPLETED').map(({ processorId }) => processorId));
  return stream.configuration.processors
    .filter(({ id, egress }) => egress.sink && egress.persist && finished.has(id) && hasTags(egress.tags, match))
    .map((processor) => ({ stream, processor }));
};

/** Every sink with the tags, persistent or not, in any state of its processor. */
export const liveSinks = ({ stream }: StreamDocument, match: TagMatch): Sink[] =>
  stream.configuration.processors
    .filter(({ egress }) => egress.sink && hasTags(egress.tags, match))
    .map((processor) => ({ stream, processor }));

const hasTags = (tags: readonly string[], match: TagMatch): boolean =>
  match.all ? match.tags.every((tag) => tags.includes(tag)) : match.tags.some((tag) => tags.includes(tag));

/**
 * Removes a transcription that another sink passes on with more information (a diarization repeats the transcription with speakers). Otherwise every
 * word would be exported twice.
 */
export const withoutPassedOn = (sinks: readonly Sink[]): Sink[] => {
  const passedOn = new Set(sinks.filter(isTranscription).flatMap((sink) => sourcesOf(sink)));
  return sinks.filter((sink) => !(isTranscription(sink) && passedOn.has(sink.processor.destination.topic)));
};

export const isTranscription = ({ processor }: Sink): boolean => processor.destination.messageSchema === MESSAGE_SCHEMAS.transcription;

/** Id of the processor that made a sink's transcription. A diarization passes on that of the processor before it. */
export const makerOf = ({ stream, processor }: Sink): string => {
  const before = stream.configuration.processors.find(({ destination }) => destination.topic === processor.source.topic);
  return before?.destination.messageSchema === MESSAGE_SCHEMAS.transcription ? before.id : processor.id;
};

/** The topics that a sink's processor reads, directly or indirectly. */
const sourcesOf = ({ stream, processor }: Sink): string[] => {
  const writer = new Map(stream.configuration.processors.map((other) => [other.destination.topic, other]));
  const topics: string[] = [];
  for (let topic = processor.source.topic; !topics.includes(topic); ) {
    topics.push(topic);
    topic = writer.get(topic)?.source.topic ?? topic;
  }
  return topics;
};

/** Largest sink for formats built in memory: a transcript of about forty hours. EVENTS streams instead. */
const MAX_COLLECTED_BYTES = 67_108_864;

/** Throws 400 if the sinks are too large for a format that is built in memory. */
export const refuseTooLarge = async (topics: Topics, sinks: readonly Sink[]): Promise<void> => {
  let bytes = 0;
  for (const { processor } of sinks) bytes += (await topics.size(topicId(processor.destination.topic)))?.bytes ?? 0;
  if (bytes <= MAX_COLLECTED_BYTES) return;
  throw new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    'These results are too large for one answer. Export fewer streams, or use the format EVENTS.',
  );
};

/** The frames of a sink. Ends early, without failing, if the stream expires meanwhile. */
export async function* framesOf(topics: Topics, { processor }: Sink, signal: AbortSignal): AsyncIterable<Frame> {
  try {
    yield* topics.read(topicId(processor.destination.topic), { signal });
  } catch (error) {
    if (!(error instanceof TopicMissing)) throw error;
  }
}
