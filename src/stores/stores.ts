import type { DiskSpace } from './diskSpace.ts';
import type { Documents } from './documents.ts';
import type { EventStore } from './eventStore.ts';
import type { Leases } from './leases/leases.ts';
import type { Nodes } from './leases/nodes.ts';
import type { ObjectStorage } from './objectStorage.ts';
import type { Topics } from './topics.ts';

/** The opened stores of a platform. */
export interface Stores {
  readonly store: EventStore;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly nodes: Nodes;
  /** Keys, encrypted under the master key. */
  readonly vault: Documents;
  readonly topics: Topics;
  /** Where large topics lie (`TOPICS_URL`); `null` if all are in the store of the form. */
  readonly objectStorage: ObjectStorage | null;
  /** Store of uploaded bytes. */
  readonly disk: DiskSpace;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** No other process uses them while they are open here. */
  readonly exclusive: boolean;
  /** Folder for files of this process only; it may not exist yet. */
  readonly workDirectory: string;
  close(): Promise<void>;
}
