import { isStreamEvent, type StreamEvent } from '../domain/stream/stream.ts';
import { type Bill, type OperationType, type Quantities, topicId } from '../domain/stream/streamConfiguration.ts';
import type { Projection } from './projection.ts';

/** What one processor of a stream has used: one cumulative record. It runs when it has started and not ended. Times ISO 8601. */
export interface ProcessorUsageRecord {
  processorId: string;
  operationType: OperationType;
  /** Of the newest run; 0 before the first. */
  attempt: number;
  /** When the newest run started; `null` before the first. */
  startedTimestamp: string | null;
  /** When the processor ended, or its stream did; `null` before. */
  endedTimestamp: string | null;
  /** Topic ids, to work out what a run has used while it runs. */
  sourceTopic: string;
  destinationTopic: string;
  /** Whether its output is kept. */
  persist: boolean;
  /** As fixed into the outcome; `null` without one (waiting, running, or closed before it began). */
  quantities: Quantities | null;
  bill: Bill | null;
  /** Nothing will be added any more. */
  finalUsage: boolean;
  errorOccurred: boolean;
}

/** What one stream has used. `processors` is in the order of the chain. */
export interface UsageDocument {
  streamId: string;
  creatorId: string;
  groupId: string;
  streamConfigurationTemplateId: string;
  createdTimestamp: string;
  processors: ProcessorUsageRecord[];
  /** Of the last event of `stream-<id>` that touched it. */
  revision: string;
}

export const usageProjection: Projection<UsageDocument> = {
  name: 'usage',
  version: 1,
  indexes: [],
  handles: [
    'StreamCreated',
    'ProcessorStarted',
    'ProcessorCompleted',
    'ProcessorFailed',
    'StreamCompleted',
    'StreamFailed',
    'StreamCanceled',
  ] satisfies StreamEvent['type'][],
  idsOf: (event) => [event.eventStream.slice('stream-'.length)],
  evolve: (document, event) => {
    if (!isStreamEvent(event)) return document;
    const { time } = event.metadata;
    const revision = String(event.revision);
    if (event.type === 'StreamCreated') return { ...created(event.data), createdTimestamp: time, revision };
    // What follows a StreamCreated that was skipped on purpose has nothing to change.
    return document && { ...document, processors: processorsAfter(document.processors, event, time), revision };
  },
};

const created = (data: Extract<StreamEvent, { type: 'StreamCreated' }>['data']): Omit<UsageDocument, 'createdTimestamp' | 'revision'> => ({
  streamId: data.streamId,
  creatorId: data.creatorId,
  groupId: data.groupId,
  streamConfigurationTemplateId: data.configuration.streamConfigurationTemplateId,
  processors: data.chain.map(({ processorId, operationType }) => {
    const processor = data.configuration.processors.find(({ id }) => id === processorId);
    if (!processor) throw new Error(`the chain names ${processorId}, which the configuration does not contain`);
    return {
      processorId,
      operationType,
      attempt: 0,
      startedTimestamp: null,
      endedTimestamp: null,
      sourceTopic: topicId(processor.source.topic),
      destinationTopic: topicId(processor.destination.topic),
      persist: processor.egress.persist,
      quantities: null,
      bill: null,
      finalUsage: false,
      errorOccurred: false,
    };
  }),
});

const processorsAfter = (processors: ProcessorUsageRecord[], event: StreamEvent, time: string): ProcessorUsageRecord[] => {
  const change = (processorId: string, changed: Partial<ProcessorUsageRecord>) =>
    processors.map((processor) => (processor.processorId === processorId ? { ...processor, ...changed } : processor));
  switch (event.type) {
    case 'ProcessorStarted': {
      const { processorId, attempt } = event.data;
      return change(processorId, { attempt, startedTimestamp: time });
    }
    case 'ProcessorCompleted':
    case 'ProcessorFailed': {
      const { processorId, quantities, bill } = event.data;
      const errorOccurred = event.type === 'ProcessorFailed';
      return change(processorId, { quantities, bill, endedTimestamp: time, finalUsage: true, errorOccurred });
    }
    case 'StreamCompleted':
    case 'StreamFailed':
    case 'StreamCanceled':
      return processors.map((processor) => (processor.finalUsage ? processor : { ...processor, endedTimestamp: time, finalUsage: true }));
    default:
      return processors;
  }
};
