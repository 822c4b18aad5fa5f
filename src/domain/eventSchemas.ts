import { AUDIT_EVENTS, SEALS_EVENTS } from './audit/events.ts';
import { IMPORTS_EVENTS } from './audit/imports.ts';
import { CREDENTIALS_EVENTS } from './credentials/events.ts';
import { DELIVERY_EVENTS } from './delivery/events.ts';
import type { EventForm } from './eventForms.ts';
import { GROUP_EVENTS } from './group/events.ts';
import { PROCESSOR_DECLARATIONS_EVENTS } from './processorDeclarations/events.ts';
import { RERUNS_EVENTS } from './reruns/events.ts';
import { STREAM_EVENTS } from './stream/events.ts';
import { UPLOAD_KEY_EVENTS } from './stream/uploadKey.ts';
import { TEMPLATES_EVENTS } from './templates/events.ts';
import { WEBHOOK_ENDPOINTS_EVENTS } from './webhookEndpoints/events.ts';

/** The form of every event type in the log, by type: the tables of all aggregates. */
export const EVENT_SCHEMAS: Readonly<Record<string, EventForm<object>>> = {
  ...STREAM_EVENTS,
  ...UPLOAD_KEY_EVENTS,
  ...RERUNS_EVENTS,
  ...GROUP_EVENTS,
  ...CREDENTIALS_EVENTS,
  ...TEMPLATES_EVENTS,
  ...PROCESSOR_DECLARATIONS_EVENTS,
  ...DELIVERY_EVENTS,
  ...WEBHOOK_ENDPOINTS_EVENTS,
  ...SEALS_EVENTS,
  ...AUDIT_EVENTS,
  ...IMPORTS_EVENTS,
};
