import { evolveStream, isStreamEvent, STREAM_EVENT_TYPES, type StreamAggregate } from '../domain/stream.ts';
import type { StreamState } from '../domain/streamConfiguration.ts';
import type { Projection } from './projection.ts';

/** One stream: the aggregate as its events tell it, and beside it the members that lists select and sort by. */
export interface StreamDocument extends StreamAggregate {
  streamId: string;
  creatorId: string;
  groupId: string;
  state: StreamState;
  /** `null` once its owner has been erased. */
  name: string | null;
  createdTimestamp: string;
  /** Of the last event of `stream-<id>`. */
  revision: string;
}

const redacted = (document: StreamDocument): StreamDocument => {
  const { name, configuration } = document.stream;
  const properties = configuration.processors.some((processor) => Object.keys(processor.properties).length > 0);
  if (name === null && !properties && configuration.dynamicWebhookEndpoints.length === 0) return document;
  const processors = configuration.processors.map((processor) => ({ ...processor, properties: {} }));
  const erased = { ...configuration, processors, dynamicWebhookEndpoints: [] };
  return { ...document, name: null, stream: { ...document.stream, name: null, configuration: erased } };
};

/** Lists are newest first: of an owner, also by `state`, `groupId` or `name`; of a group. */
export const streamsProjection: Projection<StreamDocument> = {
  name: 'streams',
  version: 1,
  indexes: [
    ['creatorId', 'createdTimestamp'],
    ['creatorId', 'state', 'createdTimestamp'],
    ['creatorId', 'name', 'createdTimestamp'],
    ['groupId', 'createdTimestamp'],
  ],
  handles: STREAM_EVENT_TYPES,
  personal: { owner: 'creatorId', redact: redacted },
  idsOf: (event) => [event.eventStream.slice('stream-'.length)],
  evolve: (document, event, id) => {
    if (!isStreamEvent(event)) return document;
    // What follows a StreamCreated that was skipped on purpose has nothing to change.
    if (!document && event.type !== 'StreamCreated') return null;
    const aggregate = evolveStream(document, event, event.metadata.time);
    const { creatorId, groupId, state, name, createdTimestamp } = aggregate.stream;
    return { ...aggregate, streamId: id, creatorId, groupId, state, name, createdTimestamp, revision: String(event.revision) };
  },
};
