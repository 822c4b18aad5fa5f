import { isStreamEvent, STREAM_EVENT_TYPES } from '../domain/stream/events.ts';
import { evolveStream, type StreamAggregate, type StreamProcessorRun } from '../domain/stream/state.ts';
import type { StreamState } from '../domain/stream/streamConfiguration.ts';
import type { Projection } from './projection.ts';

/** One stream: the folded aggregate, plus the members that lists filter and sort by. */
export interface StreamDocument extends StreamAggregate {
  streamId: string;
  creatorId: string;
  groupId: string;
  state: StreamState;
  /** `null` once its owner has been erased. */
  name: string | null;
  streamConfigurationTemplateId: string;
  /** Of the first stage that failed; `null` for a stream that has not FAILED. */
  errorName: string | null;
  createdTimestamp: string;
  /** Revision of the last event of `stream-<id>`. */
  revision: string;
}

const redacted = (document: StreamDocument): StreamDocument => {
  const { stream, processors, attempts, earlier } = document;
  const { configuration } = stream;
  // "Canceled by user" is set by the platform and is not a failure reason.
  const stateDescription = document.canceled ? stream.stateDescription : null;
  const failures = processors.some(({ state, stateDescription: reason }) => state === 'ERROR' && reason !== null);
  const properties = configuration.processors.some((processor) => Object.keys(processor.properties).length > 0);
  const told = earlier.length > 0 || attempts.some(({ reason, stateDescription: end }) => reason !== null || end !== null);
  const nothing = stream.name === null && stateDescription === stream.stateDescription && !failures && !properties && !told;
  if (nothing && configuration.dynamicWebhookEndpoints.length === 0) return document;
  const configured = configuration.processors.map((processor) => ({ ...processor, properties: {} }));
  const erased = { ...configuration, processors: configured, dynamicWebhookEndpoints: [] };
  return {
    ...document,
    name: null,
    stream: { ...stream, name: null, stateDescription, configuration: erased },
    processors: processors.map(silentRun),
    attempts: attempts.map((attempt) => ({ ...attempt, reason: null, stateDescription: null })),
    earlier: earlier.map(({ run, processor }) => ({ run: silentRun(run), processor: { ...processor, properties: {} } })),
  };
};

const silentRun = (run: StreamProcessorRun): StreamProcessorRun => (run.state === 'ERROR' ? { ...run, stateDescription: null } : run);

/** Lists are newest first: by owner (optionally with `state`, `groupId`, `name` or template), or by group. */
export const streamsProjection: Projection<StreamDocument> = {
  name: 'streams',
  version: 5,
  indexes: [
    ['creatorId', 'createdTimestamp'],
    ['creatorId', 'state', 'createdTimestamp'],
    ['creatorId', 'name', 'createdTimestamp'],
    ['creatorId', 'streamConfigurationTemplateId', 'createdTimestamp'],
    ['creatorId', 'errorName', 'createdTimestamp'],
    ['groupId', 'createdTimestamp'],
  ],
  handles: STREAM_EVENT_TYPES,
  beginnings: ['StreamCreated'],
  personal: { owner: 'creatorId', redact: redacted },
  idsOf: (event) => [event.eventStream.slice('stream-'.length)],
  evolve: (document, event, id) => {
    if (!isStreamEvent(event)) return document;
    // StreamCreated may have been skipped by an operator.
    if (!document && event.type !== 'StreamCreated') return null;
    const aggregate = evolveStream(document, event, event.metadata.time);
    const { creatorId, groupId, state, name, createdTimestamp, configuration } = aggregate.stream;
    const { streamConfigurationTemplateId } = configuration;
    const failed = state === 'FAILED' ? aggregate.processors.find((run) => run.state === 'ERROR') : undefined;
    const errorName = failed?.errorName ?? null;
    const listed = { creatorId, groupId, state, name, streamConfigurationTemplateId, errorName, createdTimestamp };
    return { ...aggregate, ...listed, streamId: id, revision: String(event.revision) };
  },
};
