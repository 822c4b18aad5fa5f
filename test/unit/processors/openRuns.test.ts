import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenRuns } from '../../../src/processors/runner/openRuns.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const openRuns = async () => {
  const clock = new ManualClock();
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(temporaryDirectory(), 'views.db'),
    durability: 'NORMAL',
  });
  onTestFinished(() => documents.close());
  const ofNode = (alone: boolean) => new OpenRuns({ documents, clock, alone });
  const runs = ofNode(true);
  await runs.ensure();
  return { runs, clock, ofNode, restarted: () => ofNode(true).all() };
};

test('finds the longest waiting streams first after a restart', async () => {
  const { runs, clock, restarted } = await openRuns();
  const streams = ['9', '1', '5', '3'];
  for (const streamId of streams) {
    runs.opened([streamId]);
    await clock.advance(1_000);
  }
  await runs.store();
  await runs.ended(['1']);
  expect(await restarted()).toEqual(['9', '5', '3']);
});

test('stores no document for a stream that ended before the checkpoint was saved', async () => {
  const { runs, restarted } = await openRuns();
  runs.opened(['1', '2']);
  await runs.ended(['1']);
  await runs.store();
  expect(await restarted()).toEqual(['2']);
});

test('removes the document of a stream, seen again after a restart, when it ends', async () => {
  const { runs, restarted } = await openRuns();
  runs.opened(['1']);
  await runs.store();
  await restarted();
  runs.opened(['1']);
  await runs.ended(['1']);
  await runs.store();
  expect(await restarted()).toEqual([]);
});

test('stores a document again for a rerun after another node removed the first one', async () => {
  const { ofNode, restarted } = await openRuns();
  const [first, second] = [ofNode(false), ofNode(false)];
  first.opened(['1']);
  await first.store();
  await second.ended(['1']);
  expect(await restarted()).toEqual([]);
  first.opened(['1']);
  await first.store();
  expect(await restarted()).toEqual(['1']);
});
