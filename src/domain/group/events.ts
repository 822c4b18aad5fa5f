import {
  type EventOf,
  event,
  guardOf,
  id,
  list,
  nothing,
  nullable,
  object,
  objectOf,
  oneOf,
  ordinal,
  personal,
  text,
} from '../eventForms.ts';
import type { DynamicWebhook } from '../stream/streamConfiguration.ts';

const outcome = oneOf('COMPLETED', 'FAILED');
const webhooks = list(objectOf<DynamicWebhook>({ url: personal(text), events: list(text) }));

/**
 * The events of one group of streams. Event stream `group-<groupId>`, which the group of a lone stream does not have (`ownGroup.ts`).
 * `delivery/plan/webhookTypes.ts` says which webhooks each sends.
 */
export const GROUP_EVENTS = {
  GroupCreated: event(object({ groupId: id, creatorId: id })),
  /** The first event of a group that its first stream had to itself until now. `outcome` is `null` while that stream runs. Times are ISO 8601. */
  GroupContinued: event(
    object({
      groupId: id,
      creatorId: id,
      createdTimestamp: text,
      streamId: id,
      webhooks,
      attempt: ordinal,
      outcome: nullable(outcome),
      finalizedTimestamp: nullable(text),
    }),
  ),
  StreamJoined: event(object({ groupId: id, streamId: id, streamSubject: id, webhooks })),
  /** The stream of a join was never created. */
  StreamWithdrawn: event(object({ streamId: id })),
  /** A stream has ended. `attempt` is the stream's, absent for the upload. */
  StreamFinished: event(object({ streamId: id, outcome }, { attempt: ordinal })),
  /** A finished stream runs again. `outcome` is that of the attempt before. */
  StreamReopened: event(object({ streamId: id, attempt: ordinal, outcome })),
  GroupCompleted: event(nothing),
  GroupFailed: event(nothing),
  /** The data of a stream of the group have expired. */
  StreamLeftExpired: event(object({ streamId: id })),
  GroupExpired: event(nothing),
};

export type GroupEvent = EventOf<typeof GROUP_EVENTS>;
export const GROUP_EVENT_TYPES: readonly string[] = Object.keys(GROUP_EVENTS);
export const isGroupEvent = guardOf(GROUP_EVENTS);

export const groupEventStream = (groupId: string): string => `group-${groupId}`;
