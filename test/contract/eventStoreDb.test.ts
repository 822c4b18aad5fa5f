import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { eventStoreContract } from './eventStore.ts';

let fake: FakeEventStoreDb;
beforeAll(async () => {
  fake = await startEventStoreDb();
});
afterAll(() => fake.stop());

eventStoreContract(
  'EventStoreDB (fake)',
  async () => {
    const store = await openEventStoreDb({ url: fake.url, clock: systemClock });
    return { store, pass: (seconds) => fake.pass(seconds), dispose: () => store.close() };
  },
  { keepsExpiredInLog: true },
);
