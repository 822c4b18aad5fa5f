import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { systemClock } from '../../src/clock.ts';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import type { EventStore } from '../../src/stores/eventStore.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { ManualClock } from '../manualClock.ts';
import { damageContract } from './damage.ts';

damageContract('the embedded log', [], async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  const open = () => openEmbeddedEventStore({ dataDir, clock: new ManualClock() });
  let store = await open();
  /** Changed by another program, while the store is closed. */
  const changed = async (sql: string, ...values: string[]): Promise<EventStore> => {
    await store.close();
    const database = new DatabaseSync(join(dataDir, 'log.db'));
    database.prepare(sql).run(...values);
    database.close();
    store = await open();
    return store;
  };
  const foreign = `INSERT INTO events SELECT MAX(position) + 1, ?, 3, 0, ?, 'Noted', '{"by":"another program"}', '{}' FROM events`;
  return {
    store,
    damage: {
      hideFirst: (eventStream) => changed('DELETE FROM events WHERE event_stream = ? AND revision = 0', eventStream),
      appendForeign: (eventStream) => changed(foreign, eventStream, randomUUID()),
      further: {},
    },
    dispose: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});

const WAYS = ['a soft delete', 'a tombstone', 'a scavenge of hidden events', 'a binary event of another program'];

damageContract('EventStoreDB', WAYS, async () => {
  const server = await startEventStoreDb();
  const client = EventStoreDBClient.connectionString(server.url);
  const store = await openEventStoreDb({ url: server.url, clock: systemClock });
  const after = async (work: Promise<unknown>): Promise<EventStore> => {
    await work;
    return store;
  };
  const hideFirst = (eventStream: string) => client.setStreamMetadata(eventStream, { truncateBefore: 1 });
  const bytes = () => binaryEvent({ type: 'Noted', data: new Uint8Array([1, 2, 254, 255]) });
  return {
    store,
    damage: {
      hideFirst: (eventStream) => after(hideFirst(eventStream)),
      appendForeign: (eventStream) => after(client.appendToStream(eventStream, jsonEvent({ type: 'Noted', data: {} }))),
      further: {
        'a soft delete': (eventStream) => after(client.deleteStream(eventStream)),
        'a tombstone': (eventStream) => after(client.tombstoneStream(eventStream)),
        'a scavenge of hidden events': (eventStream) => after(hideFirst(eventStream).then(() => server.scavenge())),
        'a binary event of another program': (eventStream) => after(client.appendToStream(eventStream, bytes())),
      },
    },
    dispose: async () => {
      await store.close();
      await server.stop();
    },
  };
});
