import { isOwn } from '../domain/processorDeclarations/declaration.ts';
import { audioLengthOf, newestRuns, withCompletedRuns } from '../domain/stream/attempts.ts';
import { MESSAGE_SCHEMAS } from '../domain/stream/messages.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { type ChainLink, type StreamProcessor, topicId } from '../domain/stream/streamConfiguration.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import type { Corrections } from '../domain/transcript/corrections.ts';
import { partialsTopic } from '../processors/partials.ts';
import type { StreamDocument } from '../projections/streams.ts';
import { type Frame, TopicMissing, type Topics } from '../stores/topics.ts';

/** Which sinks are read: those with one of the tags, or with all of them. */
export interface TagMatch {
  readonly tags: readonly string[];
  readonly all: boolean;
}

/** Every sink, whatever its tags. */
export const EVERY_SINK: TagMatch = { tags: [], all: true };

/** A sink of a stream: the destination of a processor. Holds no more of its stream than readers need: a read may have thousands. */
export interface Sink {
  readonly stream: SinkStream;
  readonly processor: SinkProcessor;
  /** Id of the processor that made the sink's transcription. A diarization passes on that of the processor before it. */
  readonly maker: string;
  /** Ids of the processors before it in the chain, whose output it reads directly or indirectly. */
  readonly sources: readonly string[];
  /** Of the transcript of its stream. Absent if there are none, or if the machine's was asked for. */
  readonly corrections?: Corrections;
  /** Only the partial outputs of a sink of bytes or text, while it is written. */
  readonly partials?: true;
}

/** Whether a sink's frames are raw bytes or text instead of JSON messages. */
export const isRaw = (messageSchema: string): boolean =>
  messageSchema === MESSAGE_SCHEMAS.bytes || messageSchema === MESSAGE_SCHEMAS.string;

/** Id of the topic with the frames of a sink. */
export const topicOf = ({ processor, partials }: Sink): string => {
  const topic = topicId(processor.destination.topic);
  return partials ? partialsTopic(topic) : topic;
};

/** The part of a stream that its results show. */
export interface SinkStream extends Pick<Stream, 'streamId' | 'groupId' | 'attempt' | 'name' | 'createdTimestamp'> {
  /** Of the upload, as its sender named it. */
  readonly fileName: string | null;
  /** Milliseconds of audio that a stage has read; 0 if none has. */
  readonly audioLength: number;
}

/** The part of a processor that its messages show. */
export interface SinkProcessor extends Pick<StreamProcessor, 'id' | 'egress'> {
  readonly destination: Pick<StreamProcessor['destination'], 'topic' | 'messageSchema' | 'messageHeaders'>;
}

const shownPart = ({ id, egress, destination: { topic, messageSchema, messageHeaders } }: StreamProcessor): SinkProcessor => ({
  id,
  egress,
  destination: { topic, messageSchema, messageHeaders },
});

const sinkOf = (document: StreamAggregate, processor: StreamProcessor): Sink => {
  const { streamId, groupId, attempt, name, createdTimestamp } = document.stream;
  return {
    stream: {
      ...{ streamId, groupId, attempt, name, createdTimestamp },
      ...{ fileName: document.fileName ?? null, audioLength: audioLengthOf(document) ?? 0 },
    },
    processor: shownPart(processor),
    maker: makerOf(document.chain, processor.id),
    sources: sourcesOf(document.chain, processor.id),
  };
};

/** The persistent sinks of finished processors with the tags, in chain order. Empty for an expired stream, whose bytes are gone. */
export const keptSinks = (document: StreamAggregate, match: TagMatch): Sink[] => {
  const { state, configuration } = document.stream;
  if (state === 'EXPIRED') return [];
  const finished = newestRuns(document).filter((run) => run.state === 'COMPLETED');
  const ids = new Set(finished.map(({ processorId }) => processorId));
  return configuration.processors
    .filter(({ id, egress }) => egress.sink && egress.persist && ids.has(id) && hasTags(egress.tags, match))
    .map((processor) => sinkOf(document, processor));
};

/** Every sink with the tags, persistent or not, in any state of its processor. When the stream has ended, those that completed last. */
export const liveSinks = (document: StreamDocument, match: TagMatch): Sink[] => {
  const shown = document.stream.state === 'READY' ? document : withCompletedRuns(document);
  return shown.stream.configuration.processors
    .filter(({ egress }) => egress.sink && hasTags(egress.tags, match))
    .map((processor) => sinkOf(shown, processor));
};

/** The same with the partial outputs of sinks of bytes or text. */
export const liveSinksWithPartials = (document: StreamDocument, match: TagMatch): Sink[] => {
  const own = new Set(document.stream.configuration.processors.filter(isOwn).map(({ id }) => id));
  const mayHave = ({ processor: { id, destination } }: Sink) => own.has(id) && isRaw(destination.messageSchema);
  return liveSinks(document, match).flatMap((sink) => (mayHave(sink) ? [sink, { ...sink, partials: true as const }] : [sink]));
};

const hasTags = (tags: readonly string[], match: TagMatch): boolean =>
  match.all ? match.tags.every((tag) => tags.includes(tag)) : match.tags.some((tag) => tags.includes(tag));

/**
 * The kept sinks that a request without tags exports: the last transcription of the chain; with `all`, or without a transcription, also every sink of
 * another kind.
 */
export const resultSinks = (sinks: readonly Sink[], { all }: { readonly all: boolean }): Sink[] => {
  const last = withoutPassedOn(sinks).findLast(isTranscription);
  if (last && !all) return [last];
  return sinks.filter((sink) => sink === last || !isTranscription(sink));
};

/**
 * Removes a transcription that another sink passes on with more information (a diarization repeats the transcription with speakers). Otherwise every
 * word would be exported twice.
 */
export const withoutPassedOn = (sinks: readonly Sink[]): Sink[] => {
  const passedOn = new Set(sinks.filter(isTranscription).flatMap(({ sources }) => sources));
  return sinks.filter((sink) => !(isTranscription(sink) && passedOn.has(sink.processor.id)));
};

export const isTranscription = ({ processor }: Sink): boolean => processor.destination.messageSchema === MESSAGE_SCHEMAS.transcription;

const makerOf = (chain: readonly ChainLink[], id: string): string => {
  const [before] = sourcesOf(chain, id);
  const source = chain.find(({ processorId }) => processorId === before);
  return source?.outputSchema === MESSAGE_SCHEMAS.transcription ? source.processorId : id;
};

/** The nearest first. */
const sourcesOf = (chain: readonly ChainLink[], id: string): string[] => {
  const before = new Map(chain.map(({ processorId, previousProcessorId }) => [processorId, previousProcessorId]));
  const sources: string[] = [];
  for (let source = before.get(id) ?? null; source !== null; source = before.get(source) ?? null) sources.push(source);
  return sources;
};

/** Bytes in sinks. */
export const bytesIn = async (topics: Pick<Topics, 'size'>, sinks: readonly Sink[]): Promise<number> => {
  let bytes = 0;
  for (const { processor } of sinks) bytes += (await topics.size(topicId(processor.destination.topic)))?.bytes ?? 0;
  return bytes;
};

/** The frames of a topic, by its public name. Ends early, without failing, if the stream expires meanwhile. */
export async function* framesOf(topics: Pick<Topics, 'read'>, topic: string, signal: AbortSignal): AsyncIterable<Frame> {
  try {
    yield* topics.read(topicId(topic), { signal });
  } catch (error) {
    if (!(error instanceof TopicMissing)) throw error;
  }
}
