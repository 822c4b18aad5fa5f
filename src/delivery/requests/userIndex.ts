import type { AttemptOutcome, RecoveredDelivery } from '../../domain/delivery/events.ts';
import type { Position } from '../../stores/eventStore.ts';

export interface KnownDelivery {
  readonly delivery: Omit<RecoveredDelivery, 'sourcePosition'>;
  /** Renderer of its first scheduling: a resend has the same bytes. */
  readonly renderer: number;
  readonly state: AttemptOutcome | 'pending';
}

/** An index of the log by user, so that a request reads only its user's events. Implemented over read models (`projections/userIndex.ts`). */
export interface UserIndex {
  /** Waits until the index contains the events up to a position. Resolves to `false` if that takes too long. */
  reached(position: Position): Promise<boolean>;
  /** The user's event streams that may cause webhooks, and that have events after a position (`null`: all of them). */
  eventStreams(subject: string, after: Position | null): Promise<readonly string[]>;
  /** Event stream of the user's newest stream that was created at a time (ISO 8601) or before; `null` if there is none. */
  startedBefore(subject: string, time: string): Promise<string | null>;
  /** Users who may get the seal at a position. Reads the log while the index is behind. Rejects with `StoreUnavailable`, or if the signal aborts. */
  sealListeners(position: Position, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** Deliveries of all users with facts from before a time (ISO 8601), by user, a few at a time. */
  outdated(before: string): AsyncIterable<ReadonlyMap<string, readonly string[]>>;
  /** By delivery id, without the ids that were never scheduled. */
  deliveries(deliveryIds: readonly string[]): Promise<ReadonlyMap<string, KnownDelivery>>;
}
