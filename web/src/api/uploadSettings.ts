import type { Json } from './types.ts';

/** Settings of every kind of upload. */
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
