import { randomUUID } from 'node:crypto';
import { type Clock, DAY_MILLISECONDS, isoTime } from '../clock.ts';
import type { IfMatch } from '../domain/ifMatch.ts';
import type { EndpointDraft } from '../domain/webhookEndpoints/decisions.ts';
import * as decide from '../domain/webhookEndpoints/decisions.ts';
import { type WebhookEndpointsEvent, webhookEndpointsEventStream } from '../domain/webhookEndpoints/events.ts';
import { type WebhookEndpointsState, webhookEndpointsDecider } from '../domain/webhookEndpoints/state.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, type Handled, handle, load } from './handle.ts';

type EndpointsHandled = Handled<WebhookEndpointsState>;

/** The current endpoints from the log. Rejects with a `Problem` 503 if the log cannot be read. */
export const loadWebhookEndpoints = (log: EventLog, subject: string): Promise<WebhookEndpointsState> =>
  load(log, webhookEndpointsEventStream(subject), webhookEndpointsDecider);

/** Commands on one user's endpoints (`context.subject`) run one after another: the user's whole set is the boundary. */
const handleEndpoints = (
  deps: CommandDeps,
  decision: (state: WebhookEndpointsState) => readonly WebhookEndpointsEvent[],
  context: AppendContext,
): Promise<EndpointsHandled> =>
  handle(deps, { eventStream: webhookEndpointsEventStream(context.subject), decider: webhookEndpointsDecider, decide: decision, context });

/**
 * Creates an endpoint (`endpointId` is `null`) or replaces the settings of the owner's endpoint. The URL must have been checked. Rejects with a `Problem`: 400 for
 * the 21st, 403 for an id that is not the user's, 409 for an `If-Match` that does not match.
 */
export const saveWebhookEndpoint = async (
  deps: CommandDeps,
  { endpointId, settings, ifMatch }: { endpointId: string | null; settings: EndpointDraft; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled & { endpointId: string }> => {
  const id = endpointId ?? randomUUID();
  const handled = await handleEndpoints(
    deps,
    (state) => (endpointId === null ? decide.createEndpoint : decide.updateEndpoint)(state, id, settings, ifMatch),
    context,
  );
  return { ...handled, endpointId: id };
};

/** Appends nothing if the state is already the same. Rejects with a `Problem` 403 for an id that is not the user's. */
export const toggleWebhookEndpoint = (
  deps: CommandDeps,
  { endpointId, enabled, ifMatch }: { endpointId: string; enabled: boolean; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled> => handleEndpoints(deps, (state) => decide.toggleEndpoint(state, endpointId, enabled, ifMatch), context);

/** Deletes an endpoint. Rejects with a `Problem` 403 for an id that is not the user's. */
export const deleteWebhookEndpoint = (
  deps: CommandDeps,
  { endpointId, ifMatch }: { endpointId: string; ifMatch: IfMatch },
  context: AppendContext,
): Promise<EndpointsHandled> => handleEndpoints(deps, (state) => decide.deleteEndpoint(state, endpointId, ifMatch), context);

/**
 * Disables an endpoint by the platform, with a reason for its owner: after a 410 of `url`, or if all deliveries failed for a day. Appends nothing
 * for an endpoint that is already disabled or deleted, has another URL, or was enabled after `failingSince` (ISO 8601).
 */
export const disableWebhookEndpoint = (deps: CommandDeps, endpoint: decide.Disabling, context: AppendContext): Promise<EndpointsHandled> =>
  handleEndpoints(deps, (state) => decide.disableEndpoint(state, endpoint), context);

/** Reports, by the platform, that an endpoint has begun to fail, or works again. Appends nothing if its owner knows already. */
export const reportEndpointHealth = (
  deps: CommandDeps,
  report: Parameters<typeof decide.reportHealth>[1],
  context: AppendContext,
): Promise<EndpointsHandled> => handleEndpoints(deps, (state) => decide.reportHealth(state, report), context);

interface RotateDeps extends CommandDeps {
  readonly clock: Clock;
}

type Rotated = EndpointsHandled & { readonly previousValidUntil: string };

const rotated = async (
  { clock, ...deps }: RotateDeps,
  rotate: (state: WebhookEndpointsState, previousValidUntil: string) => readonly WebhookEndpointsEvent[],
  context: AppendContext,
): Promise<Rotated> => {
  const previousValidUntil = isoTime(clock.now() + DAY_MILLISECONDS);
  return { ...(await handleEndpoints(deps, (state) => rotate(state, previousValidUntil), context)), previousValidUntil };
};

/** Makes a new signing secret; the previous ones also sign for 24 hours. Rejects with a `Problem` 404 for an id that is not the user's. */
export const rotateWebhookSecret = (deps: RotateDeps, endpointId: string, context: AppendContext): Promise<Rotated> =>
  rotated(deps, (state, until) => decide.rotateEndpointSecret(state, endpointId, until), context);

/** The same for the secret that signs the user's dynamic webhooks. */
export const rotateAccountSecret = (deps: RotateDeps, context: AppendContext): Promise<Rotated> =>
  rotated(deps, decide.rotateAccountSecret, context);

/**
 * Requests a ping, a resend, an attempt at once or a recovery from the holder of the user's partition. Rejects with a `Problem`: 404 if the user has
 * no such endpoint, 409 if a disabled endpoint is to be recovered.
 */
export const requestDelivery = (
  deps: CommandDeps,
  wanted: Parameters<typeof decide.requestDelivery>[1],
  context: AppendContext,
): Promise<EndpointsHandled> => handleEndpoints(deps, (state) => decide.requestDelivery(state, wanted), context);
