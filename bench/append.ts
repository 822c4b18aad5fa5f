import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { v7 as uuid } from 'uuid';
import { systemClock } from '../src/clock.ts';
import { openEmbeddedEventStore } from '../src/stores/embedded/eventStore.ts';
import { INSERT_EVENT, LOG_TABLES, WRITER_PRAGMAS } from '../src/stores/embedded/logSchema.ts';
import type { EventStore, ExpectedRevision, NewStoredEvent } from '../src/stores/eventStore.ts';
import { defineBench } from './frame.ts';

/** Concurrent callers, and appends of each of them in one round. */
export const APPEND_CASES = [
  { callers: 1, appends: 1_500 },
  { callers: 32, appends: 300 },
  { callers: 256, appends: 80 },
];

/** 250 bytes of JSON in data and metadata together. */
const anEvent = (): NewStoredEvent => ({
  id: uuid(),
  type: 'SomethingHappened',
  data: { text: 'x'.repeat(139) },
  metadata: { time: '2026-01-01T00:00:00.000Z', subject: 'subject-0001', actor: 'actor-0001', schemaVersion: 1 },
});

/** Made beforehand: a caller's events, in order. */
export const someEvents = (callers: number, appends: number): NewStoredEvent[][] =>
  Array.from({ length: callers }, () => Array.from({ length: appends }, anEvent));

/** Every caller appends to its own event stream, one event after another. */
export const throughPort = async (store: EventStore, given: NewStoredEvent[][]): Promise<void> => {
  const caller = async (events: NewStoredEvent[]) => {
    const eventStream = `stream-${uuid()}`;
    let expected: ExpectedRevision = 'no stream';
    for (const event of events) expected = (await store.append(eventStream, expected, [event])).revision;
  };
  await Promise.all(given.map(caller));
};

/** The same rows in the same tables with the same pragmas, as many per transaction as there are callers, and nothing else. */
const bareLoop = (file: string) => {
  const db = new DatabaseSync(file);
  db.exec(`${WRITER_PRAGMAS} PRAGMA wal_autocheckpoint = 4096;`);
  db.exec(LOG_TABLES);
  const [begin, insert, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare(INSERT_EVENT), db.prepare('COMMIT')];
  let position = 0;
  const write = (given: NewStoredEvent[][]) => {
    const eventStreams = given.map((events) => ({ eventStream: `stream-${uuid()}`, events }));
    const appends = given[0]?.length ?? 0;
    for (let revision = 0; revision < appends; revision += 1) {
      begin.run();
      for (const { eventStream, events } of eventStreams) {
        const event = events[revision];
        if (!event) continue;
        position += 1;
        const { id, type, metadata, data } = event;
        insert.run(position, eventStream, revision, Date.now(), id, type, JSON.stringify(metadata), JSON.stringify(data));
      }
      commit.run();
    }
  };
  return { write, close: () => db.close() };
};

export const appendRate = async (given: NewStoredEvent[][], work: (given: NewStoredEvent[][]) => Promise<void> | void): Promise<number> => {
  const start = performance.now();
  await work(given);
  return (given.flat().length / (performance.now() - start)) * 1000;
};

/** Events of 250 bytes through the port, synced to disk, against a bare loop on the same driver. */
export const append = defineBench({
  name: 'append',
  bar: 0.8,
  run: async (compare) => {
    for (const { callers, appends } of APPEND_CASES) {
      const directory = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
      const store = await openEmbeddedEventStore({ dataDir: directory, clock: systemClock });
      const bare = bareLoop(join(directory, 'bare.db'));
      await compare(`${callers} caller${callers === 1 ? '' : 's'}`, {
        unit: 'events/s',
        ours: () => appendRate(someEvents(callers, appends), (given) => throughPort(store, given)),
        baseline: () => appendRate(someEvents(callers, appends), bare.write),
      });
      bare.close();
      await store.close();
      rmSync(directory, { recursive: true });
    }
  },
});
