/** The public event types of webhooks, in the order of lists. The `webhooks` of the API document say what each means. */
export const WEBHOOK_EVENT_TYPES = [
  'stream.ready',
  'stream.completed',
  'stream.failed',
  'stream.expired',
  'group.created',
  'group.completed',
  'group.failed',
  'group.expired',
  'group.stream-joined',
  'gateway.connected',
  'gateway.disconnected',
  'gateway.closed',
  'gateway.error',
  'processor.running',
  'processor.completed',
  'processor.error',
] as const;

/** A seal was appended to the log. For administrators and auditors only: no wildcard includes it. */
export const AUDIT_SEALED = 'audit.sealed';

/** A transcript has a new revision. */
export const TRANSCRIPT_EDITED = 'transcript.edited';

/** About the owner's other endpoints. */
export const ALERT_TYPES = ['endpoint.failing', 'endpoint.recovered', 'endpoint.disabled'] as const;

/** Types of every user that no wildcard includes: an endpoint gets only those that it names. */
export const NAMED_TYPES = [TRANSCRIPT_EDITED, ...ALERT_TYPES] as const;

/** Types without a slim body: they are small, and about no stream. */
export const FULL_ONLY_TYPES: ReadonlySet<string> = new Set(['ping', ...ALERT_TYPES]);

const BY_NAME_ONLY: ReadonlySet<string> = new Set([AUDIT_SEALED, ...NAMED_TYPES]);

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Event types and wildcards that every user may subscribe to. */
export const WEBHOOK_FILTERS = [...WEBHOOK_EVENT_TYPES, ...NAMED_TYPES, '*', 'stream.*', 'group.*', 'gateway.*', 'processor.*'] as const;

const FILTERS: ReadonlySet<string> = new Set(WEBHOOK_FILTERS);

/** Whether every user may subscribe to it: an event type or a wildcard. */
export const isWebhookFilter = (text: string): boolean => FILTERS.has(text);

const isOfStreamOrGroup = (type: string): boolean => type.startsWith('stream.') || type.startsWith('group.');

/** Event types and wildcards of dynamic webhooks, which an upload names. */
export const DYNAMIC_WEBHOOK_FILTERS: readonly string[] = ['*', 'stream.*', 'group.*', ...WEBHOOK_EVENT_TYPES.filter(isOfStreamOrGroup)];

const DYNAMIC_FILTERS: ReadonlySet<string> = new Set(DYNAMIC_WEBHOOK_FILTERS);

/** Whether dynamic webhooks may have it: an event type or a wildcard. */
export const isDynamicFilter = (text: string): boolean => DYNAMIC_FILTERS.has(text);

/** Whether an endpoint with these `filters` receives an event type. */
export const listensTo = (filters: readonly string[], type: string): boolean =>
  filters.some(
    (filter) =>
      filter === type || (!BY_NAME_ONLY.has(type) && (filter === '*' || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1))))),
  );
