import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { statesAt } from '../../../src/audit/eventStreamState.ts';
import { verifyFile } from '../../../src/cli/verifyFile.ts';
import { systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import type { StoredEvent } from '../../../src/stores/eventStore.ts';
import { linkOf } from '../../../src/stores/integrity/chainLink.ts';
import { verifyLog } from '../../../src/stores/integrity/verification.ts';
import { chainPages, sealsOf } from '../../../src/stores/log/logPages.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { logWriterInThread } from '../../writersInThread.ts';

// Written when seals had no `trail` (LogSealed 1), by an owner whose key is gone: never to be changed.
const FILE = new URL('../../fixtures/log-1.ndjson', import.meta.url);
const KEY = new URL('../../fixtures/log-1-key.pem', import.meta.url);
const STREAM = '11111111-1111-4111-8111-111111111111';

const events = (): StoredEvent[] =>
  readFileSync(FILE, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map((event) => ({ ...event, revision: BigInt(event.revision) }));

/** The fixture in a store of today. */
const opened = async () => {
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock: systemClock });
  onTestFinished(() => store.close());
  for (const { eventStream, revision, id, type, data, metadata } of events())
    await store.append(eventStream, revision === 0n ? 'no stream' : revision - 1n, [{ id, type, data, metadata }]);
  return { store, log: openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: systemClock }) };
};

test('opens a log of an earlier version: upcasts old events and leaves the stored ones unchanged', async () => {
  const { store, log } = await opened();
  const seals = await log.readStream('seals');
  expect(seals.map(({ data }) => data)).toMatchObject([
    { count: 3, trail: '' },
    { count: 4, trail: '' },
  ]);
  expect((await store.readStream('seals')).every(({ data }) => !('trail' in data))).toBe(true);
});

test('replays a log of an earlier version', async () => {
  const { log } = await opened();
  const [stream] = await statesAt(log, `stream-${STREAM}`, [null]);
  expect(stream?.state).toMatchObject({ stream: { state: 'COMPLETED', name: null }, upload: { state: 'completed' } });
  const [group] = await statesAt(log, `group-${STREAM}`, [null]);
  expect(group?.state).toMatchObject({ state: 'COMPLETED' });
  const [seals] = await statesAt(log, 'seals', [null]);
  expect(seals?.state).toMatchObject({ seals: 2, events: 7 });
});

test('verifies a log of an earlier version, in a store and as a file, and finds an edit in it', async () => {
  const { store } = await opened();
  const keys = new Map([['first', createPublicKey(readFileSync(KEY))]]);
  const head = await store.head();
  const verdict = await verifyLog(chainPages(store, head), { seals: sealsOf(store, head), keys, noted: null });
  expect(verdict).toMatchObject({ ok: true, checked: 11, firstBroken: null });
  const asFile = { file: FILE.pathname, seals: null, key: KEY.pathname };
  expect(await verifyFile(asFile, systemClock, { progress: () => undefined })).toMatchObject({ ok: true, checked: 11 });
  const dropped = events().filter(({ type }) => type !== 'StreamCompleted');
  const seals = (async function* () {
    yield* events().filter(({ eventStream }) => eventStream === 'seals');
  })();
  const pages = (async function* () {
    yield dropped.map(linkOf);
  })();
  expect(await verifyLog(pages, { seals, keys, noted: null })).toMatchObject({
    ok: false,
    firstBroken: { eventStream: `stream-${STREAM}`, revision: 4n },
  });
});
