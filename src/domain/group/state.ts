import { ImmutableMap } from '../immutableMap.ts';
import type { GroupEvent } from './events.ts';

export type GroupState = 'CREATED' | 'COMPLETED' | 'FAILED' | 'EXPIRED';

export interface GroupMember {
  /** The attempt of the stream that is running or has finished. */
  attempt: number;
  outcome: 'COMPLETED' | 'FAILED' | null;
  expired: boolean;
}

/** A group without its members, as the read model keeps it. Plain JSON, of the same size for any number of streams. */
export interface GroupSummary {
  groupId: string;
  creatorId: string;
  createdTimestamp: string;
  /** CREATED while any of its streams has not finished, also if the group had finished before that stream joined. */
  state: GroupState;
  finalizedTimestamp: string | null;
  /** The newest announced end, with the number of finished streams then, so that a withdrawn join does not announce it again. */
  announced: { state: 'COMPLETED' | 'FAILED'; timestamp: string; finished: number } | null;
  counts: { members: number; finished: number; failed: number; expired: number };
}

/** The state of a group, for decisions. */
export interface GroupAggregate extends GroupSummary {
  /** By stream id, without withdrawn ones. A group may have any number, so no event copies them all. */
  members: ImmutableMap<GroupMember>;
}

const withCounts = (group: GroupSummary, counts: Partial<GroupSummary['counts']>): GroupSummary => ({
  ...group,
  counts: { ...group.counts, ...counts },
});

const withdraw = (group: GroupSummary): GroupSummary => {
  const { announced, counts } = group;
  const unchanged = announced?.finished === counts.finished && counts.members - 1 === counts.finished;
  const left = withCounts(group, { members: counts.members - 1 });
  return unchanged ? { ...left, state: announced.state, finalizedTimestamp: announced.timestamp } : left;
};

const announceEnd = (group: GroupSummary, state: 'COMPLETED' | 'FAILED', time: string): GroupSummary => ({
  ...group,
  state,
  finalizedTimestamp: time,
  announced: { state, timestamp: time, finished: group.counts.finished },
});

const changeOf = (
  group: GroupSummary,
  event: Exclude<GroupEvent, { type: 'GroupCreated' | 'GroupContinued' }>,
  time: string,
): GroupSummary => {
  const { members, finished, failed, expired } = group.counts;
  switch (event.type) {
    case 'StreamJoined':
      return { ...withCounts(group, { members: members + 1 }), state: 'CREATED', finalizedTimestamp: null };
    case 'StreamWithdrawn':
      return withdraw(group);
    case 'StreamFinished':
      return withCounts(group, { finished: finished + 1, failed: failed + (event.data.outcome === 'FAILED' ? 1 : 0) });
    case 'StreamReopened':
      return {
        ...withCounts(group, { finished: finished - 1, failed: failed - (event.data.outcome === 'FAILED' ? 1 : 0) }),
        state: 'CREATED',
        finalizedTimestamp: null,
        announced: null,
      };
    case 'GroupCompleted':
      return announceEnd(group, 'COMPLETED', time);
    case 'GroupFailed':
      return announceEnd(group, 'FAILED', time);
    case 'StreamLeftExpired':
      return withCounts(group, { expired: expired + 1 });
    case 'GroupExpired':
      return { ...group, state: 'EXPIRED' };
    default:
      return event satisfies never;
  }
};

const continued = ({
  groupId,
  creatorId,
  createdTimestamp,
  outcome,
  finalizedTimestamp,
}: Extract<GroupEvent, { type: 'GroupContinued' }>['data']): GroupSummary => {
  const group: GroupSummary = {
    groupId,
    creatorId,
    createdTimestamp,
    state: 'CREATED',
    finalizedTimestamp: null,
    announced: null,
    counts: { members: 1, finished: outcome ? 1 : 0, failed: outcome === 'FAILED' ? 1 : 0, expired: 0 },
  };
  return outcome && finalizedTimestamp !== null ? announceEnd(group, outcome, finalizedTimestamp) : group;
};

/** Applies an event to the summary of a group, which is `null` before the first one. `time` is the event's, ISO 8601. Pure. */
export const evolveGroupSummary = (group: GroupSummary | null, event: GroupEvent, time: string): GroupSummary => {
  if (event.type === 'GroupCreated') {
    const { groupId, creatorId } = event.data;
    const counts = { members: 0, finished: 0, failed: 0, expired: 0 };
    return { groupId, creatorId, createdTimestamp: time, state: 'CREATED', finalizedTimestamp: null, announced: null, counts };
  }
  if (event.type === 'GroupContinued') return continued(event.data);
  if (!group) throw new Error(`${event.type} before GroupCreated`);
  return changeOf(group, event, time);
};

const membersAfter = (members: ImmutableMap<GroupMember>, event: GroupEvent): ImmutableMap<GroupMember> => {
  switch (event.type) {
    case 'StreamJoined':
      return members.with(event.data.streamId, { attempt: 1, outcome: null, expired: false });
    case 'GroupContinued':
      return members.with(event.data.streamId, { attempt: event.data.attempt, outcome: event.data.outcome, expired: false });
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

/** Applies an event to a group, which is `null` before the first one. `time` is the event's, ISO 8601. Pure. */
export const evolveGroup = (group: GroupAggregate | null, event: GroupEvent, time: string): GroupAggregate => ({
  ...evolveGroupSummary(group, event, time),
  members: membersAfter(group?.members ?? ImmutableMap.empty(), event),
});

export const groupDecider = { initialState: (): GroupAggregate | null => null, evolve: evolveGroup };

/** The public answer of `GET /groups/{id}`. `streamsCount` counts expired streams too. */
export const groupResource = ({ groupId, state, creatorId, createdTimestamp, finalizedTimestamp, counts }: GroupSummary) => ({
  groupId,
  state,
  creatorId,
  createdTimestamp,
  finalizedTimestamp,
  streamsCount: counts.members,
});
