import { Problem } from '../../domain/problem.ts';
import { type RequestedWebhook, webhooksOfMap } from '../../domain/stream/dynamicWebhooks.ts';
import { patchesOfMap, type RequestedPatch } from '../../domain/templates/patches.ts';
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH } from '../../json.ts';
import { parseJson } from '../input/body.ts';

/** Settings that the configuration part of a multipart upload adds to its query. */
export interface ConfigurationPart {
  readonly patches: readonly RequestedPatch[];
  readonly webhooks: readonly RequestedWebhook[];
}

export const badConfiguration = (message: string): Problem => new Problem('HTTP_STREAM_CONFIGURATION_ERROR', message);

const mapOf = (part: JsonObject, member: 'patches' | 'webhook'): JsonObject => {
  const map = Object.hasOwn(part, member) ? (part[member] ?? {}) : {};
  if (!isJsonObject(map)) throw badConfiguration(`The member ${member} of the configuration part must be an object.`);
  return map;
};

/** Like `configurationIn`, for its JSON text, which may have at most `maxValues` values. */
export const configurationPart = (bytes: Uint8Array, maxValues: number): ConfigurationPart => {
  let part: Json;
  try {
    part = parseJson(bytes, maxValues);
  } catch {
    throw badConfiguration(`The configuration part must be JSON in UTF-8 with at most ${maxValues} values and ${MAX_DEPTH} levels.`);
  }
  return configurationIn(part);
};

/**
 * `{"patches": {path: value}, "webhook": {url: [event, ...]}}`, both optional; `type` is ignored. Throws HTTP_STREAM_CONFIGURATION_ERROR for
 * anything else, and the usual refusals of patches and webhooks.
 */
export const configurationIn = (part: Json): ConfigurationPart => {
  if (!isJsonObject(part)) throw badConfiguration('The configuration part must be an object with the members patches and webhook.');
  const unknown = Object.keys(part).find((member) => !['patches', 'webhook', 'type'].includes(member));
  if (unknown !== undefined)
    throw badConfiguration(`Unknown member ${JSON.stringify(unknown.slice(0, 100))} in the configuration part. Allowed: patches, webhook.`);
  const patches = mapOf(part, 'patches');
  const webhook = mapOf(part, 'webhook');
  return { patches: patchesOfMap(patches), webhooks: webhooksOfMap(webhook) };
};
