import { evolveGroup, GROUP_EVENT_TYPES, type GroupAggregate, isGroupEvent } from '../domain/group.ts';
import type { Projection } from './projection.ts';

/** One group: the aggregate as its events tell it. `members` is by stream id. */
export interface GroupDocument extends GroupAggregate {
  streamsCount: number;
  /** Of the last event of `group-<id>`. */
  revision: string;
}

export const groupsProjection: Projection<GroupDocument> = {
  name: 'groups',
  version: 1,
  indexes: [],
  handles: GROUP_EVENT_TYPES,
  idsOf: (event) => [event.eventStream.slice('group-'.length)],
  evolve: (document, event) => {
    if (!isGroupEvent(event)) return document;
    // What follows a GroupCreated that was skipped on purpose has nothing to change.
    if (!document && event.type !== 'GroupCreated') return null;
    const group = evolveGroup(document, event, event.metadata.time);
    return { ...group, streamsCount: group.counts.members, revision: String(event.revision) };
  },
};
