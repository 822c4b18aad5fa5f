import { GROUP_EVENT_TYPES, isGroupEvent } from '../domain/group/events.ts';
import { OWN_GROUP_TYPES, ownGroupEvents } from '../domain/group/ownGroup.ts';
import { evolveGroupSummary, type GroupSummary } from '../domain/group/state.ts';
import { isStreamEvent, type StreamEvent } from '../domain/stream/events.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Projection } from './projection.ts';

/** One group without its members: their number is unbounded, and each event rewrites the whole document. */
export interface GroupDocument extends GroupSummary {
  streamsCount: number;
  /** Revision of the last event in `group-<id>`, or in that of its first stream while `own`. -1 before the first event of `group-<id>`. */
  revision: string;
  /** Its first stream has it to itself. */
  own?: true;
}

/** The document id of a group, or of the group that a stream may have to itself. */
const idIn = ({ eventStream }: RecordedEvent): string => eventStream.slice(eventStream.indexOf('-') + 1);

const evolveOwn = (document: GroupDocument | null, event: RecordedEvent & StreamEvent): GroupDocument | null => {
  if (event.type === 'OwnGroupShared' && document?.own) {
    const { own: _, ...shared } = document;
    return { ...shared, revision: '-1' };
  }
  if (event.type !== 'StreamCreated' && !document?.own) return document;
  const group = ownGroupEvents(event, idIn(event), document).reduce<GroupSummary | null>(
    (state, one) => evolveGroupSummary(state, one, event.metadata.time),
    document,
  );
  return group && { ...group, streamsCount: 1, revision: String(event.revision), own: true };
};

export const groupsProjection: Projection<GroupDocument> = {
  name: 'groups',
  version: 3,
  // Finds the groups of a user that have an event stream, for recoveries of webhooks.
  indexes: [['creatorId', 'own', 'createdTimestamp']],
  handles: [...GROUP_EVENT_TYPES, ...OWN_GROUP_TYPES],
  beginnings: ['GroupCreated', 'StreamCreated'],
  idsOf: (event) => (isStreamEvent(event) && event.type === 'StreamCreated' && !event.data.ownGroup ? [] : [idIn(event)]),
  evolve: (document, event) => {
    if (isStreamEvent(event)) return evolveOwn(document, event);
    if (!isGroupEvent(event)) return document;
    // GroupCreated may have been skipped by an operator.
    if (!document && event.type !== 'GroupCreated' && event.type !== 'GroupContinued') return null;
    const group = evolveGroupSummary(document, event, event.metadata.time);
    return { ...group, streamsCount: group.counts.members, revision: String(event.revision) };
  },
};
