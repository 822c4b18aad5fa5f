import { withFormerNames } from '../domain/formerSchemaNames.ts';
import { isGroupEvent } from '../domain/group/group.ts';
import { isStreamEvent, type StreamAggregate, type StreamEvent, streamResource } from '../domain/stream/stream.ts';
import type { Stream, WebhookEndpoint } from '../domain/stream/streamConfiguration.ts';
import { uuidv5 } from '../domain/uuidv5.ts';
import { canonicalJson } from '../stores/canonicalJson.ts';
import type { RecordedEvent } from '../stores/eventLog.ts';

/**
 * From events of the log to webhook events: contract, section 11. Pure, and the same for ever: a retry or resend is byte for byte what was sent
 * first. A change of what comes out is a new version beside this one, which goes on rendering what was scheduled under it.
 */
export const RENDERER = 2;

export const PING = 'ping';

/** A dynamic webhook, and the stream that gave it its id. */
export interface DynamicTarget {
  readonly endpoint: WebhookEndpoint;
  readonly streamId: string;
}

/** What an event tells besides itself: its stream or its group as of its revision. */
export type Story =
  | { readonly of: 'stream'; readonly stream: StreamAggregate }
  | { readonly of: 'group'; readonly groupId: string; readonly creatorId: string; readonly targets: readonly DynamicTarget[] }
  | { readonly of: 'request' };

const TYPES: Readonly<Record<string, readonly string[]>> = {
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
  PingRequested: [PING],
};

/** Types of the log that tell of something. A ping's request is not among them: it goes to its endpoint alone. */
export const TOLD_TYPES: readonly string[] = Object.keys(TYPES).filter((type) => type !== 'PingRequested');

/** Webhook types that an event gives, in the order of their sequence. A cancel closes the gateway only where the upload was still going on. */
export const webhookTypes = ({ type }: RecordedEvent, story: Story): readonly string[] => {
  const types = Object.hasOwn(TYPES, type) ? (TYPES[type] ?? []) : [];
  if (type !== 'StreamCanceled' || story.of !== 'stream') return types;
  return story.stream.upload.state === 'failed' ? types : types.filter((one) => one !== 'gateway.closed');
};

/** Dynamic webhooks hear of streams and groups only. */
export const isDynamicType = (type: string): boolean => type.startsWith('stream.') || type.startsWith('group.');

/** The dynamic webhooks that hear of an event: its stream's, or its group's; none of an owner that has been erased. */
export const dynamicTargets = (story: Story): readonly DynamicTarget[] => {
  if (story.of === 'group') return story.targets;
  if (story.of === 'request') return [];
  const { streamId, configuration } = story.stream.stream;
  // An erased URL reads as null.
  return configuration.dynamicWebhookEndpoints.filter(({ url }) => url !== null).map((endpoint) => ({ endpoint, streamId }));
};

export const webhookEventId = (sourceEventId: string, type: string): string => uuidv5(sourceEventId, type);

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

const processorState = (event: ProcessorEvent): { state: string; details: string | null } => {
  if (event.type === 'ProcessorStarted') return { state: 'RUNNING', details: null };
  if (event.type === 'ProcessorCompleted') return { state: 'COMPLETED', details: event.data.description };
  return { state: 'ERROR', details: event.data.reason };
};

interface Rendered {
  readonly schema: string;
  readonly payload: object;
}

/** The Stream as webhook bodies tell it: one that was created before the public names of schemas keeps the former ones. */
const toldStream = (aggregate: StreamAggregate): Stream => {
  const { formerPropertiesSchemas: former } = aggregate;
  const stream = streamResource(aggregate);
  return former ? { ...stream, configuration: withFormerNames(stream.configuration, former) } : stream;
};

/** Version 1 told nothing of attempts. */
type Told = Omit<Stream, 'attempt'>;

const withoutAttempt = (aggregate: StreamAggregate): Told => {
  const { attempt: _, ...stream } = toldStream(aggregate);
  return stream;
};

const streamPayload = (event: RecordedEvent & StreamEvent, type: string, stream: Told): Rendered => {
  const { streamId, groupId, creatorId: subject, state } = stream;
  if (type.startsWith('stream.')) {
    const { dynamicWebhookEndpoints } = stream.configuration;
    return { schema: 'StreamStateEvent', payload: { streamId, groupId, state, subject, stream, dynamicWebhookEndpoints } };
  }
  if (type.startsWith('gateway.'))
    return { schema: 'StreamGatewayStateEvent', payload: { streamId, state: GATEWAY_STATES[type], gatewayHost: null, subject } };
  if (event.type !== 'ProcessorStarted' && event.type !== 'ProcessorCompleted' && event.type !== 'ProcessorFailed')
    throw new Error(`${event.type} gives no ${type}`);
  const payload = { streamId, processorConfigurationId: event.data.processorId, ...processorState(event), subject };
  return { schema: 'StreamProcessorStateEvent', payload };
};

const payloadOf = (event: RecordedEvent, type: string, story: Story, told: (aggregate: StreamAggregate) => Told): Rendered => {
  if (story.of === 'request') return { schema: 'PingEvent', payload: {} };
  if (story.of === 'stream' && isStreamEvent(event)) return streamPayload(event, type, told(story.stream));
  if (story.of !== 'group' || !isGroupEvent(event)) throw new Error(`${event.type} is not told by a ${story.of}`);
  const { groupId, creatorId: subject } = story;
  const dynamicWebhookEndpoints = story.targets.map(({ endpoint }) => endpoint);
  if (event.type !== 'StreamJoined')
    return { schema: 'GroupStateChangedEvent', payload: { groupId, state: GROUP_STATES[type], subject, dynamicWebhookEndpoints } };
  const { streamId, streamSubject } = event.data;
  return { schema: 'GroupStreamJoinedEvent', payload: { groupId, streamId, subject, streamSubject, dynamicWebhookEndpoints } };
};

/** A body without its endpoint's id, which stands between the two. */
export interface RenderedBody {
  readonly before: string;
  readonly after: string;
}

type Render = (event: RecordedEvent, type: string, story: Story) => RenderedBody;

const rendererOf =
  (told: (aggregate: StreamAggregate) => Told): Render =>
  (event, type, story) => {
    const { schema, payload } = payloadOf(event, type, story, told);
    const head = JSON.stringify({ id: webhookEventId(event.id, type), type });
    const tail = JSON.stringify({ timestamp: Date.parse(event.metadata.time), payloadSchema: `tributary.events.v1.${schema}` });
    // Canonical within: an event that was just appended has its members in another order than the same event read from the log.
    const members = Object.entries(payload).map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`);
    return { before: `${head.slice(0, -1)},"webhookEndpointId":`, after: `,${tail.slice(1, -1)},"payload":{${members.join()}}}` };
  };

/** The body of one webhook event for any endpoint. `timestamp` is that of the event. */
export const render = rendererOf(toldStream);

/** By the version that a fact names. */
export const RENDERERS: Readonly<Record<number, Render>> = { 1: rendererOf(withoutAttempt), [RENDERER]: render };

export const bodyFor = ({ before, after }: RenderedBody, endpointId: string): string => before + JSON.stringify(endpointId) + after;
