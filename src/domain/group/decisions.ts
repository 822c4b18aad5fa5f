import { conflict, countReached, notFound } from '../problem.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';
import type { GroupEvent } from './events.ts';
import { evolveGroup, type GroupAggregate } from './state.ts';

/** A stream that joins a group, with its owner and its webhooks. */
export interface Joining {
  groupId: string;
  streamId: string;
  /** Owner of the stream. */
  subject: string;
  webhooks: DynamicWebhook[];
}

const joinEvents = (group: GroupAggregate | null, { groupId, streamId, subject, webhooks }: Joining): readonly GroupEvent[] => {
  const join: GroupEvent = { type: 'StreamJoined', data: { groupId, streamId, streamSubject: subject, webhooks } };
  return group ? [join] : [{ type: 'GroupCreated', data: { groupId, creatorId: subject } }, join];
};

/**
 * Joins a group, and creates it if it is new. Throws 404 for another owner's group, 409 for an expired one, 429 for one of `most` streams. Returns nothing
 * for a member.
 */
export const joinGroup = (group: GroupAggregate | null, joining: Joining, most: number): readonly GroupEvent[] => {
  if (group && group.creatorId !== joining.subject) throw notFound('group');
  if (group?.members.get(joining.streamId)) return [];
  if (group?.state === 'EXPIRED') throw conflict('The group has expired. Omit the group id or choose another.');
  if (group && group.counts.members >= most)
    throw countReached(`The group has reached the limit of ${most} streams. Omit the group id or choose another.`);
  return joinEvents(group, joining);
};

/** Adds the end of the group if all its streams have finished after these events, and that was not announced before. */
const withGroupEnd = (group: GroupAggregate | null, events: readonly GroupEvent[]): readonly GroupEvent[] => {
  const after = events.reduce<GroupAggregate | null>((folded, event) => evolveGroup(folded, event, ''), group);
  if (!after || after.counts.finished === 0 || after.counts.finished < after.counts.members) return events;
  if (after.announced?.finished === after.counts.finished) return events;
  return [...events, { type: after.counts.failed > 0 ? 'GroupFailed' : 'GroupCompleted', data: {} }];
};

/** Withdraws a join whose stream was never created. Returns nothing if the stream is not in the group, or has finished. It may have been the last one that kept the group. */
export const withdrawFromGroup = (group: GroupAggregate | null, { streamId }: { streamId: string }): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!group || member?.outcome !== null) return [];
  const events = withGroupEnd(group, [{ type: 'StreamWithdrawn', data: { streamId } }]);
  const { members, expired } = group.counts;
  return expired > 0 && expired === members - 1 ? [...events, { type: 'GroupExpired', data: {} }] : events;
};

/** A stream, and its attempt that has ended. */
export interface Finishing extends Joining {
  outcome: 'COMPLETED' | 'FAILED';
  /** Default: 1, the upload. */
  attempt?: number;
}

/**
 * Notes the end of a stream. A stream that was withdrawn too early, or whose join was lost, joins first. Returns nothing if this attempt has already
 * been noted, or a later one has begun.
 */
export const finishInGroup = (group: GroupAggregate | null, finishing: Finishing): readonly GroupEvent[] => {
  const { streamId, outcome, attempt = 1 } = finishing;
  const member = group?.members.get(streamId);
  if (member?.outcome || (member && member.attempt > attempt)) return [];
  const finished: GroupEvent = { type: 'StreamFinished', data: { streamId, outcome, ...(attempt > 1 && { attempt }) } };
  return withGroupEnd(group, member ? [finished] : [...joinEvents(group, finishing), finished]);
};

/** Opens the group again because a finished stream is rerun. Returns nothing for an attempt that the group knows. */
export const reopenInGroup = (
  group: GroupAggregate | null,
  { streamId, attempt }: { streamId: string; attempt: number },
): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!member?.outcome || member.expired || member.attempt >= attempt) return [];
  return [{ type: 'StreamReopened', data: { streamId, attempt, outcome: member.outcome } }];
};

/** Notes that a finished stream has expired. The group expires with the last one. Returns nothing for a stream that has not finished, or has already expired. */
export const expireInGroup = (group: GroupAggregate | null, { streamId }: { streamId: string }): readonly GroupEvent[] => {
  const member = group?.members.get(streamId);
  if (!group || !member?.outcome || member.expired) return [];
  const left: GroupEvent = { type: 'StreamLeftExpired', data: { streamId } };
  return group.counts.expired + 1 === group.counts.members ? [left, { type: 'GroupExpired', data: {} }] : [left];
};
