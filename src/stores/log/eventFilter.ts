import type { StoredEvent, SubscribeOptions } from '../eventStore.ts';

/** Filters of a read of the whole log. All given filters must match. */
export interface EventFilter {
  readonly eventStream?: string | undefined;
  /** The part of the event stream's name before the first `-`, or the whole name. */
  readonly category?: string | undefined;
  /** Categories to leave out. */
  readonly exclude?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly id?: string | undefined;
  /** `metadata.subject`. */
  readonly subject?: string | undefined;
  /** `metadata.$correlationId`. */
  readonly correlationId?: string | undefined;
  /** Bounds of `metadata.time`, inclusive, in the product's form: ISO 8601 with milliseconds, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const categoryOf = (eventStream: string): string => eventStream.split('-', 1)[0] ?? '';

/** For stores without filters. Checks the metadata last, since a store may have to parse them. */
export const matches = (filter: EventFilter, event: Pick<StoredEvent, 'eventStream' | 'id' | 'type' | 'metadata'>): boolean =>
  (filter.eventStream === undefined || filter.eventStream === event.eventStream) &&
  (filter.category === undefined || filter.category === categoryOf(event.eventStream)) &&
  !filter.exclude?.includes(categoryOf(event.eventStream)) &&
  (filter.types === undefined || filter.types.includes(event.type)) &&
  (filter.id === undefined || filter.id === event.id) &&
  (filter.subject === undefined || filter.subject === event.metadata.subject) &&
  (filter.correlationId === undefined || filter.correlationId === event.metadata.$correlationId) &&
  (filter.from === undefined || isFrom(event.metadata.time, filter.from)) &&
  (filter.to === undefined || isTo(event.metadata.time, filter.to));

const isFrom = (time: unknown, from: string): boolean => typeof time === 'string' && time >= from;
const isTo = (time: unknown, to: string): boolean => typeof time === 'string' && time <= to;

/** Whether a subscription receives the event. */
export const isFollowed = ({ eventStream, type }: Pick<StoredEvent, 'eventStream' | 'type'>, filter: SubscribeOptions['filter']): boolean =>
  !filter ||
  (!filter.prefixes && !filter.types) ||
  filter.types?.includes(type) === true ||
  filter.prefixes?.some((prefix) => eventStream.startsWith(prefix)) === true;
