import type { JsonObject, Schema, Shape } from '../json.ts';

type Members = Readonly<Record<string, Schema>>;

const exactly = (members: Readonly<Record<string, unknown>>, optional: Members = {}): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: { ...members, ...optional },
  required: Object.keys(members),
  additionalProperties: false,
});

/** An object with exactly these members, and the optional ones. */
export const object = <M extends Members, O extends Members = Record<never, never>>(
  members: M,
  optional?: O,
): Schema<{ -readonly [K in keyof M]: Shape<M[K]> } & { -readonly [K in keyof O]?: Shape<O[K]> }> => exactly(members, optional);
/** The same for a type with a name. The compiler checks that no required member is missing. */
export const objectOf = <T>(members: { readonly [K in keyof T]: Schema }, optional?: { readonly [K in keyof T]?: Schema }): Schema<T> =>
  exactly({ ...members }, { ...optional });
export const list = <T>(items: Schema<T>): Schema<T[]> => ({ type: 'array', items });
export const record = <T>(values: Schema<T>): Schema<Record<string, T>> => ({ type: 'object', additionalProperties: values });
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  const { type, enum: values } = schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) } as Schema<T | null>;
};
export const oneOf = <const V extends string>(...values: V[]): Schema<V> => ({ type: 'string', enum: values });
/**
 * For members of older events only: new ones use `erasable`. Stored encrypted under the key of the event's subject. Reads as `null` once the subject has
 * been erased, although the type does not say so.
 */
export const personal = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, personal: true });
/** A personal member: stored encrypted under the key of the event's subject, and `null` once the subject has been erased. If a stream keeps it, empty it in `stream/erasure.ts` too. */
export const erasable = <T>(schema: Schema<T>): Schema<T | null> => ({ ...schema, personal: true }) as Schema<T | null>;

export const text: Schema<string> = { type: 'string' };
export const id: Schema<string> = { type: 'string', minLength: 1 };
export const flag: Schema<boolean> = { type: 'boolean' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const ordinal: Schema<number> = { type: 'integer', minimum: 1 };
/** Hexadecimal. */
export const sha256: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{64}$' };
export const anyObject: Schema<JsonObject> = { type: 'object' };
export const nothing: Schema<Record<string, never>> = exactly({});

/** The form of one event type in the log, as the log's `EventSchemas` wants it. */
export interface EventForm<Data extends object> {
  readonly version: number;
  readonly schema: Schema<Data>;
  readonly upcast?: Upcast;
}

/** By the version that it reads; returns the next version. Stored events are never rewritten. */
type Upcast = Readonly<Record<number, (data: JsonObject) => JsonObject>>;

/** An event type in its first version. */
export const event = <Data extends object>(schema: Schema<Data>): EventForm<Data> => ({ version: 1, schema });

/** An event type whose form has changed. `upcast` reads every older version; `test/fixtures` has logs of them. */
export const changedEvent = <Data extends object>(version: number, schema: Schema<Data>, upcast: Upcast): EventForm<Data> => ({
  version,
  schema,
  upcast,
});

type EventTable = Readonly<Record<string, EventForm<object>>>;

/** The union of the events of a table. */
export type EventOf<T extends EventTable> = {
  [K in keyof T & string]: { type: K; data: T[K] extends EventForm<infer Data> ? Data : never };
}[keyof T & string];

/** Whether an event of the log belongs to a table. Its data were checked against its schema when it was appended. */
export const guardOf =
  <T extends EventTable>(table: T) =>
  <E extends { type: string; data: object }>(recorded: E): recorded is E & EventOf<T> =>
    Object.hasOwn(table, recorded.type);
