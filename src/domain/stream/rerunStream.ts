import type { JsonObject } from '../../json.ts';
import { earlierOf } from '../idempotency.ts';
import { conflict, notFound, Problem } from '../problem.ts';
import { runsOf } from './attempts.ts';
import type { RerunStage, StreamEvent } from './events.ts';
import { isRedactedAway } from './redaction.ts';
import { descendantsOf, type StreamAggregate } from './state.ts';

/** A checked and resolved request. */
export interface Rerun {
  /** The stage to start with; `null` runs the whole chain. */
  readonly from: string | null;
  readonly reason: string | null;
  readonly idempotency: { keyId: string; fingerprint: string } | null;
  /** Properties of a stage in this attempt, including patches. */
  readonly propertiesOf: (processorId: string) => JsonObject;
  /** A fresh topic id, drawn once for each stage, so that the decision can be repeated. */
  readonly topicIdOf: (processorId: string) => string;
}

/** Attempts above this would make the stream's state too large. */
const MAX_ATTEMPTS = 100;
/** Every replaced run keeps its properties, and the whole stream is in memory while it runs and when it is read. In characters of JSON. */
const MAX_CHARACTERS = 4 * 1_048_576;

/** 410 for a stream whose data are deleted. */
export const dataGone = (message: string): Problem => new Problem('GENERAL_NOT_FOUND_ERROR', message, { statusCode: 410, title: 'Gone' });

/** Ids of the repeated stages. Throws 400 for an unknown stage. */
export const rerunStages = ({ chain }: StreamAggregate, from: string | null): ReadonlySet<string> => {
  if (from === null) return new Set(chain.map(({ processorId }) => processorId));
  if (!chain.some(({ processorId }) => processorId === from)) {
    const known = chain.map(({ processorId }) => processorId).join(', ');
    const nested = new Problem('GENERAL_VALIDATION_ERROR', `from: the chain has no stage ${JSON.stringify(from.slice(0, 100))}`);
    throw new Problem('GENERAL_VALIDATION_ERROR', `The stream has no such stage. Use one of ${known}.`, { nested: [nested] });
  }
  return new Set([from, ...descendantsOf(chain, from)]);
};

/** Throws 409 and 410 for a stream that cannot run again from this stage. The caller checks its topics. */
export const checkRerun = (aggregate: StreamAggregate, from: string | null): void => {
  const { stream, upload, chain, attempts } = aggregate;
  const stages = rerunStages(aggregate, from);
  if (stream.state === 'EXPIRED') throw dataGone('The data of this stream have been deleted. Upload them again.');
  if (stream.state === 'READY') throw conflict('The stream is still running. Cancel it, or wait until it has ended.');
  if (upload.state !== 'completed') throw dataGone('The upload of this stream did not finish, so there is nothing to run. Upload again.');
  if (stream.attempt >= MAX_ATTEMPTS) throw conflict(`The stream has run ${MAX_ATTEMPTS} times. Upload its data as a new stream.`);
  if (JSON.stringify([attempts, stream.configuration]).length > MAX_CHARACTERS)
    throw conflict('The earlier runs of this stream and their properties take more than 4 MiB. Upload its data as a new stream.');
  for (const { processorId, previousProcessorId } of chain) {
    if (!stages.has(processorId) || (previousProcessorId !== null && stages.has(previousProcessorId))) continue;
    const source = stream.configuration.processors.find(({ id }) => id === processorId)?.source.topic;
    if (source !== undefined && isRedactedAway(aggregate, source))
      throw dataGone(`The data that ${processorId} reads were deleted after redaction. Rerun a later stage, or upload again.`);
    if (previousProcessorId === null) continue;
    if (runsOf(aggregate, previousProcessorId)[0]?.state !== 'COMPLETED') throw noOutput(previousProcessorId);
  }
};

/** 409 for a stage before `from` without complete output. */
export const noOutput = (processorId: string): Problem =>
  conflict(`The stage ${processorId} has no complete output to continue from. Rerun from ${processorId} or an earlier stage.`);

/** Starts the next attempt; nothing if an earlier request with the same key did. Throws 404, 409 and 410. */
export const rerunStream = (aggregate: StreamAggregate | null, rerun: Rerun): readonly StreamEvent[] => {
  if (!aggregate) throw notFound('stream');
  if (earlierOf(aggregate.attempts, rerun.idempotency)) return [];
  checkRerun(aggregate, rerun.from);
  const { stream, chain } = aggregate;
  const stages = rerunStages(aggregate, rerun.from);
  const destinations = new Map<string, string>();
  for (const { id, destination } of stream.configuration.processors) {
    const kind = destination.topic.slice(0, destination.topic.lastIndexOf('/') + 1);
    destinations.set(id, stages.has(id) ? kind + rerun.topicIdOf(id) : destination.topic);
  }
  const processors = chain
    .filter(({ processorId }) => stages.has(processorId))
    .map(
      ({ processorId, operationType, previousProcessorId }): RerunStage => ({
        processorId,
        operationType,
        sourceTopic: (previousProcessorId !== null && destinations.get(previousProcessorId)) || stream.configuration.dataSource.topic,
        destinationTopic: destinations.get(processorId) ?? '',
        properties: rerun.propertiesOf(processorId),
      }),
    );
  const { from, reason, idempotency } = rerun;
  const { streamConfigurationTemplateId } = stream.configuration;
  return [
    { type: 'RerunStarted', data: { attempt: stream.attempt + 1, from, reason, streamConfigurationTemplateId, processors, idempotency } },
  ];
};
