import { isDeepStrictEqual } from 'node:util';
import type { StreamAttempt, StreamProcessorRun } from './attempts.ts';
import { CANCELED_BY_USER } from './decisions.ts';
import type { StreamAggregate } from './state.ts';
import type { StreamConfiguration } from './streamConfiguration.ts';
import type { Stream } from './streamResource.ts';

/*
 * What remains of a stream once its owner has been erased: what `evolveStream` makes of the same events when their personal members read as `null`.
 * Decide here about each new member: keep it, or empty it if it is personal. The objects below list their members, so the compiler asks for each required
 * one. It does not ask for optional ones and for those of runs. `test/unit/domain/erasure.test.ts` finds them: it needs every event in one of its
 * histories.
 */

const eraseConfiguration = (configuration: StreamConfiguration): StreamConfiguration => ({
  streamConfigurationTemplateId: configuration.streamConfigurationTemplateId,
  dataSource: configuration.dataSource,
  dataSinks: configuration.dataSinks,
  processors: configuration.processors.map((processor) => ({ ...processor, properties: {} })),
  dynamicWebhookEndpoints: [],
});

/** The description of a canceled stream comes from the platform and stays. Others may repeat what an engine said. */
const eraseDescription = (description: string | null): string | null => (description === CANCELED_BY_USER ? description : null);

const eraseResource = (stream: Stream): Stream => ({
  streamId: stream.streamId,
  name: null,
  labels: [],
  groupId: stream.groupId,
  configuration: eraseConfiguration(stream.configuration),
  createdTimestamp: stream.createdTimestamp,
  creatorId: stream.creatorId,
  groupCreatorId: stream.groupCreatorId,
  state: stream.state,
  stateDescription: eraseDescription(stream.stateDescription),
  finalizedTimestamp: stream.finalizedTimestamp,
  attempt: stream.attempt,
});

/** The description of a completed run comes from the platform. */
const eraseRun = (run: StreamProcessorRun): StreamProcessorRun => ({
  ...run,
  ...(run.state === 'ERROR' && { stateDescription: null }),
  ...(run.processor && { processor: { ...run.processor, properties: {} } }),
});

const eraseAttempt = (attempt: StreamAttempt): StreamAttempt => ({
  attempt: attempt.attempt,
  from: attempt.from,
  reason: null,
  state: attempt.state,
  stateDescription: eraseDescription(attempt.stateDescription),
  startedTimestamp: attempt.startedTimestamp,
  endedTimestamp: attempt.endedTimestamp,
  idempotency: attempt.idempotency,
  runs: attempt.runs.map(eraseRun),
});

/** The aggregate without personal data. Returns the given one if it holds none. */
export const eraseStream = (aggregate: StreamAggregate): StreamAggregate => {
  const { keepSeconds, retainedUntil, keptUntil, ownGroup, formerPropertiesSchemas } = aggregate;
  const erased: StreamAggregate = {
    stream: eraseResource(aggregate.stream),
    stateChangedTimestamp: aggregate.stateChangedTimestamp,
    canceled: aggregate.canceled,
    persist: aggregate.persist,
    templateVersion: aggregate.templateVersion,
    idempotency: aggregate.idempotency,
    chain: aggregate.chain,
    gateway: aggregate.gateway,
    upload: aggregate.upload,
    attempts: aggregate.attempts.map(eraseAttempt),
    ...(keepSeconds !== undefined && { keepSeconds }),
    ...(retainedUntil !== undefined && { retainedUntil }),
    ...(keptUntil !== undefined && { keptUntil }),
    ...(ownGroup !== undefined && { ownGroup }),
    ...(formerPropertiesSchemas !== undefined && { formerPropertiesSchemas }),
  };
  return isDeepStrictEqual(erased, aggregate) ? aggregate : erased;
};
