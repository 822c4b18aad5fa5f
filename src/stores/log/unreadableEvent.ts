import { type JsonObject, jsonObjectIn } from '../../json.ts';
import type { StoredEvent } from '../eventStore.ts';
import type { RecordedEvent } from './eventLog.ts';

/** The JSON object of a stored text. Other text was changed, or written by another program, and must not block the other events. */
export const storedObject = (text: string): JsonObject => jsonObjectIn(text) ?? { $unreadable: text };

/** Type of another program's event: no follower of the log handles it, whatever its stored type. */
const FOREIGN = '$foreign';

const OWN_METADATA = ['hash', 'schemaVersion', 'subject', 'time'];

const isForeign = ({ metadata }: StoredEvent): boolean => !OWN_METADATA.some((name) => Object.hasOwn(metadata, name));

/** Replaces an event that cannot be decoded: its data and metadata throw the reason. Followers that need neither skip it. */
export const unreadableEvent = (event: StoredEvent, reason: unknown): RecordedEvent => ({
  id: event.id,
  eventStream: event.eventStream,
  revision: event.revision,
  position: event.position,
  type: isForeign(event) ? FOREIGN : event.type,
  get data(): never {
    throw reason;
  },
  get metadata(): never {
    throw reason;
  },
});
