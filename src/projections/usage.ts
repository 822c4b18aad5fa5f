import { NOTHING_USED } from '../domain/stream/decisions.ts';
import { isStreamEvent, type RerunStage, type StreamEvent } from '../domain/stream/events.ts';
import { type Bill, type OperationType, type Quantities, topicId } from '../domain/stream/streamConfiguration.ts';
import type { Projection } from './projection.ts';

/** Usage of one attempt of a stage, as a cumulative record. The stage runs if it has started and not ended. Times are ISO 8601. */
export interface ProcessorUsageRecord {
  processorId: string;
  operationType: OperationType;
  /** The attempt of the stream: 1 is the upload. */
  streamAttempt: number;
  /** Of the newest run; 0 before the first. */
  attempt: number;
  /** When the newest run started; `null` before the first. */
  startedTimestamp: string | null;
  /** When the processor ended, or its stream did; `null` before. */
  endedTimestamp: string | null;
  /** Topic ids, for computing the usage of a running stage. */
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

/** Usage of one stream. `processors` is in the order of the chain, attempt by attempt. */
export interface UsageDocument {
  streamId: string;
  creatorId: string;
  groupId: string;
  streamConfigurationTemplateId: string;
  createdTimestamp: string;
  processors: ProcessorUsageRecord[];
  /** Bytes of the upload and of all outputs. They are deleted when the stream expires. */
  keptBytes: number;
  expired: boolean;
  /** Of the last event of `stream-<id>` that touched it. */
  revision: string;
}

export const usageProjection: Projection<UsageDocument> = {
  name: 'usage',
  version: 3,
  indexes: [['creatorId', 'expired', 'keptBytes']],
  handles: [
    'StreamCreated',
    'UploadCompleted',
    'ProcessorStarted',
    'ProcessorCompleted',
    'ProcessorFailed',
    'StreamCompleted',
    'StreamFailed',
    'StreamCanceled',
    'RerunStarted',
    'StreamExpired',
  ] satisfies StreamEvent['type'][],
  beginnings: ['StreamCreated'],
  idsOf: (event) => [event.eventStream.slice('stream-'.length)],
  evolve: (document, event) => {
    if (!isStreamEvent(event)) return document;
    const { time } = event.metadata;
    const revision = String(event.revision);
    if (event.type === 'StreamCreated') return { ...created(event.data), createdTimestamp: time, revision };
    // Events after a skipped StreamCreated change nothing.
    if (!document) return null;
    const processors = processorsAfter(document.processors, event, time);
    const expired = document.expired || event.type === 'StreamExpired';
    return { ...document, processors, keptBytes: document.keptBytes + bytesOf(event), expired, revision };
  },
};

/** With members in one order: an event from the log has them in another order than an event that this process has just appended. */
export const orderedQuantities = (quantities: Quantities): Quantities => ({ ...NOTHING_USED, ...quantities });

const orderedBill = ({ priceList, credits: sum, lines }: Bill): Bill => ({
  priceList,
  credits: sum,
  lines: lines.map(({ quantity, amount, unit, rate, credits }) => ({ quantity, amount, unit, rate, credits })),
});

/** Bytes that the event stores. Those of broken uploads and failed runs are deleted. */
const bytesOf = (event: StreamEvent): number => {
  if (event.type === 'UploadCompleted') return event.data.bytes;
  return event.type === 'ProcessorCompleted' ? (event.data.quantities.egressSize ?? 0) : 0;
};

const created = (data: Extract<StreamEvent, { type: 'StreamCreated' }>['data']): Omit<UsageDocument, 'createdTimestamp' | 'revision'> => ({
  streamId: data.streamId,
  creatorId: data.creatorId,
  groupId: data.groupId,
  streamConfigurationTemplateId: data.configuration.streamConfigurationTemplateId,
  processors: data.chain.map(({ processorId, operationType }) => {
    const processor = data.configuration.processors.find(({ id }) => id === processorId);
    if (!processor) throw new Error(`the chain names ${processorId}, which the configuration does not contain`);
    const topics = { sourceTopic: processor.source.topic, destinationTopic: processor.destination.topic };
    return notBegun({ processorId, operationType, ...topics }, 1, processor.egress.persist);
  }),
  keptBytes: 0,
  expired: false,
});

type RunName = { processorId: string; streamAttempt?: number };

/** The record of a stage before its run begins. */
const notBegun = (
  { processorId, operationType, sourceTopic, destinationTopic }: Omit<RerunStage, 'properties'>,
  streamAttempt: number,
  persist: boolean,
): ProcessorUsageRecord => ({
  processorId,
  operationType,
  streamAttempt,
  attempt: 0,
  startedTimestamp: null,
  endedTimestamp: null,
  sourceTopic: topicId(sourceTopic),
  destinationTopic: topicId(destinationTopic),
  persist,
  quantities: null,
  bill: null,
  finalUsage: false,
  errorOccurred: false,
});

const isPersisted = (records: readonly ProcessorUsageRecord[], { processorId }: RerunStage): boolean =>
  records.find((record) => record.processorId === processorId)?.persist ?? false;

const processorsAfter = (processors: ProcessorUsageRecord[], event: StreamEvent, time: string): ProcessorUsageRecord[] => {
  const change = ({ processorId, streamAttempt = 1 }: RunName, changed: Partial<ProcessorUsageRecord>) =>
    processors.map((record) =>
      record.processorId === processorId && record.streamAttempt === streamAttempt ? { ...record, ...changed } : record,
    );
  switch (event.type) {
    case 'ProcessorStarted': {
      return change(event.data, { attempt: event.data.attempt, startedTimestamp: time });
    }
    case 'ProcessorCompleted':
    case 'ProcessorFailed': {
      const [quantities, bill] = [orderedQuantities(event.data.quantities), orderedBill(event.data.bill)];
      const errorOccurred = event.type === 'ProcessorFailed';
      return change(event.data, { quantities, bill, endedTimestamp: time, finalUsage: true, errorOccurred });
    }
    case 'StreamCompleted':
    case 'StreamFailed':
    case 'StreamCanceled':
      return processors.map((processor) => (processor.finalUsage ? processor : { ...processor, endedTimestamp: time, finalUsage: true }));
    case 'RerunStarted':
      return [...processors, ...event.data.processors.map((stage) => notBegun(stage, event.data.attempt, isPersisted(processors, stage)))];
    default:
      return processors;
  }
};
