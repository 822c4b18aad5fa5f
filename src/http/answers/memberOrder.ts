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
  const others = schemaAt(schema, 'additionalProperties');
  const known = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const rest = names.filter((name) => !Object.hasOwn(properties, name));
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? schemaAt(properties, name) : others);
  return Object.fromEntries([...known, ...rest.sort()].map((name) => [name, ordered(schemaOf(name), value[name])]));
};

/**
 * The same JSON with its members in a fixed order: those of the schema in its order, then the others by name. Answers from memory and from the store
 * (whose events are canonical text) are then equal. Changes only the order of members.
 */
export const inMemberOrder = <T>(schema: JsonSchema, value: T): T => ordered(schema, value) as T;
