import { isJsonObject, type JsonSchema } from '../../json.ts';
import { type Html, html, inline } from './html.ts';

const PREFIX = '#/components/schemas/';

const schemasIn = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** A schema in a few words, with links to the named ones. */
export const schemaType = (schema: JsonSchema): Html => {
  const { $ref, type, items, anyOf, oneOf, allOf, additionalProperties, enum: values, const: constant } = schema;
  if (typeof $ref === 'string') return link($ref.replace(PREFIX, ''));
  if (constant !== undefined) return html`<code>${JSON.stringify(constant)}</code>`;
  if (Array.isArray(values)) return alternatives(values.map((value) => html`<code>${String(value)}</code>`));
  const several = anyOf ?? oneOf ?? allOf;
  if (Array.isArray(several)) return alternatives(schemasIn(several).map(schemaType));
  if (isJsonObject(items)) return html`list of ${schemaType(items)}`;
  if (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0)
    return html`map of ${schemaType(additionalProperties)}`;
  return html`${(Array.isArray(type) ? type : [type ?? 'anything']).join(' or ')}${limits(schema)}`;
};

const link = (name: string): Html => html`<a href="/docs/schemas#schema-${name}">${name}</a>`;

const alternatives = (parts: readonly Html[]): Html => html`${parts.map((part, index) => html`${index > 0 ? ' | ' : ''}${part}`)}`;

const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `from ${limit}`,
  maximum: (limit) => `to ${limit}`,
  minLength: (limit) => `at least ${limit} characters`,
  maxLength: (limit) => `at most ${limit} characters`,
  maxItems: (limit) => `at most ${limit} items`,
};

const limits = (schema: JsonSchema): string => {
  const parts = Object.entries(LIMITS).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [words(String(schema[keyword]))],
  );
  if (typeof schema.format === 'string') parts.unshift(schema.format);
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** The members of an object, one row each; otherwise a description of the value. */
export const schemaBody = (schema: JsonSchema): Html => {
  const { properties, required, description } = schema;
  const said = typeof description === 'string' ? html`<p>${inline(description)}</p>` : null;
  if (!isJsonObject(properties)) return html`${said}<p>${schemaType(schema)}</p>`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const rows = Object.entries(properties).map(([name, member]) => {
    const known = isJsonObject(member) ? member : {};
    const words = typeof known.description === 'string' ? inline(known.description) : '';
    return html`<tr><th scope="row"><code>${name}</code>${needed.has(name) ? '' : html` <small>optional</small>`}</th><td>${schemaType(known)}</td><td>${words}</td></tr>`;
  });
  return html`${said}<table><thead><tr><th>Member</th><th>Type</th><th>Description</th></tr></thead><tbody>${rows}</tbody></table>`;
};

/** All named schemas by name, folded. A link to one opens it, because its id is inside. */
export const schemaList = (schemas: Readonly<Record<string, JsonSchema>>): Html =>
  html`${Object.entries(schemas)
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(
      ([name, schema]) =>
        html`<details><summary><h2>${name}</h2></summary><section class="schema" id="schema-${name}" aria-label="${name}">${schemaBody(schema)}</section></details>`,
    )}`;
