import { ImmutableMap } from '../immutableMap.ts';
import { notFound, Problem } from '../problem.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';

/** The story of one group of streams. Event stream `group-<groupId>`. */
export type GroupEvent =
  | { type: 'GroupCreated'; data: { groupId: string; creatorId: string } }
  | { type: 'StreamJoined'; data: { groupId: string; streamId: string; streamSubject: string; webhooks: DynamicWebhook[] } }
  /** Its stream never came to be. */
  | { type: 'StreamWithdrawn'; data: { streamId: string } }
  /** `attempt` of the stream, absent for the upload. */
  | { type: 'StreamFinished'; data: { streamId: string; outcome: 'COMPLETED' | 'FAILED'; attempt?: number } }
  /** A finished stream runs again. `outcome`: how it had finished. */
  | { type: 'StreamReopened'; data: { streamId: string; attempt: number; outcome: 'COMPLETED' | 'FAILED' } }
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
  StreamReopened: true,
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
  /** The attempt of the stream that runs or has finished. */
  attempt: number;
  outcome: 'COMPLETED' | 'FAILED' | null;
  expired: boolean;
}

/** A group without its members: what is shown of it. Plain JSON, of the same size whatever its events are. */
export interface GroupSummary {
  groupId: string;
  creatorId: string;
  createdTimestamp: string;
  /** CREATED while any of its streams has not finished, also when it had finished before that one joined. */
  state: GroupState;
  finalizedTimestamp: string | null;
  /** The newest end that was announced, and of how many finished streams: a withdrawn join does not announce it again. */
  announced: { state: 'COMPLETED' | 'FAILED'; timestamp: string; finished: number } | null;
  counts: { members: number; finished: number; failed: number; expired: number };
}

/** A group as its events tell it, for decisions. */
export interface GroupAggregate extends GroupSummary {
  /** By stream id; withdrawn ones are not there. A group may have any number: no event copies them. */
  members: ImmutableMap<GroupMember>;
}

const counting = (group: GroupSummary, counts: Partial<GroupSummary['counts']>): GroupSummary => ({
  ...group,
  counts: { ...group.counts, ...counts },
});

const withdrawn = (group: GroupSummary): GroupSummary => {
  const { announced, counts } = group;
  const unchanged = announced?.finished === counts.finished && counts.members - 1 === counts.finished;
  const left = counting(group, { members: counts.members - 1 });
  return unchanged ? { ...left, state: announced.state, finalizedTimestamp: announced.timestamp } : left;
};

const announcing = (group: GroupSummary, state: 'COMPLETED' | 'FAILED', time: string): GroupSummary => ({
  ...group,
  state,
  finalizedTimestamp: time,
  announced: { state, timestamp: time, finished: group.counts.finished },
});

const changeOf = (group: GroupSummary, event: Exclude<GroupEvent, { type: 'GroupCreated' }>, time: string): GroupSummary => {
  const { members, finished, failed, expired } = group.counts;
  switch (event.type) {
    case 'StreamJoined':
      return { ...counting(group, { members: members + 1 }), state: 'CREATED', finalizedTimestamp: null };
    case 'StreamWithdrawn':
      return withdrawn(group);
    case 'StreamFinished':
      return counting(group, { finished: finished + 1, failed: failed + (event.data.outcome === 'FAILED' ? 1 : 0) });
    case 'StreamReopened':
      return {
        ...counting(group, { finished: finished - 1, failed: failed - (event.data.outcome === 'FAILED' ? 1 : 0) }),
        state: 'CREATED',
        finalizedTimestamp: null,
        announced: null,
      };
    case 'GroupCompleted':
      return announcing(group, 'COMPLETED', time);
    case 'GroupFailed':
      return announcing(group, 'FAILED', time);
    case 'StreamLeftExpired':
      return counting(group, { expired: expired + 1 });
    case 'GroupExpired':
      return { ...group, state: 'EXPIRED' };
    default: {
      const never: never = event;
      return never;
    }
  }
};

/** What an event does to what is shown of a group; `null` before the first. `time` is that of the event, ISO 8601. Pure. */
export const evolveGroupSummary = (group: GroupSummary | null, event: GroupEvent, time: string): GroupSummary => {
  if (event.type === 'GroupCreated') {
    const { groupId, creatorId } = event.data;
    const counts = { members: 0, finished: 0, failed: 0, expired: 0 };
    return { groupId, creatorId, createdTimestamp: time, state: 'CREATED', finalizedTimestamp: null, announced: null, counts };
  }
  if (!group) throw new Error(`${event.type} before GroupCreated`);
  return changeOf(group, event, time);
};

const membersAfter = (members: ImmutableMap<GroupMember>, event: GroupEvent): ImmutableMap<GroupMember> => {
  switch (event.type) {
    case 'StreamJoined':
      return members.with(event.data.streamId, { attempt: 1, outcome: null, expired: false });
    case 'StreamReopened':
      return members.with(event.data.streamId, { attempt: event.data.attempt, outcome: null, expired: false });
    case 'StreamWithdrawn':
      return members.without(event.data.streamId);
    case 'StreamFinished':
      return members.with(event.data.streamId, { attempt: event.data.attempt ?? 1, outcome: event.data.outcome, expired: false });
    case 'StreamLeftExpired': {
      const { attempt = 1, outcome = null } = members.get(event.data.streamId) ?? {};
      return members.with(event.data.streamId, { attempt, outcome, expired: true });
    }
    default:
      return members;
  }
};

/** What an event does to a group; `null` before the first. `time` is that of the event, ISO 8601. Pure. */
export const evolveGroup = (group: GroupAggregate | null, event: GroupEvent, time: string): GroupAggregate => ({
  ...evolveGroupSummary(group, event, time),
  members: membersAfter(group?.members ?? ImmutableMap.empty(), event),
});

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

export const groupResource = (group: GroupSummary): GroupResource => ({
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
  if (group?.members.get(joining.streamId)) return [];
  if (group?.state === 'EXPIRED')
    throw new Problem('GENERAL_CONFLICT_ERROR', 'The group has expired. Omit the group id or choose another.');
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
  const member = group?.members.get(streamId);
  if (!group || member?.outcome !== null) return [];
  const events = ending(group, [{ type: 'StreamWithdrawn', data: { streamId } }]);
  const { members, expired } = group.counts;
  return expired > 0 && expired === members - 1 ? [...events, { type: 'GroupExpired', data: {} }] : events;
};

/** A stream and which of its attempts has ended. */
export interface Finishing extends Joining {
  outcome: 'COMPLETED' | 'FAILED';
  /** Default: 1, the upload. */
  attempt?: number;
}

/**
 * A stream has ended. One that was withdrawn too early, or whose join was lost, joins first. Nothing when this attempt has finished here already, or
 * a later one has begun.
 */
export const finishInGroup = (group: GroupAggregate | null, finishing: Finishing): readonly GroupEvent[] => {
  const { streamId, outcome, attempt = 1 } = finishing;
  const member = group?.members.get(streamId);
  if (member?.outcome || (member && member.attempt > attempt)) return [];
  const finished: GroupEvent = { type: 'StreamFinished', data: { streamId, outcome, ...(attempt > 1 && { attempt }) } };
  return ending(group, member ? [finished] : [...joined(group, finishing), finished]);
};

/** A finished stream runs again, so the group is open again. Nothing for an attempt that the group knows already. */
export const reopenInGroup = (
  group: GroupAggregate | null,
  { streamId, attempt }: { streamId: string; attempt: number },
): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!member?.outcome || member.expired || member.attempt >= attempt) return [];
  return [{ type: 'StreamReopened', data: { streamId, attempt, outcome: member.outcome } }];
};

/** A finished stream has expired; the last one takes the group with it. Nothing for one that has not finished, or has expired already. */
export const expireInGroup = (group: GroupAggregate | null, streamId: string): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!group || !member?.outcome || member.expired) return [];
  const left: GroupEvent = { type: 'StreamLeftExpired', data: { streamId } };
  return group.counts.expired + 1 === group.counts.members ? [left, { type: 'GroupExpired', data: {} }] : [left];
};
