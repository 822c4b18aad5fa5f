import type { JsonSchema } from '../json.ts';
import { count, named, resource, text, textOrNull, time } from './jsonSchemas.ts';

/** Bodies and answers of the notification service: contract, section 4. */

/** What GET gave can be PUT back: members that only the platform sets are ignored. */
export const SAVED_ENDPOINT_SCHEMA: JsonSchema = {
  title: 'WebhookEndpointDraft',
  type: 'object',
  required: ['url', 'events'],
  properties: {
    id: { ...textOrNull, description: 'Of the endpoint to replace; absent, null or empty: a new one.' },
    url: { type: 'string', maxLength: 2_048, description: 'http or https, not to a local address.' },
    events: { type: 'array', minItems: 1, items: text, description: 'Event types, and the wildcards * and <resource>.*' },
    enabled: { type: ['boolean', 'null'], description: 'Default: true.' },
    description: { ...textOrNull, maxLength: 1_024 },
  },
};

/** A body that has passed `SAVED_ENDPOINT_SCHEMA`. */
export interface SavedEndpoint {
  id?: string | null;
  url: string;
  events: string[];
  enabled?: boolean | null;
  description?: string | null;
}

const secret: JsonSchema = { type: 'string', description: '`whsec_` and the base64 of 32 bytes, as Standard Webhooks has it.' };
export const SECRET_SCHEMA = named('WebhookSecret', resource({ secret }));
export const ROTATED_SECRET_SCHEMA = named('RotatedWebhookSecret', resource({ secret, previousValidUntil: time }));

export const PING_SCHEMA = named('WebhookTest', resource({ deliveryId: text }));
export const RECOVERED_SCHEMA = named('ScheduledRecovery', resource({ scheduled: count }));

export const RECOVERY_SCHEMA: JsonSchema = {
  title: 'Recovery',
  type: 'object',
  properties: {
    since: { type: ['string', 'null'], format: 'date-time', description: 'From this time on.' },
    after: { type: ['string', 'null'], maxLength: 128, description: 'From behind this position of the log on.' },
  },
  description: 'Exactly one of the two.',
};

/** A body that has passed `RECOVERY_SCHEMA`. */
export interface Recovery {
  since?: string | null;
  after?: string | null;
}
