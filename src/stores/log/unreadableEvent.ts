import type { JsonObject } from '../../json.ts';
import type { StoredEvent } from '../eventStore.ts';
import type { RecordedEvent } from './eventLog.ts';

/** The JSON object of a stored text. What is none was not written by this platform, or was changed since: it must not keep the rest from being read. */
export const storedObject = (text: string): JsonObject => {
  const value = parsed(text);
  // What JSON.parse gives for an object.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : { $unreadable: text };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Stands for an event that cannot be decoded: who needs its data or metadata is told why by an exception, and all others pass over it. */
export const unreadableEvent = ({ id, eventStream, revision, position, type }: StoredEvent, reason: unknown): RecordedEvent => ({
  id,
  eventStream,
  revision,
  position,
  type,
  get data(): never {
    throw reason;
  },
  get metadata(): never {
    throw reason;
  },
});
