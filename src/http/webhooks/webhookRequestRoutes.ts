import {
  type ManualRequestDeps,
  requestPing,
  requestRecovery,
  requestResend,
  requestSendNow,
  webhookRequestsUnderWay,
} from '../../commands/webhookRequests.ts';
import { timeOf } from '../../domain/parseTime.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { isPosition } from '../../stores/log/isPosition.ts';
import { invalid } from '../input/schemas.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { onWebhookEndpoints, webhookContext } from './webhookOwner.ts';
import {
  DOCUMENTED_RECOVERY_SCHEMA,
  PING_SCHEMA,
  RECOVERED_SCHEMA,
  RECOVERY_EXAMPLES,
  RECOVERY_SCHEMA,
  type Recovery,
} from './webhookSchemas.ts';

/** Read models that show the results of these requests. */
const TOUCHED = ['deliveries'];

/** An owner's requests to the deliverer: a ping, a resend, an attempt at once or a recovery. */
export const webhookRequestRoutes = (given: Omit<ManualRequestDeps, 'underWay'>): Route[] => {
  const deps = { ...given, underWay: webhookRequestsUnderWay(given.clock) };
  return [ping(deps), resend(deps), sendNow(deps), recover(deps)];
};

const ping = (deps: ManualRequestDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/test'),
    operationId: 'testWebhookEndpoint',
    method: 'POST',
    summary: 'Sends one `ping` in one attempt, also to a disabled endpoint.',
    description: "The delivery shows the receiver's answer.",
    responses: { 202: { description: 'The id of the delivery.', schema: PING_SCHEMA } },
    handle: async (request) => {
      const { deliveryId, position } = await requestPing(deps, request.params.id, webhookContext(request), request.signal);
      return { status: 202, body: { deliveryId }, consistency: { position, projections: TOUCHED } };
    },
  });

const resend = (deps: ManualRequestDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/deliveries/{deliveryId}/resend'),
    operationId: 'resendWebhookDelivery',
    method: 'POST',
    summary: 'Sends an ended delivery once more, in one attempt with the same bytes.',
    description:
      'Works for every ended delivery, also of a disabled endpoint. Attempt numbers continue. Waits until the read models have caught up. After 10 s it answers 503, and is carried out later if they catch up within an hour.',
    responses: { 202: { description: 'The delivery is scheduled once more.' }, 409: { description: 'The delivery is still pending.' } },
    handle: async (request) => {
      const { id: endpointId, deliveryId } = request.params;
      const { position } = await requestResend(deps, { endpointId, deliveryId }, webhookContext(request), request.signal);
      return { status: 202, consistency: { position, projections: TOUCHED } };
    },
  });

const sendNow = (deps: ManualRequestDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/deliveries/{deliveryId}/send-now'),
    operationId: 'sendWebhookDeliveryNow',
    method: 'POST',
    summary: 'Makes the next attempt of a pending delivery at once, also to an endpoint that is held.',
    description: 'Further retries follow as scheduled.',
    responses: { 202: { description: 'The attempt is due.' }, 409: { description: 'The delivery has ended. Resend it instead.' } },
    handle: async (request) => {
      const { id: endpointId, deliveryId } = request.params;
      const { position } = await requestSendNow(deps, { endpointId, deliveryId }, webhookContext(request), request.signal);
      return { status: 202, consistency: { position, projections: TOUCHED } };
    },
  });

const recover = (deps: ManualRequestDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/recover'),
    operationId: 'recoverWebhookDeliveries',
    method: 'POST',
    summary:
      'Schedules every event the endpoint has missed since a time or after a log position. Idempotent: repeating it schedules nothing twice.',
    description:
      'Covers events that match the current filter and that failed, were exhausted, or were never scheduled, including events older than the endpoint. They are sent stream by stream. Waits until the read models have caught up. After 10 s it answers 503, and is carried out later if they catch up within an hour.',
    body: {
      kind: 'json',
      schema: RECOVERY_SCHEMA,
      documented: DOCUMENTED_RECOVERY_SCHEMA,
      limitBytes: 4_096,
      examples: RECOVERY_EXAMPLES,
    },
    responses: {
      202: { description: 'The number of scheduled deliveries.', schema: RECOVERED_SCHEMA },
      409: { description: 'The endpoint is disabled. Enable it first.' },
    },
    handle: async (request) => {
      const recovery = { endpointId: request.params.id, ...(await startOf(deps.log, request.body)) };
      const { scheduled, position } = await requestRecovery(deps, recovery, webhookContext(request), request.signal);
      return { status: 202, body: { scheduled }, consistency: { position, projections: TOUCHED } };
    },
  });

/** Where a recovery starts. Throws GENERAL_VALIDATION_ERROR for both, neither, or an invalid time or position. */
const startOf = async (log: EventLog, { since, after }: Recovery): Promise<{ since: string | null; after: string | null }> => {
  const [time, position] = [since ?? null, after ?? null];
  if ((time === null) === (position === null)) throw invalid('since', 'or after is required, but not both', 'body');
  if (time !== null) return { since: timeOf(time, 'since'), after: null };
  if (position !== null && !(await isPosition(log, position))) throw invalid('after', 'is not a position of the log', 'body');
  return { since: null, after: position };
};
