import type { StoredEvent } from './eventStore.ts';

/** What a reading of the whole log may select by. All that is given must hold. */
export interface EventFilter {
  readonly eventStream?: string;
  /** The part of the event stream's name before the first `-`; the whole name when there is none. */
  readonly category?: string;
  readonly types?: readonly string[];
  readonly id?: string;
  /** `metadata.subject`. */
  readonly subject?: string;
  /** `metadata.$correlationId`. */
  readonly correlationId?: string;
  /** Bounds of `metadata.time`, inclusive, in the form that the product writes: ISO 8601 with milliseconds, UTC. */
  readonly from?: string;
  readonly to?: string;
}

export const categoryOf = (eventStream: string): string => eventStream.split('-', 1)[0] ?? '';

/** For stores that cannot select by themselves. */
export const matches = (filter: EventFilter, { eventStream, id, type, metadata }: StoredEvent): boolean => {
  const { time } = metadata;
  return (
    (filter.eventStream === undefined || filter.eventStream === eventStream) &&
    (filter.category === undefined || filter.category === categoryOf(eventStream)) &&
    (filter.types === undefined || filter.types.includes(type)) &&
    (filter.id === undefined || filter.id === id) &&
    (filter.subject === undefined || filter.subject === metadata.subject) &&
    (filter.correlationId === undefined || filter.correlationId === metadata.$correlationId) &&
    (filter.from === undefined || (typeof time === 'string' && time >= filter.from)) &&
    (filter.to === undefined || (typeof time === 'string' && time <= filter.to))
  );
};
