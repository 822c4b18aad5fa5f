import { hasMoreValues, MAX_VALUES } from '../../countValues.ts';
import { Problem } from '../../domain/problem.ts';
import { type RequestedWebhook, webhooksOfMap } from '../../domain/stream/dynamicWebhooks.ts';
import { patchesOfMap, type RequestedPatch } from '../../domain/templates/patches.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';

export const MAX_CONFIGURATION_PART_BYTES = 1_048_576;

/** Settings that the configuration part of a multipart upload adds to its query. */
export interface ConfigurationPart {
  readonly patches: readonly RequestedPatch[];
  readonly webhooks: readonly RequestedWebhook[];
}

export const badConfiguration = (message: string): Problem => new Problem('HTTP_STREAM_CONFIGURATION_ERROR', message);

const parsed = (bytes: Uint8Array): unknown => {
  if (hasMoreValues(bytes, MAX_VALUES))
    throw badConfiguration(`The configuration part has more than ${MAX_VALUES} members and items. Send fewer.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badConfiguration('The configuration part is not JSON in UTF-8.');
  }
};

const mapOf = (part: JsonObject, member: 'patches' | 'webhook'): JsonObject => {
  const map = Object.hasOwn(part, member) ? (part[member] ?? {}) : {};
  if (!isJsonObject(map)) throw badConfiguration(`The member ${member} of the configuration part must be an object.`);
  return map;
};

/**
 * `{"patches": {path: value}, "webhook": {url: [event, ...]}}`, both optional; `type` is ignored. Throws HTTP_STREAM_CONFIGURATION_ERROR for
 * anything else, and the usual refusals of patches and webhooks.
 */
export const configurationPart = (bytes: Uint8Array): ConfigurationPart => {
  const part = parsed(bytes);
  if (!isJsonObject(part)) throw badConfiguration('The configuration part must be an object with the members patches and webhook.');
  const unknown = Object.keys(part).find((member) => !['patches', 'webhook', 'type'].includes(member));
  if (unknown !== undefined)
    throw badConfiguration(`Unknown member ${JSON.stringify(unknown.slice(0, 100))} in the configuration part. Allowed: patches, webhook.`);
  const patches = mapOf(part, 'patches');
  const webhook = mapOf(part, 'webhook');
  return { patches: patchesOfMap(patches), webhooks: webhooksOfMap(webhook) };
};
