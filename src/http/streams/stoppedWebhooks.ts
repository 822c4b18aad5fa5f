import { loadWebhookEndpoints } from '../../commands/webhookEndpoints.ts';
import type { Stream } from '../../domain/stream/streamConfiguration.ts';
import type { WebhookEndpointsState } from '../../domain/webhookEndpoints/state.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { orderedStream } from './orderedStream.ts';

/**
 * Streams as they are shown: a dynamic webhook that the platform has stopped (its receiver answered 410) is disabled, with the reason. That is told
 * in its owner's endpoints, as of now; streams without dynamic webhooks cost no read.
 */
export const withStoppedWebhooks = async (log: EventLog, streams: readonly Stream[]): Promise<Stream[]> => {
  const owners = new Set(streams.filter(hasWebhooks).map(({ creatorId }) => creatorId));
  if (owners.size === 0) return streams.map(orderedStream);
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
    const why = Object.hasOwn(disabledDynamic, endpoint.id) ? disabledDynamic[endpoint.id] : undefined;
    return why ? { ...endpoint, enabled: false, disabledReason: why.reason, disabledTimestamp: why.timestamp } : endpoint;
  });
  return { ...stream, configuration: { ...stream.configuration, dynamicWebhookEndpoints } };
};
