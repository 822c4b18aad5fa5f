import { expect, onTestFinished, test } from 'vitest';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { watchMemory } from '../../../src/supervision/scarceMemory.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { logWriterInThread } from '../../writersInThread.ts';

const schemas = { Noted: { version: 1, schema: { type: 'object' } } };
const context = { subject: 's', actor: 'a', correlationId: 'c', causationId: 'b' };

/** Most of eight event streams of one event whose reading ends in the same turn of the event loop, when all are read at once after a restart. */
const mostReadInOneTurn = async (characters: number, scarcity: number): Promise<number> => {
  const clock = new ManualClock();
  const options = { startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock };
  const writing = await openEmbeddedEventStore(options);
  const log = openEventLog({ store: writing, keys: new MemoryKeys(), schemas, clock });
  const names = Array.from({ length: 8 }, (_, n) => `x-${n}`);
  for (const name of names)
    await log.append(name, { revision: 'no stream', hash: null }, [{ type: 'Noted', data: { text: 'x'.repeat(characters) } }], context);
  await writing.close();
  const store = await openEmbeddedEventStore(options);
  onTestFinished(() => store.close());
  watchMemory({ scarcity });
  onTestFinished(() => watchMemory({ scarcity: 0 }));
  let [read, most] = [0, 0];
  const reads = names.map(async (name) => {
    expect(await store.readStream(name)).toHaveLength(1);
    read += 1;
  });
  while (read < names.length) {
    const before = read;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, read - before);
  }
  await Promise.all(reads);
  return most;
};

test('while memory is scarce, large pages of the log are read one in a turn, so that waiting readers hold none', async () => {
  expect(await mostReadInOneTurn(200_000, 1)).toBe(1);
});

test('small pages, and large ones while memory is ample, wait for no turn', async () => {
  expect(await mostReadInOneTurn(100, 1)).toBeGreaterThan(1);
  expect(await mostReadInOneTurn(200_000, 0)).toBeGreaterThan(1);
});
