import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenRuns } from '../../../src/processors/runner/openRuns.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

test('a restart finds the longest-waiting streams first', async () => {
  const clock = new ManualClock();
  const documents = await openEmbeddedDocuments({ file: join(temporaryDirectory(), 'views.db'), durability: 'NORMAL' });
  onTestFinished(() => documents.close());
  const runs = new OpenRuns(documents, clock);
  await runs.ensure();
  const streams = ['9', '1', '5', '3'];
  for (const streamId of streams) {
    await runs.opened([streamId]);
    await clock.advance(1_000);
  }
  await runs.ended(['1']);
  expect(await runs.all()).toEqual(['9', '5', '3']);
});
