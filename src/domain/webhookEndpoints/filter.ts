import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { Problem } from '../problem.ts';

/**
 * What an event must contain to be sent to an endpoint: by path (`payload.stream.name`), a value, a list of values, or `{prefix}`. All must hold. `null`
 * also fits an absent member, and a list in the event fits if one of its items does.
 */
export type Filter = JsonObject;

export const MAX_PATHS = 10;

const refusal = (message: string): Problem => new Problem('WEBHOOK_CONFIGURATION_ERROR', message);

const isScalar = (value: Json): boolean => value === null || typeof value !== 'object';

const prefixOf = (value: Json): string | null =>
  isJsonObject(value) && typeof value.prefix === 'string' && Object.keys(value).length === 1 ? value.prefix : null;

/** Throws WEBHOOK_CONFIGURATION_ERROR for a path without a name, and for a value of another form. */
export const checkFilter = (filter: Filter): void => {
  for (const [path, wanted] of Object.entries(filter)) {
    const shown = JSON.stringify(path.slice(0, 100));
    if (path.split('.').includes(''))
      throw refusal(`${shown} is not a path. Join names of members with dots, such as payload.stream.name.`);
    const isList = Array.isArray(wanted) && wanted.length > 0 && wanted.every(isScalar);
    if (!isScalar(wanted) && !isList && prefixOf(wanted) === null)
      throw refusal(`The filter of ${shown} must be a value (text, number, true, false or null), a list of values, or {"prefix": text}.`);
  }
};

const memberAt = (event: Json, path: string): Json => {
  let value: Json = event;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name] ?? null;
  }
  return value;
};

const fits = (found: Json, wanted: Json): boolean => {
  if (Array.isArray(found)) return found.some((item) => fits(item, wanted));
  const prefix = prefixOf(wanted);
  if (prefix !== null) return typeof found === 'string' && found.startsWith(prefix);
  return Array.isArray(wanted) ? wanted.some((value) => isDeepStrictEqual(found, value)) : isDeepStrictEqual(found, wanted);
};

export const passes = (filter: Filter, event: Json): boolean =>
  Object.entries(filter).every(([path, wanted]) => fits(memberAt(event, path), wanted));
