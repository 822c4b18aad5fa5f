import { expect, onTestFinished, test } from 'vitest';
import { statesAt } from '../../../src/audit/eventStreamState.ts';
import { deleteDeclaration, saveDeclaration } from '../../../src/commands/processorDeclarations.ts';
import { IMPORTS } from '../../../src/domain/audit/imports.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { DeclarationContent } from '../../../src/domain/processorDeclarations/declaration.ts';
import { processorDeclarationsEventStream } from '../../../src/domain/processorDeclarations/events.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { logWriterInThread } from '../../writersInThread.ts';

const openedLog = async () => {
  const clock = new ManualClock();
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock });
  onTestFinished(() => store.close());
  return openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock });
};

test('shows the state of the imports of a log', async () => {
  const log = await openedLog();
  const moved = (exportId: string) => ({ type: 'LogImported', data: { exportId, events: 7, topics: 1, deliveredThrough: null } });
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  const by = { subject: '', actor: 'test', correlationId: 'c', causationId: 'c' };
  await log.append(IMPORTS, { revision: 'no stream', hash: null }, [moved(first), moved(second)], by);
  const [before, now] = await statesAt(log, IMPORTS, [{ revision: 0n }, null]);
  expect(before).toMatchObject({ revision: 0n, state: { moves: 1, last: { exportId: first, events: 7 } } });
  expect(now).toMatchObject({ revision: 1n, state: { moves: 2, last: { exportId: second, time: expect.any(String) } } });
});

test('shows processor declarations with the contents of their newest versions', async () => {
  const log = await openedLog();
  const by = { subject: 'someone', actor: 'someone', correlationId: 'c', causationId: 'c' };
  const content = (name: string): DeclarationContent => ({
    ...{ name, description: null, url: 'https://example.com/', mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' },
    ...{ propertiesJsonSchema: { type: 'object' }, defaultProperties: {}, patchAliases: {}, operationType: 'NO_OPERATION', price: [] },
    limits: { attempts: 1, timeoutMs: 1_000, maxOutputBytes: 1_000, concurrency: 1 },
  });
  const scope = { subject: 'someone' };
  const { id } = await saveDeclaration({ log, limits: DEFAULT_LIMITS }, { id: null, scope, content: content('first') }, by);
  await saveDeclaration({ log, limits: DEFAULT_LIMITS }, { id, scope, content: content('second') }, by);
  await deleteDeclaration({ log }, { id, scope }, by);
  const states = await statesAt(log, processorDeclarationsEventStream('someone'), [{ revision: 0n }, null]);
  const declared = { createdTimestamp: expect.any(String), secret: { generation: 1, previous: [] } };
  const [first, second] = [content('first'), content('second')].map((one, n) => ({ id, version: n + 1, ...one }));
  expect(states.map((one) => one?.state)).toEqual([
    { declarations: { [id]: { ...declared, newest: first, deleted: false, revisions: [0] } }, nextRevision: 1 },
    { declarations: { [id]: { ...declared, newest: second, deleted: true, revisions: [0, 1] } }, nextRevision: 3 },
  ]);
});
