import { isJsonObject, type JsonSchema } from '../../json.ts';

const schemaAt = (schema: JsonSchema, keyword: string): JsonSchema => {
  const found = schema[keyword];
  return isJsonObject(found) ? found : {};
};

const ordered = (schema: JsonSchema, value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = schemaAt(schema, 'items');
    return value.map((item) => ordered(items, item));
  }
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value);
  if (names.length === 0) return value;
  const properties = schemaAt(schema, 'properties');
  const entries: [string, unknown][] = [];
  for (const name of Object.keys(properties))
    if (Object.hasOwn(value, name)) entries.push([name, ordered(schemaAt(properties, name), value[name])]);
  if (entries.length < names.length) {
    const others = schemaAt(schema, 'additionalProperties');
    const rest = names.filter((name) => !Object.hasOwn(properties, name)).sort();
    for (const name of rest) entries.push([name, ordered(others, value[name])]);
  }
  return Object.fromEntries(entries);
};

/**
 * The same JSON with its members in a fixed order: those of the schema in its order, then the others by name. Answers from memory and from the store
 * (whose events are canonical text) are then equal. Changes only the order of members.
 */
export const inMemberOrder = <T>(schema: JsonSchema, value: T): T => ordered(schema, value) as T;
