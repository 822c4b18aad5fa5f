import type { JsonSchema } from '../../json.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemaAt = (schema: JsonSchema, keyword: string): JsonSchema => {
  const found = schema[keyword];
  return isObject(found) ? found : {};
};

const ordered = (schema: JsonSchema, value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = schemaAt(schema, 'items');
    return value.map((item) => ordered(items, item));
  }
  if (!isObject(value)) return value;
  const properties = schemaAt(schema, 'properties');
  const others = schemaAt(schema, 'additionalProperties');
  const known = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const rest = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? schemaAt(properties, name) : others);
  return Object.fromEntries([...known, ...rest.sort()].map((name) => [name, ordered(schemaOf(name), value[name])]));
};

/**
 * The same JSON with its members in one order: those that the schema names, as it names them, then the others by name. What comes from memory and
 * what comes from the store, whose events are canonical text, is then the same answer.
 */
// Only the order of members changes.
export const inOrder = <T>(schema: JsonSchema, value: T): T => ordered(schema, value) as T;
