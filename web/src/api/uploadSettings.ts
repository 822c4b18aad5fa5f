import type { Json } from './types.ts';

export const UPLOAD = '/http-gateway/api/v1/upload';

/** Settings that every kind of upload has. */
export interface UploadSettings {
  readonly query: Readonly<Record<string, string | boolean>>;
  /** By alias or path. */
  readonly patches: Readonly<Record<string, Json>>;
  /** Address to event types. */
  readonly webhooks: Readonly<Record<string, readonly string[]>>;
}

/** Patches and webhooks as in a configuration part or message. A text with a leading + or - would be read as an operation. */
export const configurationOf = ({ patches, webhooks }: UploadSettings): object => ({
  patches: Object.fromEntries(
    Object.entries(patches).map(([path, value]) => [path, typeof value === 'string' && /^[+-]/.test(value) ? `\\${value}` : value]),
  ),
  webhook: webhooks,
});

/** Patches in a header, for requests without a configuration part. No patches need no header. */
export const patchHeaders = (patches: UploadSettings['patches']): Readonly<Record<string, string>> => {
  const jsonPatches = Object.entries(patches).map(([path, value]) => ({ op: 'replace', path, value }));
  return jsonPatches.length === 0 ? {} : { 'X-Template-Patch': asciiJson(jsonPatches) };
};

/** JSON that a header can carry. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Webhooks in the query, for requests without a configuration part: `webhook.stream` is `stream.*`. */
export const webhookQuery = (webhooks: UploadSettings['webhooks']): Readonly<Record<string, readonly string[]>> => {
  const query: Record<string, string[]> = {};
  for (const [url, events] of Object.entries(webhooks))
    for (const event of events) {
      const key = event === '*' ? 'webhook' : `webhook.${event.replace(/\.\*$/, '')}`;
      query[key] = [...(query[key] ?? []), url];
    }
  return query;
};
