import { EVENT_SCHEMAS } from '../domain/eventSchemas.ts';
import type { JsonObject } from '../json.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import { hideMembers, personalTree } from '../stores/log/personalMembers.ts';

/** By event type, where its secrets are. */
const SECRETS = new Map(Object.entries(EVENT_SCHEMAS).map(([type, { schema }]) => [type, personalTree(schema, 'secret')]));

/** An event as anyone may see it: with `***` for each secret. */
export const withoutSecrets = (event: RecordedEvent): RecordedEvent => {
  const secrets = SECRETS.get(event.type);
  // The data of an event are JSON.
  return secrets ? { ...event, data: hideMembers(secrets, event.data as JsonObject) } : event;
};
