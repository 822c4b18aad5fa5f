import { notFound, Problem } from '../problem.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';
import type { GroupEvent } from './events.ts';
import { evolveGroup, type GroupAggregate } from './state.ts';

/** A joining stream with its group, its owner and its webhooks. */
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

/** Joins, and creates a new group. 404 for another owner's group, 409 for an expired one; nothing for a member. */
export const joinGroup = (group: GroupAggregate | null, joining: Joining): readonly GroupEvent[] => {
  if (group && group.creatorId !== joining.subject) throw notFound('group');
  if (group?.members.get(joining.streamId)) return [];
  if (group?.state === 'EXPIRED')
    throw new Problem('GENERAL_CONFLICT_ERROR', 'The group has expired. Omit the group id or choose another.');
  return joined(group, joining);
};

/** The end of the group, if these events leave only finished streams and that end was not yet announced. */
const ending = (group: GroupAggregate | null, events: readonly GroupEvent[]): readonly GroupEvent[] => {
  const after = events.reduce<GroupAggregate | null>((folded, event) => evolveGroup(folded, event, ''), group);
  if (!after || after.counts.finished === 0 || after.counts.finished < after.counts.members) return events;
  if (after.announced?.finished === after.counts.finished) return events;
  return [...events, { type: after.counts.failed > 0 ? 'GroupFailed' : 'GroupCompleted', data: {} }];
};

/** Withdraws a join whose stream was never created. Nothing if it is not a member or has finished. The group may end with it. */
export const withdrawFromGroup = (group: GroupAggregate | null, streamId: string): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!group || member?.outcome !== null) return [];
  const events = ending(group, [{ type: 'StreamWithdrawn', data: { streamId } }]);
  const { members, expired } = group.counts;
  return expired > 0 && expired === members - 1 ? [...events, { type: 'GroupExpired', data: {} }] : events;
};

/** An ended attempt of a stream. */
export interface Finishing extends Joining {
  outcome: 'COMPLETED' | 'FAILED';
  /** Default: 1, the upload. */
  attempt?: number;
}

/**
 * A stream has ended. If its join was withdrawn too early or lost, it joins first. Nothing if this attempt has already finished here, or a later
 * one has started.
 */
export const finishInGroup = (group: GroupAggregate | null, finishing: Finishing): readonly GroupEvent[] => {
  const { streamId, outcome, attempt = 1 } = finishing;
  const member = group?.members.get(streamId);
  if (member?.outcome || (member && member.attempt > attempt)) return [];
  const finished: GroupEvent = { type: 'StreamFinished', data: { streamId, outcome, ...(attempt > 1 && { attempt }) } };
  return ending(group, member ? [finished] : [...joined(group, finishing), finished]);
};

/** A finished stream runs again, which reopens the group. Nothing for a known attempt. */
export const reopenInGroup = (
  group: GroupAggregate | null,
  { streamId, attempt }: { streamId: string; attempt: number },
): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!member?.outcome || member.expired || member.attempt >= attempt) return [];
  return [{ type: 'StreamReopened', data: { streamId, attempt, outcome: member.outcome } }];
};

/** A finished stream has expired; the group expires with the last one. Nothing for an unfinished or already expired stream. */
export const expireInGroup = (group: GroupAggregate | null, streamId: string): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!group || !member?.outcome || member.expired) return [];
  const left: GroupEvent = { type: 'StreamLeftExpired', data: { streamId } };
  return group.counts.expired + 1 === group.counts.members ? [left, { type: 'GroupExpired', data: {} }] : [left];
};
