import type { GroupEvent } from '../../domain/group/events.ts';
import { ownGroupEvents } from '../../domain/group/ownGroup.ts';
import { isStreamEvent, type StreamEvent } from '../../domain/stream/events.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { WebhookEndpoint } from '../../domain/stream/streamConfiguration.ts';
import type { TranscriptEvent } from '../../domain/transcript/events.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import { isWebhookEndpointsEvent, type WebhookEndpointsEvent, type WebhookPayload } from '../../domain/webhookEndpoints/events.ts';
import { ALERT_TYPES, AUDIT_SEALED, FULL_ONLY_TYPES, TRANSCRIPT_EDITED } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';

/** The version of bodies (`BODY_VERSIONS` in `send/rendering.ts`) for new deliveries of each payload. Facts store the version as `renderer`. */
export const NEWEST_BODY_VERSION: Readonly<Record<WebhookPayload, number>> = { full: 4, slim: 3 };

/** The version for a new delivery. */
export const bodyVersionOf = (type: string, payload: WebhookPayload): number =>
  NEWEST_BODY_VERSION[FULL_ONLY_TYPES.has(type) ? 'full' : payload];

export const PING = 'ping';

/** A dynamic webhook, and the stream that named it first. */
export interface DynamicTarget {
  readonly endpoint: WebhookEndpoint;
  readonly streamId: string;
}

/** The stream or group as of an event's revision. The body of a webhook shows it. */
export type EventContext =
  | { readonly kind: 'stream'; readonly stream: StreamAggregate }
  | { readonly kind: 'group'; readonly groupId: string; readonly creatorId: string; readonly targets: readonly DynamicTarget[] }
  | { readonly kind: 'transcript'; readonly streamId: string; readonly groupId: string; readonly creatorId: string }
  | { readonly kind: 'seal' }
  | { readonly kind: 'endpoint' }
  | { readonly kind: 'request' };

/**
 * The webhook types of each event that sends webhooks. Only this file says which events send webhooks: this table, and below it the exceptions of a canceled upload
 * (`streamTypes`), of a stream that has its group to itself (`ownGroupTypes`), of an endpoint's health (`alertType`) and of dynamic webhooks (`isDynamicFilter`). Pings are not here: they go to
 * the endpoint that they were requested for (`requests/answerRequest.ts`). */
const WEBHOOKS_OF: Readonly<
  Partial<
    Record<StreamEvent['type'] | GroupEvent['type'] | TranscriptEvent['type'] | 'LogSealed' | 'EndpointHealthChanged', readonly string[]>
  >
> = {
  StreamCreated: ['stream.ready', 'gateway.connected'],
  UploadCompleted: ['gateway.disconnected', 'gateway.closed'],
  UploadFailed: ['gateway.error'],
  ProcessorStarted: ['processor.running'],
  ProcessorCompleted: ['processor.completed'],
  ProcessorFailed: ['processor.error'],
  StreamCanceled: ['stream.failed', 'gateway.closed'],
  StreamCompleted: ['stream.completed'],
  StreamFailed: ['stream.failed'],
  StreamExpired: ['stream.expired'],
  GroupCreated: ['group.created'],
  StreamJoined: ['group.stream-joined'],
  GroupCompleted: ['group.completed'],
  GroupFailed: ['group.failed'],
  GroupExpired: ['group.expired'],
  TranscriptEdited: [TRANSCRIPT_EDITED],
  TranscriptEditUndone: [TRANSCRIPT_EDITED],
  LogSealed: [AUDIT_SEALED],
  EndpointHealthChanged: ALERT_TYPES,
};

/** Event types of the log that cause webhooks for the endpoints that listen to them. */
export const WEBHOOK_SOURCE_TYPES: readonly string[] = Object.keys(WEBHOOKS_OF);

const BY_EVENT: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(WEBHOOKS_OF));

const typesOf = (eventType: string): readonly string[] => BY_EVENT.get(eventType) ?? [];

/** A cancellation closes the gateway only during the upload. */
const streamTypes = (type: string, { upload }: StreamAggregate): readonly string[] => {
  const types = typesOf(type);
  return type !== 'StreamCanceled' || upload.state === 'failed' ? types : types.filter((one) => one !== 'gateway.closed');
};

/** Those of the group that the stream has to itself. */
const ownGroupTypes = (event: RecordedEvent, { stream, ownGroup }: StreamAggregate): readonly string[] =>
  ownGroup?.shared === null && isStreamEvent(event)
    ? ownGroupEvents(event, stream.streamId, null).flatMap(({ type }) => typesOf(type))
    : [];

type HealthChange = Extract<WebhookEndpointsEvent, { type: 'EndpointHealthChanged' }>;

export const isHealthChange = <E extends { type: string; data: object }>(event: E): event is E & HealthChange =>
  isWebhookEndpointsEvent(event) && event.type === 'EndpointHealthChanged';

const ALERT_OF = { failing: 'endpoint.failing', healthy: 'endpoint.recovered', disabled: 'endpoint.disabled' } as const;

const alertType = ({ data }: HealthChange): (typeof ALERT_TYPES)[number] => ALERT_OF[data.state];

/** The endpoint that an event is about, which does not get it; `null` for other events. */
export const aboutEndpoint = (event: RecordedEvent): string | null => (isHealthChange(event) ? event.data.endpointId : null);

/** Webhook types of an event, in order. A group begins before its first stream, and ends after it. */
export const webhookTypes = (event: RecordedEvent, context: EventContext): readonly string[] => {
  const { type } = event;
  if (isHealthChange(event)) return [alertType(event)];
  if (context.kind !== 'stream') return typesOf(type);
  const types = streamTypes(type, context.stream);
  const ofGroup = ownGroupTypes(event, context.stream);
  return type === 'StreamCreated' ? [...ofGroup, ...types] : [...types, ...ofGroup];
};

/** The dynamic webhooks of the event's stream or group. Empty for an erased owner. */
export const dynamicTargets = (context: EventContext): readonly DynamicTarget[] => {
  if (context.kind === 'group') return context.targets;
  if (context.kind !== 'stream') return [];
  const { streamId, configuration } = context.stream.stream;
  // An erased URL is `null`.
  return configuration.dynamicWebhookEndpoints.filter(({ url }) => url !== null).map((endpoint) => ({ endpoint, streamId }));
};

/** Id of a webhook event: the same for every endpoint and every retry. */
export const webhookEventId = (sourceEventId: string, type: string): string => uuidv5(sourceEventId, type);
