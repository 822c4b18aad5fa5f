import { isStreamEvent, type RerunStage, type StreamEvent } from '../domain/stream/events.ts';
import type { OperationType, Quantities } from '../domain/stream/streamConfiguration.ts';
import type { Projection } from './projection.ts';
import { orderedQuantities } from './usage.ts';

/** Usage and cost of one attempt of a stage, once its run has ended: the data of usage reports. */
export interface UsageRecordDocument {
  /** The stream's owner. */
  subject: string;
  streamId: string;
  operationType: OperationType;
  streamConfigurationTemplateId: string;
  /** ISO 8601; this and all later members are `null` until the run has ended. */
  endedTimestamp: string | null;
  /** The UTC day of its end, `2026-01-31`, by which reports find it. */
  day: string | null;
  quantities: Quantities | null;
  /** As billed, decimal text. */
  credits: string | null;
  /** `credits` as a number, which stores can add up. */
  amount: number | null;
}

/** `<streamId>/<processorId>`, for a rerun `<streamId>/<processorId>/<attempt>`. */
const idOf = (eventStream: string, processorId: string, attempt = 1): string =>
  [eventStream.slice('stream-'.length), processorId, ...(attempt > 1 ? [attempt] : [])].join('/');

const NOT_ENDED = { endedTimestamp: null, day: null, quantities: null, credits: null, amount: null };

const created = (data: Extract<StreamEvent, { type: 'StreamCreated' }>['data'], id: string): UsageRecordDocument => {
  const link = data.chain.find(({ processorId }) => id === `${data.streamId}/${processorId}`);
  if (!link) throw new Error(`no processor of the chain has the id ${id}`);
  return {
    subject: data.creatorId,
    streamId: data.streamId,
    operationType: link.operationType,
    streamConfigurationTemplateId: data.configuration.streamConfigurationTemplateId,
    ...NOT_ENDED,
  };
};

const rerun = ({ metadata, data }: RerunStarted, id: string): UsageRecordDocument => {
  const { streamId, stage } = stageOf(data, id);
  return {
    subject: metadata.subject,
    streamId,
    operationType: stage.operationType,
    streamConfigurationTemplateId: data.streamConfigurationTemplateId,
    ...NOT_ENDED,
  };
};

type RerunStarted = Extract<StreamEvent, { type: 'RerunStarted' }> & { metadata: { subject: string } };

const stageOf = ({ processors }: RerunStarted['data'], id: string): { streamId: string; stage: RerunStage } => {
  const [streamId = '', processorId] = id.split('/');
  const stage = processors.find((one) => one.processorId === processorId);
  if (!stage) throw new Error(`the rerun has no stage of the id ${id}`);
  return { streamId, stage };
};

export const usageRecordsProjection: Projection<UsageRecordDocument> = {
  name: 'usageRecords',
  version: 4,
  indexes: [
    ['subject', 'day', 'endedTimestamp'],
    ['subject', 'day', 'amount'],
  ],
  handles: ['StreamCreated', 'RerunStarted', 'ProcessorCompleted', 'ProcessorFailed'] satisfies StreamEvent['type'][],
  beginnings: ['StreamCreated'],
  idsOf: (event) => {
    if (!isStreamEvent(event)) return [];
    if (event.type === 'StreamCreated') return event.data.chain.map(({ processorId }) => idOf(event.eventStream, processorId));
    if (event.type === 'RerunStarted')
      return event.data.processors.map(({ processorId }) => idOf(event.eventStream, processorId, event.data.attempt));
    if (event.type !== 'ProcessorCompleted' && event.type !== 'ProcessorFailed') return [];
    return [idOf(event.eventStream, event.data.processorId, event.data.streamAttempt)];
  },
  evolve: (document, event, id) => {
    if (!isStreamEvent(event)) return document;
    if (event.type === 'StreamCreated') return created(event.data, id);
    if (event.type === 'RerunStarted') return rerun(event, id);
    if (!document || (event.type !== 'ProcessorCompleted' && event.type !== 'ProcessorFailed')) return document;
    const { time } = event.metadata;
    const { quantities, bill } = event.data;
    const { credits } = bill;
    const ended = { endedTimestamp: time, day: time.slice(0, 10), quantities: orderedQuantities(quantities) };
    return { ...document, ...ended, credits, amount: Number(credits) };
  },
};
