import { isJsonObject, type Json, type JsonSchema } from '../../json.ts';
import type { QueryParameter, QueryParameters, QueryValues } from '../server/route.ts';
import { decodePercent } from './percent.ts';
import { checkFor, type FieldError, validationProblem } from './schemas.ts';
import { idOf } from './uuid.ts';

/** The schema of a parameter's converted value: of the whole array for a list. */
export const valueSchema = ({ schema, list }: QueryParameter): JsonSchema =>
  list && schema.type !== 'array' ? { type: 'array', items: schema } : schema;

/**
 * Creates the check of a route's query: parses the text after the `?` and returns the documented parameters, converted, with defaults. Undocumented
 * ones are ignored. Throws 400 GENERAL_VALIDATION_ERROR with one nested error per parameter: a single one given twice, a boolean other than `true`
 * / `false`, an invalid number or one out of bounds, an invalid percent-encoding.
 */
export const queryCheck = <const Q extends QueryParameters>(parameters: Q): ((rawQuery: string) => QueryValues<Q>) => {
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
  return (rawQuery) => {
    const query: Record<string, Json> = {};
    const errors: FieldError[] = [];
    if (rawQuery !== '') for (const [name, texts] of valuesIn(rawQuery, known)) read(name, texts, known, query, errors);
    if (errors.length > 0) throw validationProblem(errors, 'query');
    check(query, rawQuery.length);
    // The check has just made it one.
    return query as QueryValues<Q>;
  };
};

const never = (name: string): never => {
  throw new Error(`no parameter ${name}`);
};

/** The decoded values of the known names in a query; `null` for each that cannot be decoded. */
export const valuesIn = (rawQuery: string, known: Pick<ReadonlySet<string>, 'has'>): Map<string, (string | null)[]> => {
  const given = new Map<string, (string | null)[]>();
  for (const pair of rawQuery.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === null || !known.has(name)) continue;
    const values = given.get(name) ?? [];
    values.push(equals < 0 ? '' : decode(pair.slice(equals + 1)));
    given.set(name, values);
  }
  return given;
};

/** Each value of a list once, in the order given. Empty items (`?tags=a,,b`) are left out. */
export const distinct = <Item extends string>(items: readonly Item[] = []): Item[] => [...new Set(items.filter((item) => item !== ''))];

/** Decodes one name or value of a form; `null` if the percent-encoding or its UTF-8 is invalid. */
export const decode = (text: string): string | null => decodePercent(text.replaceAll('+', ' '));

const read = (
  name: string,
  texts: readonly (string | null)[],
  known: ReadonlyMap<string, QueryParameter>,
  query: Record<string, Json>,
  errors: FieldError[],
): void => {
  const parameter = known.get(name);
  if (!parameter) return;
  const whole = texts.filter((text) => text !== null);
  if (whole.length < texts.length) errors.push({ field: name, message: 'is not percent-encoded UTF-8' });
  else if (!parameter.list && whole.length > 1) errors.push({ field: name, message: 'is given more than once' });
  else
    query[name] = parameter.list
      ? listOf(whole, parameter).map((item) => idAsKnown(item, parameter))
      : idAsKnown(convert(whole[0] ?? '', parameter.schema), parameter);
};

const listOf = (texts: readonly string[], { schema, list }: QueryParameter): Json[] => {
  const items = list === 'comma' ? texts.flatMap((text) => text.split(',').map(trim).filter(Boolean)) : texts;
  const itemSchema = schema.type === 'array' && isJsonObject(schema.items) ? schema.items : schema;
  return items.map((item) => convert(item, itemSchema));
};

const idAsKnown = (value: Json, { isId }: QueryParameter): Json => (isId && typeof value === 'string' ? idOf(value) : value);

const trim = (text: string): string => text.trim();
const INTEGER = /^-?\d{1,15}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

// A value of another type stays text, and the schema refuses it.
const convert = (text: string, { type }: JsonSchema): Json => {
  if (type === 'integer' && INTEGER.test(text)) return Number(text);
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
};
