import type { NewStoredEvent, StoredEvent } from '../eventStore.ts';
import { type LoggedEvent, toPosition } from './logReader.ts';

/** An event as this process appended it. Built when first read, once for all followers; many events are never read. */
export class AppendedEvent implements LoggedEvent {
  readonly eventStream: string;
  readonly revision: number;
  readonly rowid: number;
  readonly recordedAt: number;
  readonly #appended: NewStoredEvent;
  #event: StoredEvent | null = null;

  constructor(appended: NewStoredEvent, { eventStream, revision, rowid, recordedAt }: Omit<LoggedEvent, 'event'>) {
    this.eventStream = eventStream;
    this.revision = revision;
    this.rowid = rowid;
    this.recordedAt = recordedAt;
    this.#appended = appended;
  }

  get event(): StoredEvent {
    const { eventStream, revision, rowid } = this;
    const { id, type, data, metadata } = this.#appended;
    this.#event ??= { id, type, data, metadata, eventStream, revision: BigInt(revision), position: toPosition(rowid) };
    return this.#event;
  }
}
