import type { Clock } from '../../clock.ts';
import type { Quantities } from '../../domain/stream/streamConfiguration.ts';
import { billFor, type PriceList } from '../../domain/usage/pricing.ts';
import type { Shape } from '../../json.ts';
import type { ProcessorUsageRecord, UsageDocument } from '../../projections/usage.ts';
import type { Topics } from '../../stores/topics.ts';
import type { STREAM_USAGE_SCHEMA } from '../streams/streamSchemas.ts';

/** A cumulative record for each attempt of a stage. */
type ProcessorUsage = Shape<typeof STREAM_USAGE_SCHEMA>['processors'][number];

interface Measuring {
  readonly topics: Topics;
  readonly clock: Clock;
  readonly priceList: PriceList;
}

/** Usage of a processor: from its outcome, or while it runs from the time and the present sizes of its topics. */
export const usedSoFar = async (measuring: Measuring, stream: UsageDocument, record: ProcessorUsageRecord): Promise<ProcessorUsage> => {
  const now = measuring.clock.now();
  const running = record.startedTimestamp !== null && !record.finalUsage;
  const quantities = record.quantities ?? (running ? await measured(measuring, record, now) : unused(record));
  const bill = record.bill ?? (running ? billFor(measuring.priceList, record.operationType, quantities) : null);
  return {
    creatorId: stream.creatorId,
    processorId: record.processorId,
    streamConfigurationTemplateId: stream.streamConfigurationTemplateId,
    groupId: stream.groupId,
    streamId: stream.streamId,
    operationType: record.operationType,
    attempt: record.streamAttempt,
    timestamp: record.endedTimestamp === null ? now : Date.parse(record.endedTimestamp),
    credits: bill?.credits ?? '0',
    ...quantities,
    finalUsage: record.finalUsage,
    errorOccurred: record.errorOccurred,
  };
};

/** The amounts of audio and tokens are known only at the end. */
const UNKNOWN_YET = { processedAudioLength: null, processedTokens: null, processedInputTokens: null, processedOutputTokens: null } as const;

const measured = async ({ topics }: Measuring, record: ProcessorUsageRecord, now: number): Promise<Quantities> => {
  const [read, written] = await Promise.all([topics.size(record.sourceTopic), topics.size(record.destinationTopic)]);
  const egressSize = written?.bytes ?? 0;
  return {
    executionTime: elapsed(record, now),
    storageSize: record.persist ? egressSize : 0,
    ingressSize: read?.bytes ?? 0,
    egressSize,
    ...UNKNOWN_YET,
  };
};

/** It is waiting, was closed before it ran, or ended with its stream: nothing was billed. */
const unused = (record: ProcessorUsageRecord): Quantities => ({
  executionTime: record.endedTimestamp === null ? 0 : elapsed(record, Date.parse(record.endedTimestamp)),
  storageSize: 0,
  ingressSize: 0,
  egressSize: 0,
  ...UNKNOWN_YET,
});

const elapsed = ({ startedTimestamp }: ProcessorUsageRecord, until: number): number =>
  startedTimestamp === null ? 0 : Math.max(0, until - Date.parse(startedTimestamp));
