import type { Clock } from '../../clock.ts';
import type { CommandDeps } from '../../commands/handle.ts';
import { loadWebhookEndpoints, rotateAccountSecret, rotateWebhookSecret } from '../../commands/webhookEndpoints.ts';
import type { WebhookSecrets } from '../../commands/webhookSecrets.ts';
import { visibleEndpoint } from '../../domain/webhookEndpoints/decisions.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { onWebhookEndpoints, webhookContext, webhookOwner } from './webhookOwner.ts';
import { ROTATED_SECRET_SCHEMA, SECRET_SCHEMA } from './webhookSchemas.ts';

export interface WebhookSecretRouteDeps extends CommandDeps {
  readonly clock: Clock;
  readonly secrets: WebhookSecrets;
}

const SHOWN = { 200: { description: 'The current secret.', schema: SECRET_SCHEMA } };
const ROTATED = { 200: { description: 'The new secret. Earlier secrets also sign for 24 hours.', schema: ROTATED_SECRET_SCHEMA } };

/** The secrets that sign webhooks: one for each endpoint, and one for each account that signs the dynamic webhooks of its uploads. */
export const webhookSecretRoutes = (deps: WebhookSecretRouteDeps): Route[] => [
  endpointSecret(deps),
  rotateEndpointSecret(deps),
  accountSecret(deps),
  rotateAccount(deps),
];

const endpointSecret = ({ log, clock, secrets }: WebhookSecretRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/secret'),
    operationId: 'getWebhookEndpointSecret',
    holdsSecret: true,
    method: 'GET',
    summary: "The secret that signs an endpoint's webhooks.",
    description: 'Verify incoming webhooks with it. Standard Webhooks libraries accept it as is.',
    responses: SHOWN,
    handle: async (request) => {
      const state = await loadWebhookEndpoints(log, webhookOwner(request));
      const [secret] = secrets.signingSecrets(visibleEndpoint(state, request.params.id), clock.now());
      return { status: 200, body: { secret } };
    },
  });

const rotateEndpointSecret = (deps: WebhookSecretRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/secret/rotate'),
    operationId: 'rotateWebhookEndpointSecret',
    holdsSecret: true,
    method: 'POST',
    summary: 'Replaces the secret of an endpoint. The old one also signs for 24 hours.',
    description: 'Both secrets sign for 24 hours, so you can update receivers without losing events.',
    responses: ROTATED,
    handle: async (request) => {
      const endpointId = request.params.id;
      const { state, previousValidUntil } = await rotateWebhookSecret(deps, endpointId, webhookContext(request));
      const [secret] = deps.secrets.signingSecrets(visibleEndpoint(state, endpointId), deps.clock.now());
      return { status: 200, body: { secret, previousValidUntil } };
    },
  });

const accountSecret = ({ log, clock, secrets }: WebhookSecretRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/account-secret'),
    operationId: 'getWebhookAccountSecret',
    holdsSecret: true,
    method: 'GET',
    summary: "The secret that signs the user's dynamic webhooks.",
    description: 'All dynamic webhooks of a user are signed with this secret.',
    responses: SHOWN,
    handle: async (request) => {
      const owner = webhookOwner(request);
      const [secret] = secrets.accountSecrets(owner, await loadWebhookEndpoints(log, owner), clock.now());
      return { status: 200, body: { secret } };
    },
  });

const rotateAccount = (deps: WebhookSecretRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/account-secret/rotate'),
    operationId: 'rotateWebhookAccountSecret',
    holdsSecret: true,
    method: 'POST',
    summary: "A new secret for the user's dynamic webhooks; the old one signs beside it for 24 hours.",
    description: 'Both sign for 24 hours.',
    responses: ROTATED,
    handle: async (request) => {
      const { state, previousValidUntil } = await rotateAccountSecret(deps, webhookContext(request));
      const [secret] = deps.secrets.accountSecrets(webhookOwner(request), state, deps.clock.now());
      return { status: 200, body: { secret, previousValidUntil } };
    },
  });
