import * as s from '../../schema.ts';
import { type EventOf, event, guardOf } from '../eventForms.ts';
import { dynamicWebhook } from '../stream/streamConfiguration.ts';

const outcome = s.oneOf('COMPLETED', 'FAILED');
const webhooks = s.list(dynamicWebhook);

/**
 * The events of one group of streams. Event stream `group-<groupId>`, which the group of a lone stream does not have (`ownGroup.ts`).
 * `delivery/plan/webhookTypes.ts` says which webhooks each sends.
 */
export const GROUP_EVENTS = {
  GroupCreated: event(s.object({ groupId: s.id, creatorId: s.id })),
  /** The first event of a group that its first stream had to itself until now. `outcome` is `null` while that stream runs. Times are ISO 8601. */
  GroupContinued: event(
    s.object({
      groupId: s.id,
      creatorId: s.id,
      createdTimestamp: s.text,
      streamId: s.id,
      webhooks,
      attempt: s.ordinal,
      outcome: s.nullable(outcome),
      finalizedTimestamp: s.nullable(s.text),
    }),
  ),
  StreamJoined: event(s.object({ groupId: s.id, streamId: s.id, streamSubject: s.id, webhooks })),
  /** The stream of a join was never created. */
  StreamWithdrawn: event(s.object({ streamId: s.id })),
  /** A stream has ended. `attempt` is the stream's, absent for the upload. */
  StreamFinished: event(s.object({ streamId: s.id, outcome }, { attempt: s.ordinal })),
  /** A finished stream runs again. `outcome` is that of the attempt before. */
  StreamReopened: event(s.object({ streamId: s.id, attempt: s.ordinal, outcome })),
  GroupCompleted: event(s.object({})),
  GroupFailed: event(s.object({})),
  /** The data of a stream of the group have expired. */
  StreamLeftExpired: event(s.object({ streamId: s.id })),
  GroupExpired: event(s.object({})),
};

export type GroupEvent = EventOf<typeof GROUP_EVENTS>;
export const GROUP_EVENT_TYPES: readonly string[] = Object.keys(GROUP_EVENTS);
export const isGroupEvent = guardOf(GROUP_EVENTS);

export const groupEventStream = (groupId: string): string => `group-${groupId}`;
