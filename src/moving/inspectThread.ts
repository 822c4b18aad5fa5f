/**
 * Body of the thread that opens a copied log and vault: corrects the vault's note of the newest seal, verifies the copy, and lists the topics it
 * refers to. In a thread, so that the server keeps answering, and because SQLite reliably releases a file only when its thread ends.
 */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { EVENT_SCHEMAS } from '../domain/eventSchemas.ts';
import { openEmbeddedDocuments } from '../stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../stores/embedded/eventStore.ts';
import type { EventStore } from '../stores/eventStore.ts';
import { NO_SEAL_YET, prepareSealing } from '../stores/integrity/sealEvidence.ts';
import { NEWEST_SEAL, SEALS } from '../stores/integrity/seals.ts';
import { verifyStore } from '../stores/integrity/verifyStore.ts';
import { type Keys, openKeys } from '../stores/keys/openKeys.ts';
import { openEventLog } from '../stores/log/openEventLog.ts';
import { liveTopics } from './liveTopics.ts';

export interface InspectOrder {
  /** Directory with `log.db` and `vault.db` that nothing else has open. */
  readonly directory: string;
  readonly masterKey: Uint8Array;
  readonly verify: boolean;
  /** Revision of the source's newest seal, decimal text; `null` if it has no seal. */
  readonly newestSeal: string | null;
}

export interface Inspected {
  readonly position: string | null;
  readonly topics: readonly string[];
}

export type FromInspector = { readonly verified: number } | Inspected | { readonly refused: string };

const inspect = async (order: InspectOrder, tell: (message: FromInspector) => void): Promise<void> => {
  const store = await openEmbeddedEventStore({ dataDir: order.directory, clock: systemClock });
  try {
    const vault = await openEmbeddedDocuments({ file: join(order.directory, 'vault.db'), durability: 'FULL' });
    try {
      const keys = await openKeys({ vault, masterKey: Buffer.from(order.masterKey), clock: systemClock });
      // Upgrades a copy made by an earlier version.
      await prepareSealing({ store, keys });
      await alignNote(order, store, keys);
      const refused = order.verify ? await brokenPlace({ store, keys }, (verified) => tell({ verified })) : null;
      if (refused) return tell({ refused });
      const position = await store.head();
      const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock: systemClock });
      tell({ position, topics: [...(await liveTopics(log, position))] });
    } finally {
      await vault.close();
    }
  } finally {
    await store.close();
  }
};

/**
 * The vault is copied after the log and may note a seal appended in between. Replaces that note by the newest seal of the copy. A note of a seal
 * that the source lacks too is evidence of damage, and stays.
 */
const alignNote = async ({ newestSeal }: InspectOrder, copy: EventStore, keys: Keys): Promise<void> => {
  const note = await keys.note(NEWEST_SEAL);
  if (typeof note?.revision !== 'string' || newestSeal === null || BigInt(note.revision) > BigInt(newestSeal)) return;
  const [last] = await copy.readStream(SEALS, { direction: 'backwards', limit: 1 });
  if (last && last.revision >= BigInt(note.revision)) return;
  await keys.setNote(NEWEST_SEAL, last ? { revision: String(last.revision), seal: last.data } : NO_SEAL_YET);
};

const brokenPlace = async (deps: { store: EventStore; keys: Keys }, onProgress: (checked: number) => void): Promise<string | null> => {
  const { firstBroken } = await verifyStore(deps, onProgress);
  return firstBroken && `${firstBroken.eventStream} revision ${firstBroken.revision}: ${firstBroken.reason}`;
};

if (parentPort) {
  const port = parentPort;
  // Safe cast: `inspectCopy` passed it.
  await inspect(workerData as InspectOrder, (message) => port.postMessage(message));
}
