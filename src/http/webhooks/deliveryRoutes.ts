import { loadWebhookEndpoints } from '../../commands/webhookEndpoints.ts';
import { ATTEMPT_OUTCOMES } from '../../domain/delivery/events.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { notFound } from '../../domain/problem.ts';
import { visibleEndpoint } from '../../domain/webhookEndpoints/decisions.ts';
import { DELIVERY_STATES, type DeliveryDocument, deliveriesProjection, STATUS_CLASSES } from '../../projections/deliveries.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { behindHead, pendingHeaders } from '../answers/consistency.ts';
import { listParameters, pageAround } from '../answers/page.ts';
import { loaded, readPageIds } from '../answers/readPage.ts';
import { timeRange, type Where } from '../input/timeRange.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryParameters, type QueryValues, type Route } from '../route/route.ts';
import { visibleStream } from '../streams/streamLookup.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { onWebhookEndpoints, webhookOwner } from './webhookOwner.ts';

export interface DeliveryRouteDeps {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  /** Existing excerpts of receivers' answers, by location. */
  readonly excerpts: { read(places: readonly string[]): Promise<ReadonlyMap<string, string>> };
  /** The body of a delivery, byte for byte as sent; `null` if its event has left the log. */
  readonly payloadOf: (delivery: DeliveryDocument) => Promise<string | null>;
}

const ATTEMPT_SCHEMA = s.named(
  'DeliveryAttempt',
  s.resource({
    attempt: { ...s.small, minimum: 1 },
    at: s.time,
    status: { type: ['integer', 'null'], format: 'int32', description: 'Null without an answer.' },
    milliseconds: s.number,
    outcome: s.oneOf(...ATTEMPT_OUTCOMES),
    reason: s.described(s.nullable(s.text), 'Reason of the failure, in a word or two.'),
    response: s.described(s.nullable(s.text), 'First 16 KiB of the answer, kept for 7 days.'),
  }),
);

const DELIVERY_STATE = s.named('DeliveryState', s.oneOf(...DELIVERY_STATES));

const DELIVERY = {
  deliveryId: s.uuid,
  eventId: s.described(s.uuid, '`webhook-id` of every attempt.'),
  type: s.text,
  streamId: s.described(s.nullable(s.uuid), 'Stream it is about. Null for events of groups and for pings.'),
  groupId: s.described(s.nullable(s.uuid), 'Group it is about. Null for events of streams and for pings.'),
  sequence: s.described(s.nullable(s.integer), 'Number of the delivery to this endpoint. Null for a ping.'),
  state: DELIVERY_STATE,
  nextAttempt: s.nullable(s.time),
  deadline: s.time,
  attempts: s.list(ATTEMPT_SCHEMA),
};
const DELIVERY_SCHEMA = s.named('WebhookDelivery', s.resource(DELIVERY));
const DYNAMIC_DELIVERY_SCHEMA = s.named('DynamicWebhookDelivery', s.resource({ ...DELIVERY, url: s.nullable(s.text) }));

const ID = { type: 'string', maxLength: 64 } as const;
const TIME = { type: 'string', maxLength: 64, examples: ['2026-03-01T00:00:00Z'] } as const;

const PARAMETERS = {
  state: { schema: DELIVERY_STATE, description: 'Only deliveries in this state.' },
  ...listParameters('createdTimestamp,desc'),
} as const satisfies QueryParameters;

const SEARCH = {
  type: { schema: ID, description: 'Only deliveries of this event type, such as `stream.completed`.' },
  streamId: { schema: ID, isId: true, description: 'Only deliveries about this stream, and about the group that it has to itself.' },
  eventId: { schema: ID, isId: true, description: 'Only the delivery with this `webhook-id`.' },
  statusClass: {
    schema: s.named('StatusClass', s.oneOf(...STATUS_CLASSES)),
    description: 'Only deliveries whose last attempt got such a status code. `none`: it got no answer.',
  },
  since: { schema: TIME, description: 'Only deliveries scheduled at this time or later. ISO 8601; UTC without an offset.' },
  until: { schema: TIME, description: 'Only deliveries scheduled at this time or earlier. ISO 8601; UTC without an offset.' },
} as const satisfies QueryParameters;

/** Lists deliveries of an endpoint, or of a stream's dynamic webhooks. */
export const deliveryRoutes = (deps: DeliveryRouteDeps): Route[] => [ofEndpoint(deps), payload(deps), ofStream(deps)];

const ofEndpoint = (deps: DeliveryRouteDeps): Route => {
  const shared = onWebhookEndpoints('/{id}/deliveries');
  return defineRoute({
    ...shared,
    operationId: 'findWebhookDeliveries',
    method: 'GET',
    summary: "An endpoint's deliveries, newest first, with their attempts.",
    description: "Each delivery with its newest 100 attempts. The receiver's answers are kept for 7 days.",
    reads: ['deliveries'],
    query: { ...shared.query, ...SEARCH, ...PARAMETERS },
    responses: { 200: { description: 'A page of deliveries.', schema: pageSchema(DELIVERY_SCHEMA) } },
    handle: async (request) => {
      const { id: endpointId } = request.params;
      visibleEndpoint(await loadWebhookEndpoints(deps.log, webhookOwner(request)), endpointId);
      return list(deps, request, { endpointId, ...filterOf(request.query) }, deliveryOf);
    },
  });
};

const payload = (deps: DeliveryRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/deliveries/{deliveryId}/payload'),
    operationId: 'findWebhookDeliveryPayload',
    method: 'GET',
    summary: 'The body of a delivery, exactly as every attempt sends it.',
    description: 'Made again from the event log, so the signature of an attempt can be checked against it.',
    reads: ['deliveries'],
    responses: {
      200: { description: 'The body.', schema: s.anyObject },
      404: { description: 'You have no such delivery, or its event has left the log.' },
    },
    handle: async (request) => {
      const { id: endpointId, deliveryId } = request.params;
      visibleEndpoint(await loadWebhookEndpoints(deps.log, webhookOwner(request)), endpointId);
      const body = await deps.payloadOf(await visibleDelivery(deps, endpointId, deliveryId));
      if (body === null) throw notFound('payload');
      return { status: 200, contentType: 'application/json', body };
    },
  });

/** Receivers may ask before the read model has the delivery, and have made no change for which their read would wait. */
const visibleDelivery = async (deps: DeliveryRouteDeps, endpointId: string, deliveryId: string): Promise<DeliveryDocument> => {
  const find = async () => {
    const found = await deps.readModels.get(deliveriesProjection, deliveryId);
    return found?.endpointId === endpointId ? found : null;
  };
  const known = await find();
  if (known) return known;
  const behind = await behindHead(deps, [deliveriesProjection.name]);
  const found = await find();
  if (found) return found;
  throw notFound('delivery', { headers: pendingHeaders(behind) });
};

const filterOf = ({ type, streamId, eventId, statusClass, since, until }: QueryValues<typeof SEARCH>): Where => ({
  ...(type !== undefined && { type }),
  ...(streamId !== undefined && { source: `${STREAM}${streamId}` }),
  ...(eventId !== undefined && { eventId }),
  ...(statusClass !== undefined && { statusClass }),
  ...timeRange('scheduledAt', since === undefined ? null : timeOf(since, 'since'), until === undefined ? null : timeOf(until, 'until')),
});

const STREAM = 'stream-';
const GROUP = 'group-';

const idOf = (prefix: string, source: string): string | null => (source.startsWith(prefix) ? source.slice(prefix.length) : null);

const ofStream = (deps: DeliveryRouteDeps): Route => {
  const { tag, path, access } = onWebhookEndpoints('/dynamic/{streamId}/deliveries');
  return defineRoute({
    tag,
    path,
    access,
    operationId: 'findDynamicWebhookDeliveries',
    method: 'GET',
    summary: "The deliveries of a stream's dynamic webhooks, newest first.",
    description: 'Each delivery with its URL.',
    reads: ['deliveries', 'streams'],
    query: PARAMETERS,
    responses: { 200: { description: 'A page of deliveries.', schema: pageSchema(DYNAMIC_DELIVERY_SCHEMA) } },
    handle: async (request) => {
      const { stream } = await visibleStream(deps.readModels, request.params.streamId, request.caller);
      return list(deps, request, { streamId: stream.streamId }, (document, responses) => ({
        ...deliveryOf(document, responses),
        url: document.url,
      }));
    },
  });
};

const list = async (
  { readModels, excerpts }: DeliveryRouteDeps,
  { query }: ApiRequest<unknown, QueryValues<typeof PARAMETERS>>,
  filter: Where,
  show: (document: DeliveryDocument, responses: ReadonlyMap<string, string>) => object,
): Promise<ApiResponse> => {
  const { state } = query;
  const listedBy = { where: state === undefined ? filter : { ...filter, state }, newestBy: 'scheduled' };
  const { ids, total } = await readPageIds(readModels, deliveriesProjection, listedBy, query);
  const load = async (some: readonly string[]): Promise<object[]> => {
    const documents = await readModels.getMany(deliveriesProjection, some);
    const places = documents.flatMap(({ attempts }) => attempts.flatMap(({ response }) => response ?? []));
    const responses = places.length === 0 ? new Map<string, string>() : await excerpts.read(places);
    return documents.map((document) => show(document, responses));
  };
  // One at a time: the answers to 100 attempts may take 1.6 MB.
  return { status: 200, body: pageAround(loaded(ids, load, 1), { totalElements: total, numberOfElements: ids.length }, query) };
};

const deliveryOf = (document: DeliveryDocument, responses: ReadonlyMap<string, string>) => {
  const { deliveryId, eventId, type, source, sequence, state, nextAttempt, deadline } = document;
  const attempts = document.attempts.map(({ response, scheduledAt: _, ...attempt }) => ({
    ...attempt,
    response: response === null ? null : (responses.get(response) ?? null),
  }));
  const streamId = idOf(STREAM, source);
  // The events of a stream are those of its group too, while it has the group to itself. Such a group has the stream's id.
  const about = type.startsWith('group.') ? { streamId: null, groupId: streamId ?? idOf(GROUP, source) } : { streamId, groupId: null };
  return { deliveryId, eventId, type, ...about, sequence, state, nextAttempt, deadline, attempts };
};
