import { notFound, Problem } from './problem.ts';
import type { DynamicWebhook } from './streamConfiguration.ts';

/** The story of one group of streams. Event stream `group-<groupId>`. */
export type GroupEvent =
  | { type: 'GroupCreated'; data: { groupId: string; creatorId: string } }
  | { type: 'StreamJoined'; data: { groupId: string; streamId: string; streamSubject: string; webhooks: DynamicWebhook[] } }
  /** Its stream never came to be. */
  | { type: 'StreamWithdrawn'; data: { streamId: string } }
  | { type: 'StreamFinished'; data: { streamId: string; outcome: 'COMPLETED' | 'FAILED' } }
  | { type: 'GroupCompleted'; data: Record<string, never> }
  | { type: 'GroupFailed'; data: Record<string, never> }
  | { type: 'StreamLeftExpired'; data: { streamId: string } }
  | { type: 'GroupExpired'; data: Record<string, never> };

export const groupEventStream = (groupId: string): string => `group-${groupId}`;

const EVENT_TYPES: Readonly<Record<GroupEvent['type'], true>> = {
  GroupCreated: true,
  StreamJoined: true,
  StreamWithdrawn: true,
  StreamFinished: true,
  GroupCompleted: true,
  GroupFailed: true,
  StreamLeftExpired: true,
  GroupExpired: true,
};

export const GROUP_EVENT_TYPES: readonly string[] = Object.keys(EVENT_TYPES);

/** Whether an event of the log is one of a group's. Its data were checked against the type's schema when it was appended. */
export const isGroupEvent = <T extends { type: string; data: object }>(event: T): event is T & GroupEvent =>
  Object.hasOwn(EVENT_TYPES, event.type);

export type GroupState = 'CREATED' | 'COMPLETED' | 'FAILED' | 'EXPIRED';

export interface GroupMember {
  outcome: 'COMPLETED' | 'FAILED' | null;
  expired: boolean;
}

/** A group as its events tell it. Plain JSON. */
export interface GroupAggregate {
  groupId: string;
  creatorId: string;
  createdTimestamp: string;
  /** CREATED while any of its streams has not finished, also when it had finished before that one joined. */
  state: GroupState;
  finalizedTimestamp: string | null;
  /** The newest end that was announced, and of how many finished streams: a withdrawn join does not announce it again. */
  announced: { state: 'COMPLETED' | 'FAILED'; timestamp: string; finished: number } | null;
  /** By stream id; withdrawn ones are not there. */
  members: Record<string, GroupMember>;
  counts: { members: number; finished: number; failed: number; expired: number };
}

const withMember = (
  group: GroupAggregate,
  streamId: string,
  member: GroupMember,
  counts: Partial<GroupAggregate['counts']>,
): GroupAggregate => ({
  ...group,
  members: { ...group.members, [streamId]: member },
  counts: { ...group.counts, ...counts },
});

const withoutMember = (group: GroupAggregate, streamId: string): GroupAggregate => {
  const { [streamId]: _, ...members } = group.members;
  const { announced, counts } = group;
  const unchanged = announced?.finished === counts.finished && counts.members - 1 === counts.finished;
  const left = { ...group, members, counts: { ...counts, members: counts.members - 1 } };
  return unchanged ? { ...left, state: announced.state, finalizedTimestamp: announced.timestamp } : left;
};

const announcing = (group: GroupAggregate, state: 'COMPLETED' | 'FAILED', time: string): GroupAggregate => ({
  ...group,
  state,
  finalizedTimestamp: time,
  announced: { state, timestamp: time, finished: group.counts.finished },
});

const changeOf = (group: GroupAggregate, event: Exclude<GroupEvent, { type: 'GroupCreated' }>, time: string): GroupAggregate => {
  const { counts } = group;
  switch (event.type) {
    case 'StreamJoined':
      return {
        ...withMember(group, event.data.streamId, { outcome: null, expired: false }, { members: counts.members + 1 }),
        state: 'CREATED',
        finalizedTimestamp: null,
      };
    case 'StreamWithdrawn':
      return withoutMember(group, event.data.streamId);
    case 'StreamFinished': {
      const { streamId, outcome } = event.data;
      const failed = counts.failed + (outcome === 'FAILED' ? 1 : 0);
      return withMember(group, streamId, { outcome, expired: false }, { finished: counts.finished + 1, failed });
    }
    case 'GroupCompleted':
      return announcing(group, 'COMPLETED', time);
    case 'GroupFailed':
      return announcing(group, 'FAILED', time);
    case 'StreamLeftExpired': {
      const member = group.members[event.data.streamId] ?? { outcome: null, expired: true };
      return withMember(group, event.data.streamId, { ...member, expired: true }, { expired: counts.expired + 1 });
    }
    case 'GroupExpired':
      return { ...group, state: 'EXPIRED' };
    default: {
      const never: never = event;
      return never;
    }
  }
};

/** What an event does to a group; `null` before the first. `time` is that of the event, ISO 8601. Pure. */
export const evolveGroup = (group: GroupAggregate | null, event: GroupEvent, time: string): GroupAggregate => {
  if (event.type === 'GroupCreated') {
    const { groupId, creatorId } = event.data;
    const counts = { members: 0, finished: 0, failed: 0, expired: 0 };
    return { groupId, creatorId, createdTimestamp: time, state: 'CREATED', finalizedTimestamp: null, announced: null, members: {}, counts };
  }
  if (!group) throw new Error(`${event.type} before GroupCreated`);
  return changeOf(group, event, time);
};

export const groupDecider = { initialState: (): GroupAggregate | null => null, evolve: evolveGroup };

/** The public answer of `GET /groups/{id}`. `streamsCount` counts expired streams too. */
export interface GroupResource {
  groupId: string;
  state: GroupState;
  creatorId: string;
  createdTimestamp: string;
  finalizedTimestamp: string | null;
  streamsCount: number;
}

export const groupResource = (group: GroupAggregate): GroupResource => ({
  groupId: group.groupId,
  state: group.state,
  creatorId: group.creatorId,
  createdTimestamp: group.createdTimestamp,
  finalizedTimestamp: group.finalizedTimestamp,
  streamsCount: group.counts.members,
});

/** A stream that joins: of which group, whose it is, and who hears of it. */
export interface Joining {
  groupId: string;
  streamId: string;
  /** Owner of the stream. */
  subject: string;
  webhooks: DynamicWebhook[];
}

const joined = (group: GroupAggregate | null, { groupId, streamId, subject, webhooks }: Joining): readonly GroupEvent[] => {
  const join: GroupEvent = { type: 'StreamJoined', data: { groupId, streamId, streamSubject: subject, webhooks } };
  return group ? [join] : [{ type: 'GroupCreated', data: { groupId, creatorId: subject } }, join];
};

/** Makes the group when it is new. 404 for another owner's, 409 for an expired one; nothing for a stream that is in it already. */
export const joinGroup = (group: GroupAggregate | null, joining: Joining): readonly GroupEvent[] => {
  if (group && group.creatorId !== joining.subject) throw notFound('group');
  if (group && Object.hasOwn(group.members, joining.streamId)) return [];
  if (group?.state === 'EXPIRED')
    throw new Problem('GENERAL_CONFLICT_ERROR', 'The group has expired: leave the group id out, or choose another.');
  return joined(group, joining);
};

/** The end of the group, when these events leave it with finished streams only and that was not announced before. */
const ending = (group: GroupAggregate | null, events: readonly GroupEvent[]): readonly GroupEvent[] => {
  const after = events.reduce<GroupAggregate | null>((folded, event) => evolveGroup(folded, event, ''), group);
  if (!after || after.counts.finished === 0 || after.counts.finished < after.counts.members) return events;
  if (after.announced?.finished === after.counts.finished) return events;
  return [...events, { type: after.counts.failed > 0 ? 'GroupFailed' : 'GroupCompleted', data: {} }];
};

/** For a join whose stream never came. Nothing when it is not in the group, or has finished in it. It may have been all that kept the group. */
export const withdrawFromGroup = (group: GroupAggregate | null, streamId: string): readonly GroupEvent[] => {
  const member = group && Object.hasOwn(group.members, streamId) ? group.members[streamId] : undefined;
  if (!group || member?.outcome !== null) return [];
  const events = ending(group, [{ type: 'StreamWithdrawn', data: { streamId } }]);
  const { members, expired } = group.counts;
  return expired > 0 && expired === members - 1 ? [...events, { type: 'GroupExpired', data: {} }] : events;
};

/** A stream has ended. One that was withdrawn too early, or whose join was lost, joins first. Nothing when it has finished here already. */
export const finishInGroup = (
  group: GroupAggregate | null,
  finishing: Joining & { outcome: 'COMPLETED' | 'FAILED' },
): readonly GroupEvent[] => {
  const { streamId, outcome } = finishing;
  const member = group && Object.hasOwn(group.members, streamId) ? group.members[streamId] : undefined;
  if (member?.outcome) return [];
  const finished: GroupEvent = { type: 'StreamFinished', data: { streamId, outcome } };
  return ending(group, member ? [finished] : [...joined(group, finishing), finished]);
};

/** A finished stream has expired; the last one takes the group with it. Nothing for one that has not finished, or has expired already. */
export const expireInGroup = (group: GroupAggregate | null, streamId: string): readonly GroupEvent[] => {
  const member = group && Object.hasOwn(group.members, streamId) ? group.members[streamId] : undefined;
  if (!group || !member?.outcome || member.expired) return [];
  const left: GroupEvent = { type: 'StreamLeftExpired', data: { streamId } };
  return group.counts.expired + 1 === group.counts.members ? [left, { type: 'GroupExpired', data: {} }] : [left];
};
