import type { MeasuredDisk } from './diskSpace.ts';
import type { Documents } from './documents.ts';
import type { EventStore } from './eventStore.ts';
import type { Topics } from './topics.ts';

/** The stores of a platform, opened. */
export interface Stores {
  readonly store: EventStore;
  readonly documents: Documents;
  /** The same documents over connections of their own, so that leases are renewed however busy the others are. */
  readonly leaseDocuments: Documents;
  /** Keys, encrypted under the master key. */
  readonly vault: Documents;
  readonly topics: Topics;
  /** Where uploaded bytes go. */
  readonly disk: MeasuredDisk;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** No other process uses them, as long as they are open here. */
  readonly exclusive: boolean;
  /** Folder for files of this process alone; it need not exist. */
  readonly workDirectory: string;
  close(): Promise<void>;
}
