import type { PatchValue } from './types.ts';

export interface StreamSettings {
  /** Template of the stream: its id or name. */
  readonly template: string;
  /** UUID of the new stream. Default: a random one. */
  readonly id?: string;
  readonly name?: string;
  /** Under which the upload is downloaded again, such as `episode-1.mp3`. */
  readonly fileName?: string;
  readonly labels?: readonly string[];
  /** UUID of the group that it joins. Default: a group of its own. */
  readonly groupId?: string;
  /** Keeps the results for export. */
  readonly persist?: boolean;
  /** Keeps the results this long after the end, an ISO 8601 duration such as `P30D`. Implies `persist`. */
  readonly keepFor?: string;
  readonly persistTags?: readonly string[];
  readonly matchPersistTags?: 'ALL' | 'ANY';
  /** Values by alias or path of the template, such as `{ summary: true }`. Null removes. */
  readonly patches?: Readonly<Record<string, PatchValue>>;
  /** Event types by URL, such as `{ 'https://...': ['stream.completed'] }` or `['*']`. */
  readonly webhooks?: Readonly<Record<string, readonly string[]>>;
}

/** The query of an upload or a WebSocket session. */
export const queryOf = (settings: StreamSettings): URLSearchParams => {
  const { template, id, name, fileName, groupId, persist, keepFor, labels = [], ...others } = settings;
  const { persistTags = [], matchPersistTags, patches = {}, webhooks = {} } = others;
  const query = new URLSearchParams({ streamConfigurationTemplateId: template });
  for (const [key, value] of Object.entries({ id, name, fileName, groupId, persist, keepFor, matchPersistTags }))
    if (value !== undefined) query.append(key, String(value));
  for (const label of labels) query.append('label', label);
  for (const tag of persistTags) query.append('persistTags', tag);
  for (const [key, value] of Object.entries(patches)) for (const one of patchValues(value)) query.append(`patches.${key}`, one);
  for (const [url, events] of Object.entries(webhooks)) for (const event of events) query.append(webhookKey(event), url);
  return query;
};

const patchValues = (value: PatchValue): readonly string[] => {
  if (value === null) return ['-'];
  if (typeof value === 'object') return value.map((item) => escaped(String(item)));
  return [escaped(String(value))];
};

/** Escapes a leading + or -, which the server would read as an operator. */
const escaped = (text: string): string => (/^[+-]/.test(text) ? `\\${text}` : text);

/** Name of the parameter: `webhook`, `webhook.stream` or `webhook.stream.completed`. */
const webhookKey = (event: string): string => (event === '*' ? 'webhook' : `webhook.${event.replace(/\.\*$/, '')}`);
