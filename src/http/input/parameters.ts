import { booleanIn, enumValueIn, isJsonObject, type Json, type JsonSchema } from '../../json.ts';
import { decode } from '../../percent.ts';
import type { RawQuery } from '../query/rawQuery.ts';
import type { QueryParameter, QueryParameters, QueryValues } from '../route/route.ts';
import { checkFor, type FieldError, validationProblem } from './schemas.ts';
import { idOf } from './uuid.ts';

/** The schema of a parameter's converted value: of the whole array for a list. */
export const valueSchema = ({ schema, list }: QueryParameter): JsonSchema =>
  list && schema.type !== 'array' ? { type: 'array', items: schema } : schema;

/** How a query is checked. */
export interface QueryRules {
  /** Other parameters are refused. Otherwise they are ignored. */
  readonly isClosed?: boolean;
}

/** Credentials in the query belong to no operation. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['client_id', 'client_secret', 'access_token']);

/**
 * Creates the check of a route's query: returns the documented parameters, converted, with defaults. Throws 400
 * GENERAL_VALIDATION_ERROR with one nested error per parameter: a single one given twice, an invalid boolean or number, one out of bounds, an invalid
 * percent-encoding. Booleans may be `True` or `1`, values of an enum in any case, and lists `x[]` or `x[0]`.
 */
export const queryCheck = <const Q extends QueryParameters>(
  parameters: Q,
  { isClosed = false }: QueryRules = {},
): ((rawQuery: RawQuery) => QueryValues<Q>) => {
  const names = Object.keys(parameters);
  const check = checkFor(
    {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, valueSchema(parameters[name] ?? never(name))])),
      required: names.filter((name) => parameters[name]?.required === true),
    },
    'query',
  );
  const known = new Map(Object.entries(parameters));
  const takes = names.length === 0 ? 'which has no parameters' : `which takes ${names.join(', ')}`;
  return (rawQuery) => {
    const query: Record<string, Json> = {};
    const errors: FieldError[] = [];
    const given = rawQuery.text === '' ? [] : valuesIn(rawQuery, isClosed ? withoutIndex : (name) => knownName(name, known));
    for (const [name, texts] of given) {
      const parameter = known.get(name);
      if (parameter) read(name, texts, parameter, query, errors);
      else if (!CREDENTIAL_PARAMETERS.has(name))
        errors.push({ field: shown(name), message: `is not a parameter of this operation, ${takes}` });
    }
    if (errors.length > 0) throw validationProblem(errors, 'query');
    check(query, rawQuery.text.length);
    // The check has just made it one.
    return query as QueryValues<Q>;
  };
};

/** The name of the list that `x[]` or `x[0]` gives an item of; any other name as it is. */
export const withoutIndex = (name: string): string => name.replace(/\[\d{0,9}\]$/, '');

const knownName = (name: string, known: ReadonlyMap<string, unknown>): string | null => {
  const whole = withoutIndex(name);
  return known.has(whole) ? whole : null;
};

// A name comes from the caller: truncated, so that an answer stays small.
const shown = (name: string): string => name.slice(0, 200);

const never = (name: string): never => {
  throw new Error(`no parameter ${name}`);
};

/** The decoded values in a query by the names that `nameOf` gives them, `null` for one to leave out. A value is `null` if it cannot be decoded. */
const valuesIn = ({ pairs }: RawQuery, nameOf: (name: string) => string | null): Map<string, (string | null)[]> => {
  const given = new Map<string, (string | null)[]>();
  for (const { name: decoded, raw } of pairs) {
    const name = decoded === null ? null : nameOf(decoded);
    if (name === null) continue;
    const values = given.get(name) ?? [];
    values.push(decode(raw));
    given.set(name, values);
  }
  return given;
};

/** Each value of a list once, in the order given. Empty items (`?tags=a,,b`) are left out. */
export const distinct = <Item extends string>(items: readonly Item[] = []): Item[] => [...new Set(items.filter((item) => item !== ''))];

const read = (
  name: string,
  texts: readonly (string | null)[],
  parameter: QueryParameter,
  query: Record<string, Json>,
  errors: FieldError[],
): void => {
  const whole = texts.filter((text) => text !== null);
  if (whole.length < texts.length) errors.push({ field: name, message: 'is not percent-encoded UTF-8' });
  else if (!parameter.list && whole.length > 1) errors.push({ field: name, message: 'is given more than once' });
  else
    query[name] = parameter.list
      ? listOf(whole, parameter).map((item) => idAsKnown(item, parameter))
      : idAsKnown(convert(whole[0] ?? '', parameter.schema), parameter);
};

const listOf = (texts: readonly string[], { schema, list }: QueryParameter): Json[] => {
  const itemSchema = schema.type === 'array' && isJsonObject(schema.items) ? schema.items : schema;
  const isFreeText = itemSchema.type === 'string' && itemSchema.enum === undefined && itemSchema.pattern === undefined;
  const isDivided = list === 'comma' || !isFreeText;
  const items = isDivided ? texts.flatMap((text) => text.split(',').map(trim).filter(Boolean)) : texts;
  return items.map((item) => convert(item, itemSchema));
};

const idAsKnown = (value: Json, { isId }: QueryParameter): Json => (isId && typeof value === 'string' ? idOf(value) : value);

const trim = (text: string): string => text.trim();
const INTEGER = /^-?\d{1,15}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

// A value of another type stays text, and the schema refuses it.
const convert = (text: string, { type, enum: values }: JsonSchema): Json => {
  if (type === 'integer' && INTEGER.test(text)) return Number(text);
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean') return booleanIn(text) ?? text;
  return Array.isArray(values) ? (enumValueIn<Json>(text, values) ?? text) : text;
};
