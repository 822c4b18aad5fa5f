import { expect, onTestFinished, test } from 'vitest';
import { statesAt } from '../../../src/audit/eventStreamState.ts';
import { IMPORTS } from '../../../src/domain/audit/imports.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { logWriterInThread } from '../../writersInThread.ts';

test('shows the state of the imports of a log', async () => {
  const clock = new ManualClock();
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock });
  onTestFinished(() => store.close());
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
  const moved = (exportId: string) => ({ type: 'LogImported', data: { exportId, events: 7, topics: 1, deliveredThrough: null } });
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  const by = { subject: '', actor: 'test', correlationId: 'c', causationId: 'c' };
  await log.append(IMPORTS, { revision: 'no stream', hash: null }, [moved(first), moved(second)], by);
  const [before, now] = await statesAt(log, IMPORTS, [{ revision: 0n }, null]);
  expect(before).toMatchObject({ revision: 0n, state: { moves: 1, last: { exportId: first, events: 7 } } });
  expect(now).toMatchObject({ revision: 1n, state: { moves: 2, last: { exportId: second, time: expect.any(String) } } });
});
