import { loadWebhookEndpoints } from '../../commands/webhookEndpoints.ts';
import type { Stream } from '../../domain/stream/streamResource.ts';
import type { WebhookEndpointsState } from '../../domain/webhookEndpoints/state.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { inMemberOrder } from '../answers/memberOrder.ts';
import { STREAM_SCHEMA } from './streamSchemas.ts';

/**
 * Streams as shown: a dynamic webhook that the platform has stopped (its receiver answered 410) is disabled, with the reason. Reads the owner's
 * current endpoints; streams without dynamic webhooks cost no read.
 */
export const shownStreams = async (log: EventLog, streams: readonly Stream[]): Promise<Stream[]> => {
  const owners = new Set(streams.filter(hasWebhooks).map(({ creatorId }) => creatorId));
  const states = await Promise.all([...owners].map(async (owner) => [owner, await loadWebhookEndpoints(log, owner)] as const));
  const byOwner = new Map(states);
  return streams.map((stream) => {
    const state = byOwner.get(stream.creatorId);
    return orderedStream(state && hasWebhooks(stream) ? stopped(stream, state) : stream);
  });
};

const hasWebhooks = ({ configuration }: Stream): boolean => configuration.dynamicWebhookEndpoints.length > 0;

const stopped = (stream: Stream, { disabledDynamic }: WebhookEndpointsState): Stream => {
  const dynamicWebhookEndpoints = stream.configuration.dynamicWebhookEndpoints.map((endpoint) => {
    const why = disabledDynamic.get(endpoint.id);
    return why ? { ...endpoint, enabled: false, disabledReason: why.reason, disabledTimestamp: why.timestamp } : endpoint;
  });
  return { ...stream, configuration: { ...stream.configuration, dynamicWebhookEndpoints } };
};

/** A stream as text, for an answer. */
interface StreamJson {
  readonly body: string;
  readonly contentType: 'application/json';
}

/** One stream as shown, as text. */
export const shownStreamJson = async (log: EventLog, stream: Stream): Promise<StreamJson> => {
  const [shown = stream] = await shownStreams(log, [stream]);
  return asText(shown);
};

/** A stream in the order of its schema, as text. */
export const streamJson = (stream: Stream): StreamJson => asText(orderedStream(stream));

const asText = (stream: Stream): StreamJson => ({ body: JSON.stringify(stream), contentType: 'application/json' });

/** A stream in the order of its schema, whether it comes from memory or from the store. */
export const orderedStream = (stream: Stream): Stream => inMemberOrder(STREAM_SCHEMA, stream);
