import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { silentLogger } from '../../../src/logger.ts';
import { runSealingPolicy } from '../../../src/policies/sealing.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import type { EventStore } from '../../../src/stores/eventStore.ts';
import { prepareSealing } from '../../../src/stores/integrity/sealEvidence.ts';
import { SEALS } from '../../../src/stores/integrity/seals.ts';
import { openKeys } from '../../../src/stores/keys/openKeys.ts';
import type { DomainEvent, StreamHead } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { eventually } from '../../eventually.ts';
import { MemoryLeases } from '../../fakes/memoryLeases.ts';
import { ManualClock } from '../../manualClock.ts';
import { documentsWriterInThread, logWriterInThread } from '../../writersInThread.ts';

export const MASTER_KEY = randomBytes(32);

/** The real vault of a data directory, and the real log in it, or another store. */
export const openSealedLog = async (dataDir: string, given?: EventStore) => {
  const clock = new ManualClock();
  const store = given ?? (await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir, clock }));
  const vault = await openEmbeddedDocuments({ startWriter: documentsWriterInThread, file: join(dataDir, 'vault.db'), durability: 'FULL' });
  const keys = await openKeys({ vault, masterKey: MASTER_KEY, clock });
  await prepareSealing({ store, keys });
  const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
  const heads = new Map<string, StreamHead>();
  const tell = async (eventStream: string, ...events: DomainEvent[]): Promise<void> => {
    const context = { subject: 'someone', actor: 'test', correlationId: 'c', causationId: 'c' };
    const head = heads.get(eventStream) ?? { revision: 'no stream' as const, hash: null };
    heads.set(eventStream, (await log.append(eventStream, head, events, context)).head);
  };
  const leases = new MemoryLeases();
  const seal = (events: number, seconds = 60) => {
    const ending = new AbortController();
    const ended = runSealingPolicy({ store, log, keys, leases, clock, logger: silentLogger, events, seconds }, ending.signal);
    return async () => {
      ending.abort();
      await ended;
    };
  };
  const sealedCounts = async () => (await store.readStream(SEALS)).map(({ data }) => Number(data.count));
  const untilSealed = (counts: readonly number[]) =>
    eventually(async () => {
      const found = await sealedCounts();
      return found.length === counts.length && found.every((count, i) => count === counts[i]);
    });
  const close = async () => {
    await store.close();
    await vault.close();
  };
  return { clock, store, keys, log, leases, tell, seal, sealedCounts, untilSealed, close };
};

export const joined = (streamId: string): DomainEvent => ({ type: 'StreamWithdrawn', data: { streamId } });
