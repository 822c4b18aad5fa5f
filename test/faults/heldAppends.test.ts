import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import type { EventStore, NewStoredEvent } from '../../src/stores/eventStore.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/eventStore.ts';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';

let fake: FakeEventStoreDb;
let anna: EventStore;
let ben: EventStore;

const opened = (name: string) =>
  openEventStoreDb({ url: `${fake.url}&connectionName=${name}`, clock: systemClock, logger: silentLogger, timeoutMilliseconds: 1_000 });
beforeAll(async () => {
  fake = await startEventStoreDb();
  [anna, ben] = await Promise.all([opened('anna'), opened('ben')]);
  await fake.watch();
});
afterAll(async () => {
  await Promise.all([anna.close(), ben.close()]);
  await fake.stop();
});

const event = (type: string): NewStoredEvent => ({ id: randomUUID(), type, data: {}, metadata: {} });
const types = async (eventStream: string) => (await ben.readStream(eventStream)).map(({ type }) => type);

test.each([true, false])('holds the next append of a client that ends with a type, and tells who made it (stored: %s)', async (stored) => {
  const [held, other] = [`group-${randomUUID()}`, `group-${randomUUID()}`];
  const met = fake.hold({ by: ['anna'], last: 'Ended', stored }, 5_000);
  await ben.append(other, 'no stream', [event('Ended')]);
  await anna.append(held, 'no stream', [event('Began')]);
  const appended = anna.append(held, 0n, [event('Went on'), event('Ended')]);
  expect(await met).toBe('anna');
  expect(await types(held)).toEqual(stored ? ['Began', 'Went on', 'Ended'] : ['Began']);
  const seen = (await fake.witnessed()).filter(({ eventStream }) => eventStream === held || eventStream === other);
  expect(seen.map(({ by, events, position }) => [by, events.at(-1)?.type, position !== null])).toEqual([
    ['ben', 'Ended', true],
    ['anna', 'Began', true],
    ['anna', 'Ended', stored],
  ]);
  // A living client repeats what was not answered.
  await appended;
  expect(await types(held)).toEqual(['Began', 'Went on', 'Ended']);
});

test('resolves with null if no such append comes', async () => {
  expect(await fake.hold({ by: ['anna'], last: 'Never', stored: true }, 20)).toBeNull();
});
