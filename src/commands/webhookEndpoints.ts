import { randomUUID } from 'node:crypto';
import { type Clock, isoTime } from '../clock.ts';
import type { IfMatch } from '../domain/ifMatch.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint as disable,
  type EndpointDraft,
  requestDelivery as request,
  rotateEndpointSecret as rotate,
  rotateAccountSecret as rotateAccount,
  toggleEndpoint as toggle,
  updateEndpoint,
} from '../domain/webhookEndpoints/decisions.ts';
import { type WebhookEndpointsEvent, webhookEndpointsEventStream } from '../domain/webhookEndpoints/events.ts';
import { type WebhookEndpointsState, webhookEndpointsDecider } from '../domain/webhookEndpoints/state.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, type Handled, handle, load } from './handle.ts';

type EndpointsHandled = Handled<WebhookEndpointsState>;

const DAY_MILLISECONDS = 86_400_000;

/** As of now, from the log itself. Rejects with a `Problem` 503 when the log cannot be read. */
export const loadWebhookEndpoints = (log: EventLog, subject: string): Promise<WebhookEndpointsState> =>
  load(log, webhookEndpointsEventStream(subject), webhookEndpointsDecider);

/** Commands about one user's endpoints (`context.subject`), decided one after another: the user's whole set is the boundary. */
const decide = (
  deps: CommandDeps,
  decision: (state: WebhookEndpointsState) => readonly WebhookEndpointsEvent[],
  context: AppendContext,
): Promise<EndpointsHandled> =>
  handle(deps, { eventStream: webhookEndpointsEventStream(context.subject), decider: webhookEndpointsDecider, decide: decision, context });

/**
 * Creates an endpoint (`endpointId` is `null`) or replaces what its owner decides of it. The URL has been judged. Rejects with a `Problem`: 400 for
 * the 21st, 403 for an id that is not the user's, 409 for an `If-Match` that does not.
 */
export const saveWebhookEndpoint = async (
  deps: CommandDeps,
  { endpointId, settings, ifMatch }: { endpointId: string | null; settings: EndpointDraft; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled & { endpointId: string }> => {
  const id = endpointId ?? randomUUID();
  const handled = await decide(
    deps,
    (state) => (endpointId === null ? createEndpoint : updateEndpoint)(state, id, settings, ifMatch),
    context,
  );
  return { ...handled, endpointId: id };
};

/** Nothing is appended when it is so already. Rejects with a `Problem` 403 for an id that is not the user's. */
export const toggleWebhookEndpoint = (
  deps: CommandDeps,
  { endpointId, enabled, ifMatch }: { endpointId: string; enabled: boolean; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled> => decide(deps, (state) => toggle(state, endpointId, enabled, ifMatch), context);

/** Rejects with a `Problem` 403 for an id that is not the user's. */
export const deleteWebhookEndpoint = (
  deps: CommandDeps,
  { endpointId, ifMatch }: { endpointId: string; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled> => decide(deps, (state) => deleteEndpoint(state, endpointId, ifMatch), context);

/**
 * By the platform, with the reason that the owner sees: after a 410 of `url`, or when all has failed for a day. Nothing is appended for an endpoint
 * that is disabled or deleted already, has another URL by now, or was enabled after `failingSince` (ISO 8601).
 */
export const disableWebhookEndpoint = (
  deps: CommandDeps,
  endpoint: Parameters<typeof disable>[1],
  context: AppendContext,
): Promise<EndpointsHandled> => decide(deps, (state) => disable(state, endpoint), context);

/** A new secret signs from now on; the ones before go on beside it for 24 hours. Rejects with a `Problem` 404 for an id that is not the user's. */
export const rotateWebhookSecret = async (
  { clock, ...deps }: CommandDeps & { readonly clock: Clock },
  endpointId: string,
  context: AppendContext,
): Promise<EndpointsHandled & { previousValidUntil: string }> => {
  const previousValidUntil = isoTime(clock.now() + DAY_MILLISECONDS);
  return { ...(await decide(deps, (state) => rotate(state, endpointId, previousValidUntil), context)), previousValidUntil };
};

/** The same for the secret that signs the user's dynamic webhooks. */
export const rotateAccountSecret = async (
  { clock, ...deps }: CommandDeps & { readonly clock: Clock },
  context: AppendContext,
): Promise<EndpointsHandled & { previousValidUntil: string }> => {
  const previousValidUntil = isoTime(clock.now() + DAY_MILLISECONDS);
  return { ...(await decide(deps, (state) => rotateAccount(state, previousValidUntil), context)), previousValidUntil };
};

/**
 * Asks the holder of the user's partition for a ping, a resend or a recovery. Rejects with a `Problem` 404 for an endpoint that is not the user's,
 * 409 for the recovery of a disabled one.
 */
export const requestDelivery = (
  deps: CommandDeps,
  wanted: Parameters<typeof request>[1],
  context: AppendContext,
): Promise<EndpointsHandled> => decide(deps, (state) => request(state, wanted), context);
