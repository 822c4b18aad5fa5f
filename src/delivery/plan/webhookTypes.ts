import type { GroupEvent } from '../../domain/group/events.ts';
import type { StreamEvent } from '../../domain/stream/events.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { WebhookEndpoint } from '../../domain/stream/streamConfiguration.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { WebhookPayload } from '../../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';

/** Renderer version (`send/rendering.ts`) of new deliveries for each kind of payload. Each fact names its own. */
export const RENDERER_OF: Readonly<Record<WebhookPayload, number>> = { full: 2, slim: 3 };

export const PING = 'ping';

/** A dynamic webhook, and the stream that named it first. */
export interface DynamicTarget {
  readonly endpoint: WebhookEndpoint;
  readonly streamId: string;
}

/** What the body of a webhook needs beside its event: the stream or group as of the event's revision. */
export type EventContext =
  | { readonly kind: 'stream'; readonly stream: StreamAggregate }
  | { readonly kind: 'group'; readonly groupId: string; readonly creatorId: string; readonly targets: readonly DynamicTarget[] }
  | { readonly kind: 'seal' }
  | { readonly kind: 'request' };

/**
 * The webhook types of each event: the only place that says which events send webhooks. The compiler asks for every event of a stream or group, so a
 * new one gets its types, or `[]` if it sends none.
 */
const WEBHOOKS_OF: Readonly<Record<StreamEvent['type'] | GroupEvent['type'] | 'LogSealed' | 'PingRequested', readonly string[]>> = {
  StreamCreated: ['stream.ready', 'gateway.connected'],
  UploadCompleted: ['gateway.disconnected', 'gateway.closed'],
  UploadFailed: ['gateway.error'],
  ProcessorStarted: ['processor.running'],
  ProcessorCompleted: ['processor.completed'],
  ProcessorFailed: ['processor.error'],
  EngineAwaited: [],
  EngineReturned: [],
  EngineChosen: [],
  StreamCanceled: ['stream.failed', 'gateway.closed'],
  StreamCompleted: ['stream.completed'],
  StreamFailed: ['stream.failed'],
  RerunStarted: [],
  OwnGroupShared: [],
  StreamRenamed: [],
  RetentionExtended: [],
  StreamExpired: ['stream.expired'],
  GroupCreated: ['group.created'],
  GroupContinued: [],
  StreamJoined: ['group.stream-joined'],
  StreamWithdrawn: [],
  StreamFinished: [],
  StreamReopened: [],
  GroupCompleted: ['group.completed'],
  GroupFailed: ['group.failed'],
  StreamLeftExpired: [],
  GroupExpired: ['group.expired'],
  LogSealed: [AUDIT_SEALED],
  PingRequested: [PING],
};

/** What the events of a stream mean for the group that it has to itself (`domain/group/ownGroup.ts`). */
const WEBHOOKS_OF_OWN_GROUP: Readonly<Partial<Record<string, readonly string[]>>> = {
  StreamCreated: ['group.created', 'group.stream-joined'],
  StreamCompleted: ['group.completed'],
  StreamFailed: ['group.failed'],
  StreamCanceled: ['group.failed'],
  StreamExpired: ['group.expired'],
} satisfies Partial<Record<StreamEvent['type'], readonly string[]>>;

/** Event types of the log that cause webhooks, except the request for a ping, which concerns one endpoint only. */
export const WEBHOOK_SOURCE_TYPES: readonly string[] = Object.entries(WEBHOOKS_OF)
  .filter(([type, types]) => types.length > 0 && type !== 'PingRequested')
  .map(([type]) => type);

const hasTypes = (type: string): type is keyof typeof WEBHOOKS_OF => Object.hasOwn(WEBHOOKS_OF, type);

/** A cancellation closes the gateway only during the upload. */
const streamTypes = (type: string, { upload }: StreamAggregate): readonly string[] => {
  const types = hasTypes(type) ? WEBHOOKS_OF[type] : [];
  return type !== 'StreamCanceled' || upload.state === 'failed' ? types : types.filter((one) => one !== 'gateway.closed');
};

/** Webhook types of an event, in order. A group begins before its first stream, and ends after it. */
export const webhookTypes = ({ type }: RecordedEvent, context: EventContext): readonly string[] => {
  if (context.kind !== 'stream') return hasTypes(type) ? WEBHOOKS_OF[type] : [];
  const types = streamTypes(type, context.stream);
  const ofGroup = context.stream.ownGroup?.shared === null ? (WEBHOOKS_OF_OWN_GROUP[type] ?? []) : [];
  return type === 'StreamCreated' ? [...ofGroup, ...types] : [...types, ...ofGroup];
};

/** Dynamic webhooks receive stream and group events only. */
export const isDynamicType = (type: string): boolean => type.startsWith('stream.') || type.startsWith('group.');

/** The dynamic webhooks of the event's stream or group. Empty for an erased owner. */
export const dynamicTargets = (context: EventContext): readonly DynamicTarget[] => {
  if (context.kind === 'group') return context.targets;
  if (context.kind === 'request' || context.kind === 'seal') return [];
  const { streamId, configuration } = context.stream.stream;
  // An erased URL is `null`.
  return configuration.dynamicWebhookEndpoints.filter(({ url }) => url !== null).map((endpoint) => ({ endpoint, streamId }));
};

/** Id of a webhook event: the same for every endpoint and every retry. */
export const webhookEventId = (sourceEventId: string, type: string): string => uuidv5(sourceEventId, type);
