import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Documents } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { HEARTBEAT_MILLISECONDS, type LiveReaders, openLiveReaders, SILENT_MILLISECONDS } from '../../../src/stores/leases/liveReaders.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

describe('live readers', () => {
  let documents: Documents;
  let clock: ManualClock;
  const node = () => openLiveReaders({ documents, clock });

  const lastRead = async (readers: LiveReaders, streamId: string) =>
    (await readers.lastReads([streamId, 'never read'])).get(streamId) ?? null;

  beforeEach(async () => {
    documents = await openEmbeddedDocuments({
      startWriter: documentsWriterInThread,
      file: join(temporaryDirectory(), 'views.db'),
      durability: 'NORMAL',
    });
    clock = new ManualClock();
    onTestFinished(() => documents.close());
  });

  it('are seen by every node until the last one leaves', async () => {
    const [here, there] = [await node(), await node()];
    expect(await lastRead(there, 's')).toBeNull();
    const leaves = [await here.enter('s'), await here.enter('s')];
    await leaves[0]?.();
    await leaves[0]?.();
    expect(await lastRead(there, 's')).toEqual({ reading: true, seen: clock.now() });
    await clock.advance(1_000);
    const left = clock.now();
    await leaves[1]?.();
    await clock.advance(1_000);
    expect(await lastRead(there, 's')).toEqual({ reading: false, seen: left });
    expect(await lastRead(there, 'other')).toBeNull();
    await there.forget('s');
    expect(await lastRead(here, 's')).toBeNull();
  });

  it('of several streams and nodes are found in one question', async () => {
    const [here, there] = [await node(), await node()];
    const leaves = { a: await here.enter('a'), b: await there.enter('b'), c: await here.enter('c') };
    await there.enter('a');
    await here.enter('b');
    const entered = clock.now();
    await leaves.c();
    await clock.advance(1_000);
    await leaves.a();
    await leaves.b();
    const left = clock.now();
    const reads = await there.lastReads(['a', 'b', 'c', 'd']);
    expect([...reads].sort()).toEqual([
      ['a', { reading: true, seen: left }],
      ['b', { reading: true, seen: left }],
      ['c', { reading: false, seen: entered }],
    ]);
  });

  it('count for as long as they read, and their node writes nothing after all have left', async () => {
    const [here, there] = [await node(), await node()];
    const leave = await here.enter('s');
    for (let n = 0; n < 6; n += 1) {
      await clock.advance(HEARTBEAT_MILLISECONDS);
      const beat = clock.now();
      await eventually(async () => expect(await lastRead(there, 's')).toEqual({ reading: true, seen: beat }));
    }
    await leave();
    await eventually(() => clock.sleeping === 0);
  });

  it('have left if their node is silent', async () => {
    const here = await node();
    await here.enter('s');
    const seen = clock.now();
    const other = await node();
    documents.replace = () => new Promise(() => undefined);
    await clock.advance(SILENT_MILLISECONDS);
    expect(await lastRead(other, 's')).toEqual({ reading: false, seen });
  });
});
