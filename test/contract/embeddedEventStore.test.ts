import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import { ManualClock } from '../manualClock.ts';
import { eventStoreContract } from './eventStore.ts';

eventStoreContract('the embedded log', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  const clock = new ManualClock();
  const store = await openEmbeddedEventStore({ dataDir, clock });
  return {
    store,
    pass: (seconds) => clock.advance(seconds * 1000),
    dispose: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});
