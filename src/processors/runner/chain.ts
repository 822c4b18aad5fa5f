import { runsOf, type StreamProcessorRun } from '../../domain/stream/attempts.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { type ChainLink, type StreamProcessor, topicId } from '../../domain/stream/streamConfiguration.ts';

/** A processor of a stream that can run now. */
export interface Runnable {
  readonly streamId: string;
  readonly owner: string;
  readonly processorId: string;
  readonly link: ChainLink;
  readonly processor: StreamProcessor;
  /** The try that the log knows; 0 before the first. Counts on over reruns. */
  readonly lastAttempt: number;
  /** Tries of the stage before this attempt of the stream. */
  readonly attemptsBefore: number;
  /** Those tries of this attempt of the stream that the processor failed, as far as the log knows. */
  readonly failures: number;
  /** The attempt of the stream: 1 is the upload. */
  readonly streamAttempt: number;
  readonly sourceTopic: string;
  readonly outputTopic: string;
  /** Whether its output is kept after the stream. */
  readonly persistent: boolean;
}

const wants = ({ state }: StreamProcessorRun): boolean => state === 'WAITING' || state === 'RUNNING';

/** Live processors run as soon as their source exists, batch ones when it is complete. */
const sourceIsReady = (aggregate: StreamAggregate, { mode, previousProcessorId }: ChainLink): boolean => {
  if (previousProcessorId === null) return mode === 'live' ? aggregate.upload.state !== 'failed' : aggregate.upload.state === 'completed';
  const [previous] = runsOf(aggregate, previousProcessorId);
  return previous?.state === 'COMPLETED' || (mode === 'live' && previous?.state === 'RUNNING');
};

/** The stages that can run according to a stream's events; none when it has ended. */
export const runnables = (aggregate: StreamAggregate): Runnable[] => {
  const { stream, chain } = aggregate;
  if (stream.state !== 'READY') return [];
  return chain.flatMap((link) => {
    const [run] = runsOf(aggregate, link.processorId);
    if (!run || !wants(run) || !sourceIsReady(aggregate, link)) return [];
    const { processor } = run;
    return [
      {
        streamId: stream.streamId,
        owner: stream.creatorId,
        processorId: link.processorId,
        link,
        processor,
        lastAttempt: run.attempt,
        attemptsBefore: run.triesBefore,
        failures: run.failures ?? 0,
        streamAttempt: run.streamAttempt,
        sourceTopic: topicId(processor.source.topic),
        outputTopic: topicId(processor.destination.topic),
        persistent: processor.destination.topic.includes('/persistent-data-sinks/'),
      },
    ];
  });
};

/** Whether the log still takes an outcome of a run that this node has under way. */
export const isWanted = (aggregate: StreamAggregate | null, { processorId, streamAttempt }: Runnable): boolean => {
  if (aggregate?.stream.state !== 'READY') return false;
  const [run] = runsOf(aggregate, processorId);
  return run?.streamAttempt === streamAttempt && wants(run);
};

/** Names a run among all runs of a node. */
export const runKey = ({ streamId, processorId, streamAttempt }: Runnable): string => `${streamId}/${processorId}/${streamAttempt}`;
