import { AUDIT_EVENTS, SEALS_EVENTS } from './audit/events.ts';
import { IMPORTS_EVENTS } from './audit/imports.ts';
import { CREDENTIALS_EVENTS } from './credentials/events.ts';
import { DELIVERY_EVENTS } from './delivery/events.ts';
import type { EventTable } from './eventForms.ts';
import { GROUP_EVENTS } from './group/events.ts';
import { PEOPLE_EVENTS } from './people/events.ts';
import { PROCESSOR_DECLARATIONS_EVENTS } from './processorDeclarations/events.ts';
import { RERUNS_EVENTS } from './reruns/events.ts';
import { SHARES_EVENTS } from './shares/events.ts';
import { STREAM_EVENTS } from './stream/events.ts';
import { UPLOAD_KEY_EVENTS } from './stream/uploadKey.ts';
import { TEMPLATES_EVENTS } from './templates/events.ts';
import { TRANSCRIPT_EVENTS } from './transcript/events.ts';
import { VOCABULARIES_EVENTS } from './vocabularies/events.ts';
import { WEBHOOK_ENDPOINTS_EVENTS } from './webhookEndpoints/events.ts';

/** The tables of all aggregates, by the category of their event streams. */
export const EVENT_TABLES: Readonly<Record<string, EventTable>> = {
  stream: STREAM_EVENTS,
  transcript: TRANSCRIPT_EVENTS,
  uploadKey: UPLOAD_KEY_EVENTS,
  reruns: RERUNS_EVENTS,
  group: GROUP_EVENTS,
  credentials: CREDENTIALS_EVENTS,
  person: PEOPLE_EVENTS,
  templates: TEMPLATES_EVENTS,
  processorDeclarations: PROCESSOR_DECLARATIONS_EVENTS,
  vocabularies: VOCABULARIES_EVENTS,
  shares: SHARES_EVENTS,
  delivery: DELIVERY_EVENTS,
  webhookEndpoints: WEBHOOK_ENDPOINTS_EVENTS,
  seals: SEALS_EVENTS,
  audit: AUDIT_EVENTS,
  imports: IMPORTS_EVENTS,
};

/** The form of every event type in the log, by type. */
export const EVENT_SCHEMAS: EventTable = Object.assign({}, ...Object.values(EVENT_TABLES));
