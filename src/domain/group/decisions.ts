import { notFound, Problem } from '../problem.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';
import type { GroupEvent } from './events.ts';
import { evolveGroup, type GroupAggregate } from './state.ts';

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
