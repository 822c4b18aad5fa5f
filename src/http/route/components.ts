import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonSchema } from '../../json.ts';

const PREFIX = '#/components/schemas/';

/** Keywords whose values are data, not schemas: a `title` in them is not a name. */
const DATA: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'example', 'examples']);

/** Collects the named schemas of a document: each is once under `components`, and referenced everywhere else. */
export class Components {
  readonly #schemas = new Map<string, { readonly source: JsonSchema; shown: object }>();

  /** The schema as shown where it is used. Throws if two schemas have one name. */
  reference(schema: JsonSchema): JsonSchema {
    const { title } = schema;
    if (typeof title !== 'string') return this.#members(schema);
    const known = this.#schemas.get(title);
    if (known && known.source !== schema && !isDeepStrictEqual(known.source, schema)) throw new Error(`two schemas are called ${title}`);
    if (!known) {
      const entry = { source: schema, shown: {} };
      this.#schemas.set(title, entry);
      entry.shown = this.#members(schema);
    }
    return { $ref: `${PREFIX}${title}` };
  }

  schemas(): Readonly<Record<string, object>> {
    const byName = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName.map(([name, { shown }]) => [name, shown]));
  }

  #members(schema: JsonSchema): JsonSchema {
    const shown = isOfSeveralTypes(schema) ? anyValue(schema) : { ...schema, ...integerFormat(schema) };
    const members = Object.entries(shown).filter(([keyword]) => keyword !== 'title');
    return Object.fromEntries(members.map(([keyword, value]) => [keyword, DATA.has(keyword) ? value : this.#value(keyword, value)]));
  }

  #value(keyword: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? this.reference(item) : item));
    if (!isJsonObject(value)) return value;
    // Their members are named by data: a property called `title` is a schema, not a name.
    if (keyword === 'properties' || keyword === 'patternProperties' || keyword === '$defs')
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isJsonObject(item) ? this.reference(item) : item]));
    return this.reference(value);
  }
}

const MAX_INT32 = 2_147_483_647;

/** Generators use 32 bits for an integer without a format, which is too small for times and sizes. */
const integerFormat = ({ type, format, maximum }: JsonSchema): object => {
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  if (!isInteger || format !== undefined) return {};
  return { format: typeof maximum === 'number' && maximum <= MAX_INT32 ? 'int32' : 'int64' };
};

const isOfSeveralTypes = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;

/** Generators cannot handle a member with several types. The document says that it can have any value, and its description names the types. */
const anyValue = ({ description, examples, deprecated }: JsonSchema): JsonSchema => ({
  ...(description !== undefined && { description }),
  ...(examples !== undefined && { examples }),
  ...(deprecated !== undefined && { deprecated }),
});
