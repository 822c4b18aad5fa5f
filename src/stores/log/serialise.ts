import { AppendTooLarge, type ExpectedRevision, MAX_APPEND_BYTES, type WrittenEvent } from '../eventStore.ts';

/** -1 for "no stream". Throws `TypeError` on an invalid revision. */
export const checkedRevision = (expected: ExpectedRevision): number => {
  if (expected === 'no stream') return -1;
  if (expected < 0n) throw new TypeError(`Not a revision: ${expected}`);
  return Number(expected);
};

/** No control characters, no unpaired surrogates (SQLite would store something else), no leading `$` (the store's own). */
const NAME = /^(?!\$)[^\p{Cc}\p{Cs}]+$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The name itself. Throws `TypeError` on a name that the log would not return unchanged. */
export const checkedName = (name: string): string => {
  if (!NAME.test(name)) throw new TypeError(`Not a name of an event stream or event type: ${JSON.stringify(name)}`);
  return name;
};

/**
 * Id, type, metadata and data (JSON text) of one event after the other. Throws `TypeError` on unstorable values and `AppendTooLarge`, before
 * anything is sent.
 */
export const serialise = (events: readonly WrittenEvent[]): string[] => {
  if (events.length === 0) throw new TypeError('An append needs at least one event.');
  const fields: string[] = [];
  let bytes = 0;
  for (const { id, type, data, metadata, text } of events) {
    if (!UUID.test(id)) throw new TypeError(`The id of an event is a UUID, not ${JSON.stringify(id)}`);
    const fieldsOfEvent = [id, checkedName(type), text?.metadata ?? toJson(metadata), text?.data ?? toJson(data)];
    for (const field of fieldsOfEvent) bytes += Buffer.byteLength(field);
    fields.push(...fieldsOfEvent);
  }
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  return fields;
};

/** Throws `TypeError` on values that JSON cannot represent (BigInt, cycles). */
const toJson = (value: object): string => {
  const json: unknown = JSON.stringify(value);
  if (typeof json !== 'string' || json[0] !== '{') throw new TypeError('Data and metadata of an event are JSON objects.');
  return json;
};
