import { newestRuns } from '../domain/stream/attempts.ts';
import { eraseStream } from '../domain/stream/erasure.ts';
import { isStreamEvent, STREAM_EVENT_TYPES, streamEventStream } from '../domain/stream/events.ts';
import { labelKey } from '../domain/stream/labels.ts';
import { evolveStream, type StreamAggregate } from '../domain/stream/state.ts';
import type { StreamState } from '../domain/stream/streamConfiguration.ts';
import type { Projection } from './projection.ts';

/** One stream: the aggregate, and members that lists filter and sort by. */
export interface StreamDocument extends StreamAggregate {
  streamId: string;
  creatorId: string;
  groupId: string;
  state: StreamState;
  /** `null` once its owner has been erased. */
  name: string | null;
  /** Of its labels, for filters. `null` without labels. */
  labelKeys: string[] | null;
  streamConfigurationTemplateId: string;
  /** Of the first stage that failed; `null` for a stream that has not FAILED. */
  errorName: string | null;
  createdTimestamp: string;
  /** Revision of the last event of `stream-<id>`. */
  revision: string;
}

/** Returns the given document if it holds no personal data. */
const redactDocument = (document: StreamDocument): StreamDocument => {
  const { streamId, creatorId, groupId, state, streamConfigurationTemplateId, errorName, createdTimestamp, revision, ...others } = document;
  const { name, labelKeys, ...aggregate } = others;
  const erased = eraseStream(aggregate);
  if (erased === aggregate && name === null && labelKeys === null) return document;
  const listed = { streamId, creatorId, groupId, state, streamConfigurationTemplateId, errorName, createdTimestamp, revision };
  return { ...erased, ...listed, name: null, labelKeys: null };
};

/** The read model of streams: one document for each stream, folded with `evolveStream`. */
export const streamsProjection: Projection<StreamDocument> = {
  name: 'streams',
  // Raise it for a new member that every document has. A new event alone needs no line here.
  version: 7,
  // Lists are newest first: by owner (optionally with a filter), or by group.
  indexes: [
    ['creatorId', 'createdTimestamp'],
    ['creatorId', 'state', 'createdTimestamp'],
    ['creatorId', 'name', 'createdTimestamp'],
    ['creatorId', 'streamConfigurationTemplateId', 'createdTimestamp'],
    ['creatorId', 'errorName', 'createdTimestamp'],
    ['creatorId', 'labelKeys', 'createdTimestamp'],
    ['groupId', 'createdTimestamp'],
  ],
  handles: STREAM_EVENT_TYPES,
  beginnings: ['StreamCreated'],
  personal: { owner: 'creatorId', orderedBy: 'createdTimestamp', redact: redactDocument },
  eventStreamOf: streamEventStream,
  idsOf: (event) => [event.eventStream.slice('stream-'.length)],
  evolve: (document, event, id) => {
    if (!isStreamEvent(event)) return document;
    // StreamCreated may have been skipped by an operator.
    if (!document && event.type !== 'StreamCreated') return null;
    const aggregate = evolveStream(document, event, event.metadata.time);
    const { creatorId, groupId, state, name, labels, createdTimestamp, configuration } = aggregate.stream;
    const { streamConfigurationTemplateId } = configuration;
    const failed = state === 'FAILED' ? newestRuns(aggregate).find((run) => run.state === 'ERROR') : undefined;
    const errorName = failed?.errorName ?? null;
    const listed = { creatorId, groupId, state, name, streamConfigurationTemplateId, errorName, createdTimestamp };
    const labelKeys = labels.length === 0 ? null : labels.map(labelKey);
    return { ...aggregate, ...listed, labelKeys, streamId: id, revision: String(event.revision) };
  },
};
