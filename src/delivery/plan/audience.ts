import { passes } from '../../domain/webhookEndpoints/filter.ts';
import type { Endpoint } from '../../domain/webhookEndpoints/state.ts';
import { listensTo } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { Json } from '../../json.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { BODY_VERSIONS, bodyFor } from '../send/rendering.ts';
import { aboutEndpoint, type EventContext, NEWEST_BODY_VERSION } from './webhookTypes.ts';

/** The full event, also for endpoints with slim bodies; `null` if it cannot be rendered. */
const fullEvent = (event: RecordedEvent, type: string, context: EventContext): Json => {
  try {
    const body = BODY_VERSIONS[NEWEST_BODY_VERSION.full]?.(event, type, context);
    return body ? JSON.parse(bodyFor(body, '')) : null;
  } catch {
    return null;
  }
};

/** Says which registered endpoints get a webhook of an event. The event is rendered once, and only for endpoints with a filter. */
export const audienceOf = (event: RecordedEvent, type: string, context: EventContext) => {
  let full: Json | undefined;
  const passesFilter = (filter: Endpoint['filter']): boolean => {
    if (filter === null) return true;
    full ??= fullEvent(event, type, context);
    // The attempt that follows says why it cannot be rendered.
    return full === null || passes(filter, full);
  };
  return ({ endpointId, events, filter }: Pick<Endpoint, 'endpointId' | 'events' | 'filter'>): boolean =>
    listensTo(events, type) && aboutEndpoint(event) !== endpointId && passesFilter(filter);
};
