import { GROUP_EVENT_TYPES, isGroupEvent } from '../domain/group/events.ts';
import { evolveGroupSummary, type GroupSummary } from '../domain/group/state.ts';
import type { Projection } from './projection.ts';

/** One group without its members: their number is unbounded, and each event rewrites the whole document. */
export interface GroupDocument extends GroupSummary {
  streamsCount: number;
  /** Revision of the last event of `group-<id>`. */
  revision: string;
}

export const groupsProjection: Projection<GroupDocument> = {
  name: 'groups',
  version: 3,
  indexes: [],
  handles: GROUP_EVENT_TYPES,
  beginnings: ['GroupCreated'],
  idsOf: (event) => [event.eventStream.slice('group-'.length)],
  evolve: (document, event) => {
    if (!isGroupEvent(event)) return document;
    // GroupCreated may have been skipped by an operator.
    if (!document && event.type !== 'GroupCreated') return null;
    const group = evolveGroupSummary(document, event, event.metadata.time);
    return { ...group, streamsCount: group.counts.members, revision: String(event.revision) };
  },
};
