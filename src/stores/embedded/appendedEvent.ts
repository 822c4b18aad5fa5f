import type { NewStoredEvent, StoredEvent } from '../eventStore.ts';
import { type LoggedEvent, toPosition } from './logReader.ts';

/** Place of an append in the log. */
export interface Place {
  readonly eventStream: string;
  readonly revision: number;
  readonly rowid: number;
  readonly recordedAt: number;
}

/** An event as this process appended it. Built when first read, once for all followers; many events are never read. */
export class AppendedEvent implements LoggedEvent {
  readonly rowid: number;
  readonly recordedAt: number;
  readonly #appended: NewStoredEvent;
  readonly #place: Place;
  #event: StoredEvent | null = null;

  constructor(appended: NewStoredEvent, place: Place) {
    this.rowid = place.rowid;
    this.recordedAt = place.recordedAt;
    this.#appended = appended;
    this.#place = place;
  }

  get eventStream(): string {
    return this.#place.eventStream;
  }

  get revision(): number {
    return this.#place.revision;
  }

  get event(): StoredEvent {
    const { eventStream, revision, rowid } = this.#place;
    const { id, type, data, metadata } = this.#appended;
    this.#event ??= { id, type, data, metadata, eventStream, revision: BigInt(revision), position: toPosition(rowid) };
    return this.#event;
  }
}
