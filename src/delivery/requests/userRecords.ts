import type { AttemptOutcome, RecoveredDelivery } from '../../domain/delivery/events.ts';
import type { Position } from '../../stores/eventStore.ts';

/** A delivery that has been scheduled. */
export interface KnownDelivery {
  readonly delivery: Omit<RecoveredDelivery, 'sourcePosition'>;
  /** A resend has the same bytes. */
  readonly renderer: number;
  readonly state: AttemptOutcome | 'pending';
}

/** An index of the log by user, so that a user's request reads the user's own events only. Read models implement it (`projections/userRecords.ts`). */
export interface UserRecords {
  /** Waits until the index contains the events up to a position; `false` if that takes long. */
  reached(position: Position): Promise<boolean>;
  /** The user's event streams that may cause webhooks, and that have events after a position (`null`: all of them). */
  eventStreams(subject: string, after: Position | null): Promise<readonly string[]>;
  /** One of those that began at a time (ISO 8601) or before, as late as possible; `null` if there is none. */
  startedBefore(subject: string, time: string): Promise<string | null>;
  /** By delivery id. Those that were never scheduled are missing. */
  deliveries(deliveryIds: readonly string[]): Promise<ReadonlyMap<string, KnownDelivery>>;
}
