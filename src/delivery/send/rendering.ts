import { isSealsEvent, type SealsEvent } from '../../domain/audit/events.ts';
import { withFormerNames } from '../../domain/formerSchemaNames.ts';
import { isGroupEvent } from '../../domain/group/events.ts';
import { isStreamEvent, type StreamEvent } from '../../domain/stream/events.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { WEBHOOK_STREAM_MEMBERS, type WebhookStream } from '../../domain/stream/streamResource.ts';
import { isTranscriptEvent, type TranscriptEvent } from '../../domain/transcript/events.ts';
import { canonicalJson } from '../../stores/canonicalJson.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { dynamicTargets, type EventContext, isHealthChange, webhookEventId } from '../plan/webhookTypes.ts';

/*
 * Renders events of the log as bodies of webhooks (`docs/webhooks.md`). A retry or resend must send the same bytes as the first attempt, so a version
 * never changes. A new member of a stream is in no version (`WEBHOOK_STREAM_MEMBERS`). Only to show it in webhooks, add a version to `BODY_VERSIONS`.
 * Deliveries keep the version that they were scheduled with.
 */

const GATEWAY_STATES: Readonly<Record<string, string>> = {
  'gateway.connected': 'CONNECTED',
  'gateway.disconnected': 'DISCONNECTED',
  'gateway.closed': 'CLOSED',
  'gateway.error': 'CLOSED',
};

const GROUP_STATES: Readonly<Record<string, string>> = {
  'group.created': 'CREATED',
  'group.completed': 'COMPLETED',
  'group.failed': 'FAILED',
  'group.expired': 'EXPIRED',
};

type ProcessorEvent = Extract<StreamEvent, { type: 'ProcessorStarted' | 'ProcessorCompleted' | 'ProcessorFailed' }>;

const isProcessorEvent = (event: StreamEvent): event is ProcessorEvent =>
  event.type === 'ProcessorStarted' || event.type === 'ProcessorCompleted' || event.type === 'ProcessorFailed';

const processorState = (event: ProcessorEvent): { state: string; details: string | null } => {
  if (event.type === 'ProcessorStarted') return { state: 'RUNNING', details: null };
  if (event.type === 'ProcessorCompleted') return { state: 'COMPLETED', details: event.data.description };
  return { state: 'ERROR', details: event.data.reason };
};

interface Rendered {
  readonly schema: string;
  readonly payload: object;
}

/** The stream in bodies of version 1, which has no `attempt`. Members that the API shows and this list does not are in no body. */
type StreamV1 = Omit<WebhookStream, 'attempt' | 'labels'>;
/** The stream in bodies of version 2. */
type StreamV2 = StreamV1 & { readonly attempt?: number };
/** The stream in bodies of version 4, which have its labels. */
type StreamV4 = StreamV2 & Pick<WebhookStream, 'labels'>;

const webhookStream = ({ stream }: StreamAggregate): WebhookStream =>
  Object.fromEntries(WEBHOOK_STREAM_MEMBERS.map((name) => [name, stream[name]])) as unknown as WebhookStream;

/** A stream that was created before the public names of schemas keeps the former names, and has no `attempt` until it is rerun. */
const streamV4 = (aggregate: StreamAggregate): StreamV4 => {
  const { formerPropertiesSchemas: former } = aggregate;
  const { attempt, ...stream } = webhookStream(aggregate);
  if (!former) return { ...stream, attempt };
  return { ...stream, ...(attempt > 1 && { attempt }), configuration: withFormerNames(stream.configuration, former) };
};

const streamV2 = (aggregate: StreamAggregate): StreamV2 => {
  const { labels: _, ...stream } = streamV4(aggregate);
  return stream;
};

const streamV1 = (aggregate: StreamAggregate): StreamV1 => {
  const { attempt: _, ...stream } = streamV2(aggregate);
  return stream;
};

const streamPayload = (event: RecordedEvent & StreamEvent, type: string, stream: StreamV1): Rendered => {
  const { streamId, groupId, creatorId: subject, state } = stream;
  if (type.startsWith('stream.')) {
    const { dynamicWebhookEndpoints } = stream.configuration;
    return { schema: 'StreamStateEvent', payload: { streamId, groupId, state, subject, stream, dynamicWebhookEndpoints } };
  }
  if (type.startsWith('gateway.'))
    return { schema: 'StreamGatewayStateEvent', payload: { streamId, state: GATEWAY_STATES[type], gatewayHost: null, subject } };
  if (!isProcessorEvent(event)) throw new Error(`${event.type} gives no ${type}`);
  const payload = { streamId, processorConfigurationId: event.data.processorId, ...processorState(event), subject };
  return { schema: 'StreamProcessorStateEvent', payload };
};

/** The line of `tributary audit seals`, with which `tributary audit verify --expect` compares the log. */
const sealLine = ({ id, eventStream, revision, position, type, data, metadata }: RecordedEvent & SealsEvent): string => {
  const { trail, ...first } = data;
  // Version 1 of a seal has no trail. Upcasting adds an empty one.
  const stored = trail === '' ? first : data;
  const [dataText, metadataText] = [canonicalJson(stored), canonicalJson({ ...metadata })];
  const head = JSON.stringify({ id, eventStream, position, type });
  return `${head.slice(0, -1)},"data":${dataText},"metadata":${metadataText},"revision":${JSON.stringify(String(revision))}}`;
};

const sealPayload = (event: RecordedEvent & SealsEvent): object => {
  const { lastEventId, count } = event.data;
  return { revision: String(event.revision), hash: event.metadata.hash, lastEventId, count, line: sealLine(event) };
};

const transcriptPayload = (
  { data: { attempt, revision } }: TranscriptEvent,
  { streamId, groupId, creatorId: subject }: Extract<EventContext, { kind: 'transcript' }>,
): Rendered => ({ schema: 'TranscriptEditedEvent', payload: { streamId, groupId, attempt, revision, subject } });

const isGroupType = (type: string): boolean => type.startsWith('group.');

/** The group of an event of a group, or of a stream with a group of its own. */
const groupIn = (event: RecordedEvent, context: EventContext) => {
  if (context.kind === 'stream') {
    const { streamId, groupId, creatorId: subject } = context.stream.stream;
    return { groupId, subject, joined: { streamId, streamSubject: subject } };
  }
  if (context.kind !== 'group' || !isGroupEvent(event)) return null;
  const { groupId, creatorId: subject } = context;
  if (event.type !== 'StreamJoined') return { groupId, subject, joined: null };
  const { streamId, streamSubject } = event.data;
  return { groupId, subject, joined: { streamId, streamSubject } };
};

const fullPayload = (
  event: RecordedEvent,
  type: string,
  context: EventContext,
  streamOf: (aggregate: StreamAggregate) => StreamV1,
): Rendered => {
  if (context.kind === 'request') return { schema: 'PingEvent', payload: {} };
  if (isHealthChange(event)) return { schema: 'EndpointHealthEvent', payload: { ...event.data, subject: event.metadata.subject } };
  if (context.kind === 'seal' && isSealsEvent(event)) return { schema: 'LogSealedEvent', payload: sealPayload(event) };
  if (context.kind === 'transcript' && isTranscriptEvent(event)) return transcriptPayload(event, context);
  if (context.kind === 'stream' && isStreamEvent(event) && !isGroupType(type)) return streamPayload(event, type, streamOf(context.stream));
  const group = groupIn(event, context);
  if (!group) throw new Error(`${event.type} has no context of the kind ${context.kind}`);
  const { groupId, subject, joined } = group;
  const dynamicWebhookEndpoints = dynamicTargets(context).map(({ endpoint }) => endpoint);
  if (type !== 'group.stream-joined')
    return { schema: 'GroupStateChangedEvent', payload: { groupId, state: GROUP_STATES[type], subject, dynamicWebhookEndpoints } };
  const { streamId, streamSubject } = joined ?? {};
  return { schema: 'GroupStreamJoinedEvent', payload: { groupId, streamId, subject, streamSubject, dynamicWebhookEndpoints } };
};

interface NamedIds {
  readonly subject: string | null;
  readonly streamId: string | null;
  readonly groupId: string | null;
  readonly processorConfigurationId: string | null;
}

const idsIn = (event: RecordedEvent, type: string, context: EventContext): NamedIds => {
  const none = { subject: null, streamId: null, groupId: null, processorConfigurationId: null };
  if (context.kind === 'stream' && !isGroupType(type)) {
    const { streamId, groupId, creatorId: subject } = context.stream.stream;
    const processorConfigurationId = isStreamEvent(event) && isProcessorEvent(event) ? event.data.processorId : null;
    return { subject, streamId, groupId, processorConfigurationId };
  }
  if (context.kind === 'transcript') return { ...none, subject: context.creatorId, streamId: context.streamId, groupId: context.groupId };
  const group = groupIn(event, context);
  if (!group) return none;
  const streamId = type === 'group.stream-joined' ? (group.joined?.streamId ?? null) : null;
  return { ...none, subject: group.subject, streamId, groupId: group.groupId };
};

/** Paths without a host, so that the body keeps its bytes when the platform moves. */
const linksOf = (event: RecordedEvent, { streamId, groupId }: NamedIds): object => ({
  stream: streamId && `/stream-service/api/v1/streams/${streamId}`,
  group: groupId && `/stream-service/api/v1/groups/${groupId}`,
  event: isSealsEvent(event) ? `/audit-service/api/v1/events/${event.id}` : null,
});

/** Ids and links. Its length does not depend on the upload, the configuration or the seal. */
const slimPayload = (event: RecordedEvent, type: string, context: EventContext): Rendered => {
  if (context.kind === 'request') return { schema: 'PingEvent', payload: {} };
  const named = idsIn(event, type, context);
  return { schema: 'SlimEvent', payload: { ...named, links: linksOf(event, named) } };
};

/** A body without its endpoint's id, which goes between `before` and `after`. */
export interface RenderedBody {
  readonly before: string;
  readonly after: string;
}

type Render = (event: RecordedEvent, type: string, context: EventContext) => RenderedBody;

const rendererOf =
  (payloadOf: (event: RecordedEvent, type: string, context: EventContext) => Rendered): Render =>
  (event, type, context) => {
    const { schema, payload } = payloadOf(event, type, context);
    const head = JSON.stringify({ id: webhookEventId(event.id, type), type });
    const tail = JSON.stringify({ timestamp: Date.parse(event.metadata.time), payloadSchema: `tributary.events.v1.${schema}` });
    // Canonical JSON, because an event that was just appended has its members in another order than the same event read from the log.
    const members = Object.entries(payload).map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`);
    return { before: `${head.slice(0, -1)},"webhookEndpointId":`, after: `,${tail.slice(1, -1)},"payload":{${members.join()}}}` };
  };

/**
 * By the version that a fact names: the body of one webhook event for any endpoint. `timestamp` is that of the event.
 * `test/unit/delivery/frozenBodies.test.ts` holds the bytes of each version. Never change or remove one, since pending deliveries name it. Add a version
 * only if bodies should show more, with the next number here and in `NEWEST_BODY_VERSION`, which names the versions of new deliveries.
 */
export const BODY_VERSIONS: Readonly<Record<number, Render>> = {
  1: rendererOf((event, type, context) => fullPayload(event, type, context, streamV1)),
  2: rendererOf((event, type, context) => fullPayload(event, type, context, streamV2)),
  3: rendererOf(slimPayload),
  4: rendererOf((event, type, context) => fullPayload(event, type, context, streamV4)),
};

export const bodyFor = ({ before, after }: RenderedBody, endpointId: string): string => before + JSON.stringify(endpointId) + after;
