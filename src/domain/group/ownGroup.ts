import { ATTEMPT_ENDS, type StreamEvent } from '../stream/events.ts';
import { type SharedOwnGroup, type StreamAggregate, sharedNow } from '../stream/state.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';
import type { Stream } from '../stream/streamResource.ts';
import { type Joining, joinGroup } from './decisions.ts';
import type { GroupEvent } from './events.ts';
import { evolveGroup, type GroupAggregate, type GroupSummary } from './state.ts';

/*
 * The group of a stream that no other stream has joined. It has no event stream: what happens to it follows from the stream's own events. When another
 * stream joins, the first stream notes that it shares its group (`OwnGroupShared`), and the group's event stream begins with `GroupContinued`.
 */

/** Stream events that change the group of a lone stream. */
export const OWN_GROUP_TYPES = [
  'StreamCreated',
  ...ATTEMPT_ENDS,
  'RerunStarted',
  'StreamExpired',
  'OwnGroupShared',
] satisfies StreamEvent['type'][];

/** What an event of a stream does to the group that it has to itself. `group` is the group before it. */
export const ownGroupEvents = (event: StreamEvent, streamId: string, group: GroupSummary | null): readonly GroupEvent[] => {
  switch (event.type) {
    case 'StreamCreated': {
      const { groupId, creatorId } = event.data;
      const joined = { groupId, streamId, streamSubject: creatorId, webhooks: [] };
      return [
        { type: 'GroupCreated', data: { groupId, creatorId } },
        { type: 'StreamJoined', data: joined },
      ];
    }
    case 'StreamCompleted':
      return [
        { type: 'StreamFinished', data: { streamId, outcome: 'COMPLETED' } },
        { type: 'GroupCompleted', data: {} },
      ];
    case 'StreamFailed':
    case 'StreamCanceled':
      return [
        { type: 'StreamFinished', data: { streamId, outcome: 'FAILED' } },
        { type: 'GroupFailed', data: {} },
      ];
    case 'RerunStarted': {
      const outcome = group?.counts.failed ? 'FAILED' : 'COMPLETED';
      return [{ type: 'StreamReopened', data: { streamId, attempt: event.data.attempt, outcome } }];
    }
    case 'StreamExpired':
      return [
        { type: 'StreamLeftExpired', data: { streamId } },
        { type: 'GroupExpired', data: {} },
      ];
    default:
      return [];
  }
};

/** The dynamic webhooks of a stream, as its group knows them. */
export const webhooksOf = ({ configuration }: Stream): DynamicWebhook[] =>
  configuration.dynamicWebhookEndpoints.map(({ url, events }) => ({ url, events }));

const continuedWith = ({ stream }: StreamAggregate, { attempt, outcome, finalizedTimestamp }: SharedOwnGroup): GroupEvent => {
  const { groupId, creatorId, createdTimestamp, streamId } = stream;
  const first = { groupId, creatorId, createdTimestamp, streamId, webhooks: webhooksOf(stream) };
  return { type: 'GroupContinued', data: { ...first, attempt, outcome, finalizedTimestamp } };
};

/** The first event of the event stream of a group, if its first stream had it to itself and shares it now. */
export const groupContinued = (first: StreamAggregate | null): readonly GroupEvent[] =>
  first?.ownGroup?.shared ? [continuedWith(first, first.ownGroup.shared)] : [];

/** The group as its first stream knows it; `null` for a stream that did not begin alone. */
export const ownGroupOf = (first: StreamAggregate | null): GroupAggregate | null => {
  if (!first?.ownGroup) return null;
  const { streamId, state } = first.stream;
  const events = [continuedWith(first, first.ownGroup.shared ?? sharedNow(first))];
  if (state === 'EXPIRED') events.push({ type: 'StreamLeftExpired', data: { streamId } }, { type: 'GroupExpired', data: {} });
  return events.reduce<GroupAggregate | null>((group, event) => evolveGroup(group, event, ''), null);
};

/** Lets another stream join the group of a stream that has it to itself. Refuses like `joinGroup`. Returns nothing if the group is already shared. */
export const shareOwnGroup = (first: StreamAggregate | null, joining: Joining, most: number): readonly StreamEvent[] => {
  if (first?.ownGroup?.shared !== null) return [];
  return joinGroup(ownGroupOf(first), joining, most).length > 0 ? [{ type: 'OwnGroupShared', data: {} }] : [];
};
