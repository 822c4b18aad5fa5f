import type { EventLog, EventSchemas } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';

/** A log over a store in memory; `another()` is another node's. */
export const openedLog = (schemas: EventSchemas): { store: MemoryEventStore; log: EventLog; another: () => EventLog } => {
  const store = new MemoryEventStore();
  const keys = new MemoryKeys();
  const another = (): EventLog => openEventLog({ store, keys, schemas, clock: new ManualClock() });
  return { store, log: another(), another };
};

export type { AppendContext, EventSchemas } from '../../../src/stores/log/eventLog.ts';
