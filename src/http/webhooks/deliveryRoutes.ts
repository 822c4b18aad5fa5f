import { loadWebhookEndpoints } from '../../commands/webhookEndpoints.ts';
import { visibleEndpoint } from '../../domain/webhookEndpoints/decisions.ts';
import { type DeliveryDocument, deliveriesProjection } from '../../projections/deliveries.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { itemTexts } from '../answers/itemTexts.ts';
import { PAGE_PARAMETERS, type PageRequest, pageAround } from '../answers/page.ts';
import { readPageIds } from '../answers/readPage.ts';
import {
  described,
  integerOrNull,
  listOf,
  named,
  number,
  oneOf,
  resource,
  small,
  text,
  textOrNull,
  time,
  timeOrNull,
  uuid,
} from '../input/jsonSchemas.ts';
import { numberValue, textValue } from '../input/queryValues.ts';
import type { ApiRequest, ApiResponse, QueryParameter, Route } from '../server/route.ts';
import { visibleStream } from '../streams/streamLookup.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { onWebhookEndpoints, webhookOwner } from './webhookOwner.ts';

export interface DeliveryRouteDeps {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  /** What receivers answered, as far as it is still kept, by where it lies. */
  readonly excerpts: { read(places: readonly string[]): Promise<ReadonlyMap<string, string>> };
}

const ATTEMPT_SCHEMA = named(
  'DeliveryAttempt',
  resource({
    attempt: { ...small, minimum: 1 },
    at: time,
    status: { type: ['integer', 'null'], format: 'int32', description: 'Null without an answer.' },
    milliseconds: number,
    outcome: oneOf('delivered', 'failed', 'refused', 'exhausted'),
    reason: described(textOrNull, 'Reason of the failure, in a word or two.'),
    response: described(textOrNull, 'First 16 KiB of the answer, kept for 7 days.'),
  }),
);

const STATES = ['pending', 'delivered', 'failed', 'refused', 'exhausted'] as const;

const DELIVERY_STATE = named('DeliveryState', oneOf(...STATES));

const DELIVERY = {
  deliveryId: uuid,
  eventId: described(uuid, '`webhook-id` of every attempt.'),
  type: text,
  sequence: described(integerOrNull, 'Number of the delivery to this endpoint. Null for a ping.'),
  state: DELIVERY_STATE,
  nextAttempt: timeOrNull,
  deadline: time,
  attempts: listOf(ATTEMPT_SCHEMA),
};
const DELIVERY_SCHEMA = named('WebhookDelivery', resource(DELIVERY));
const DYNAMIC_DELIVERY_SCHEMA = named('DynamicWebhookDelivery', resource({ ...DELIVERY, url: textOrNull }));

const PARAMETERS: Readonly<Record<string, QueryParameter>> = {
  state: { schema: DELIVERY_STATE, description: 'Only deliveries in this state.' },
  ...PAGE_PARAMETERS,
};

/** What became of the webhooks of an endpoint, or of a stream's dynamic ones: contract, section 4. */
export const deliveryRoutes = (deps: DeliveryRouteDeps): Route[] => [ofEndpoint(deps), ofStream(deps)];

const ofEndpoint = (deps: DeliveryRouteDeps): Route => {
  const shared = onWebhookEndpoints('/{id}/deliveries');
  return {
    ...shared,
    operationId: 'findWebhookDeliveries',
    method: 'GET',
    summary: "An endpoint's deliveries, newest first, with every attempt.",
    description: "Each delivery with its attempts. The receiver's answers are kept for 7 days.",
    reads: ['deliveries'],
    query: { ...shared.query, ...PARAMETERS },
    responses: { 200: { description: 'A page of deliveries.', schema: pageSchema(DELIVERY_SCHEMA) } },
    handle: async (request) => {
      const endpointId = request.params.id ?? '';
      visibleEndpoint(await loadWebhookEndpoints(deps.log, webhookOwner(request)), endpointId);
      return listed(deps, request, { endpointId }, shown);
    },
  };
};

const ofStream = (deps: DeliveryRouteDeps): Route => {
  const { tag, path, access } = onWebhookEndpoints('/dynamic/{streamId}/deliveries');
  return {
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
      const { stream } = await visibleStream(deps.readModels, request.params.streamId ?? '', request.caller);
      return listed(deps, request, { streamId: stream.streamId }, (document, responses) => ({
        ...shown(document, responses),
        url: document.url,
      }));
    },
  };
};

const listed = async (
  { readModels, excerpts }: DeliveryRouteDeps,
  { query, caller }: ApiRequest,
  of: NonNullable<FindOptions['where']>,
  show: (document: DeliveryDocument, responses: ReadonlyMap<string, string>) => object,
): Promise<ApiResponse> => {
  const request: PageRequest = { page: numberValue(query, 'page') ?? 0, size: numberValue(query, 'size') ?? 10 };
  const state = textValue(query, 'state');
  const listedBy = { where: state === undefined ? of : { ...of, state }, newestBy: 'scheduled' };
  const { ids, total } = await readPageIds(readModels, deliveriesProjection, listedBy, request);
  const load = async (some: readonly string[]): Promise<object[]> => {
    const documents = await readModels.getMany(deliveriesProjection, some);
    const places = documents.flatMap(({ attempts }) => attempts.flatMap(({ response }) => response ?? []));
    const responses = places.length === 0 ? new Map<string, string>() : await excerpts.read(places);
    return documents.map((document) => show(document, responses));
  };
  const content = itemTexts(ids, { user: caller.subject, load });
  return { status: 200, body: pageAround(content, { totalElements: total, numberOfElements: ids.length }, request) };
};

const shown = (document: DeliveryDocument, responses: ReadonlyMap<string, string>) => {
  const { deliveryId, eventId, type, sequence, state, nextAttempt, deadline } = document;
  const attempts = document.attempts.map(({ response, ...attempt }) => ({
    ...attempt,
    response: response === null ? null : (responses.get(response) ?? null),
  }));
  return { deliveryId, eventId, type, sequence, state, nextAttempt, deadline, attempts };
};
