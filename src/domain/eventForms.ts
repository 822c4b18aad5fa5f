import type { JsonObject, Schema } from '../json.ts';

/**
 * A personal member: stored encrypted under the key of the event's subject, and `null` once the subject has been erased. If a stream keeps it, empty it
 * in `stream/erasure.ts` too.
 */
export const personal = <T>(schema: Schema<T>): Schema<T | null> => ({ ...schema, personal: true }) as Schema<T | null>;
/** A personal member that is a secret: no reading of the log shows it, not even an auditor's. */
export const secret = <T>(schema: Schema<T>): Schema<T | null> => ({ ...personal(schema), secret: true }) as Schema<T | null>;
/**
 * Only for members that were stored before `personal` had `null` in its type: they read as `null` too, but the compiler does not say so. Use `personal` for
 * every new member.
 */
export const personalOfOldEvents = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, personal: true });

/** The form of one event type in the log, as the log's `EventSchemas` wants it. */
export interface EventForm<Data extends object> {
  readonly version: number;
  readonly schema: Schema<Data>;
  readonly upcast?: Upcast;
  /** Personal members are encrypted under a key of the event stream too, so that they can be destroyed before their subject. */
  readonly ownKey?: true;
}

/** By the version that it reads; returns the next version. Stored events are never rewritten. */
type Upcast = Readonly<Record<number, (data: JsonObject) => JsonObject>>;

/** An event type in its first version. */
export const event = <Data extends object>(schema: Schema<Data>): EventForm<Data> => ({ version: 1, schema });

/** An event type in its first version whose event stream has a key of its own. */
export const eventWithKey = <Data extends object>(schema: Schema<Data>): EventForm<Data> => ({ ...event(schema), ownKey: true });

/** An event type whose form has changed. `upcast` reads every older version; `test/fixtures` has logs of them. */
export const changedEvent = <Data extends object>(version: number, schema: Schema<Data>, upcast: Upcast): EventForm<Data> => ({
  version,
  schema,
  upcast,
});

export type EventTable = Readonly<Record<string, EventForm<object>>>;

export type EventOf<T extends EventTable> = {
  [K in keyof T & string]: { type: K; data: T[K] extends EventForm<infer Data> ? Data : never };
}[keyof T & string];

/** Whether an event of the log belongs to a table. Its data were checked against its schema when it was appended. */
export const guardOf =
  <T extends EventTable>(table: T) =>
  <E extends { type: string; data: object }>(recorded: E): recorded is E & EventOf<T> =>
    Object.hasOwn(table, recorded.type);
