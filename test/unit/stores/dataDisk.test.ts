import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AddedBytes } from '../../../src/stores/embedded/addedBytes.ts';
import { DataDisk } from '../../../src/stores/embedded/dataDisk.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { keepOverRestart } from '../../../src/stores/embedded/sharesOverRestart.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const MEBIBYTE = 1024 ** 2;
const [WATERMARK, SHARED] = [32 * MEBIBYTE, 96 * MEBIBYTE];

interface Given {
  readonly free?: number;
  readonly total?: number;
  readonly watermark?: number | null;
  readonly shared?: number | null;
}

/** A disk whose free space a test sets. Users write until they are refused. */
const given = ({ free = WATERMARK + SHARED, total = 1024 ** 4, watermark = WATERMARK, shared = SHARED }: Given = {}) => {
  const clock = new ManualClock();
  const state = { free, total, isReadable: true };
  const measure = () => {
    if (!state.isReadable) throw new Error('EIO');
    return state;
  };
  const disk = new DataDisk({ dataDir: '/', watermark, shared, clock, measure });
  const look = () => clock.advance(100);
  /** As the gateway does it; `false` if the bytes are refused. */
  const write = async (subject: string, bytes: number, topic?: string): Promise<boolean> => {
    if (disk.shortage(bytes) !== null || disk.exceedsShare(subject, bytes)) return false;
    disk.count(subject, bytes, topic);
    state.free -= bytes;
    await look();
    return true;
  };
  const remove = async (topic: string, bytes: number): Promise<void> => {
    disk.freed(topic);
    state.free += bytes;
    await look();
  };
  /** MiB that the users could write, one MiB each in turn, until all of them were refused. */
  const fill = async (...subjects: readonly string[]): Promise<number[]> => {
    const written = subjects.map(() => 0);
    for (let refused = 0; refused < subjects.length; ) {
      refused = 0;
      for (const [n, subject] of subjects.entries()) {
        if (await write(subject, MEBIBYTE)) written[n] = (written[n] ?? 0) + 1;
        else refused += 1;
      }
    }
    return written;
  };
  return { disk, state, look, write, remove, fill };
};

test('a user alone fills the disk up to where it becomes short, and half of what is shared', async () => {
  const { fill, disk } = given({ free: WATERMARK + SHARED + 200 * MEBIBYTE });
  expect(await fill('a')).toEqual([200 + 48]);
  expect(disk.shortage()).toBeNull();
});

test('several greedy users take equal parts and leave one for others', async () => {
  const { fill } = given();
  expect(await fill('a', 'b')).toEqual([32, 32]);
  expect(await fill('c')).toEqual([16]);
});

test('a user who has added little continues until the watermark, while another is refused', async () => {
  const { fill, write, state, look, disk } = given();
  await fill('greedy');
  for (let n = 0; n < 20; n += 1) expect(await write('modest', MEBIBYTE)).toBe(true);
  expect(await write('greedy', 1)).toBe(false);
  state.free = WATERMARK + 4 * MEBIBYTE;
  await look();
  expect(await write('newcomer', MEBIBYTE)).toBe(true);
  state.free = WATERMARK - 1;
  await look();
  expect(disk.shortage()).toContain('DISK_WATERMARK_BYTES');
});

test('bytes count at once, not at the next look at the disk', () => {
  const { disk } = given();
  disk.count('a', 48 * MEBIBYTE);
  expect(disk.exceedsShare('a')).toBe(false);
  expect(disk.exceedsShare('a', 1)).toBe(true);
  expect(disk.room()?.free).toBe(WATERMARK + 48 * MEBIBYTE);
});

test('deleted bytes are given back, so that a loop of uploads and deletions is never refused', async () => {
  const { write, remove, fill } = given();
  for (let n = 0; n < 100; n += 1) {
    expect(await write('a', 10 * MEBIBYTE, `topic ${n}`)).toBe(true);
    await remove(`topic ${n}`, 10 * MEBIBYTE);
  }
  expect(await fill('a')).toEqual([48]);
});

test('bytes that are not deleted count for as long as the disk is short', async () => {
  const { fill, look, disk } = given();
  await fill('a');
  for (let day = 0; day < 30; day += 1) await look();
  expect(disk.exceedsShare('a', 1)).toBe(true);
});

test('deleting bytes from before the disk was short gives no one else their share', async () => {
  const { fill, remove, disk } = given();
  await fill('a');
  await remove('an old topic', 8 * MEBIBYTE);
  expect(await fill('a')).toEqual([4]);
  expect(disk.exceedsShare('b', MEBIBYTE)).toBe(false);
});

test('everyone begins again when the disk is not short any more', async () => {
  const { fill, state, look } = given();
  await fill('a');
  state.free = WATERMARK + SHARED;
  await look();
  expect(await fill('a')).toEqual([48]);
});

test('other programs that fill the disk make the shares smaller, and larger again when they free it', async () => {
  const { write, state, look } = given();
  for (let n = 0; n < 20; n += 1) await write('a', MEBIBYTE);
  state.free -= 60 * MEBIBYTE;
  await look();
  expect(await write('a', MEBIBYTE)).toBe(false);
  expect(await write('b', MEBIBYTE)).toBe(true);
  state.free += 60 * MEBIBYTE;
  await look();
  expect(await write('a', MEBIBYTE)).toBe(true);
});

test('a disk that cannot be read for a moment refuses nothing, and keeps what it has counted', async () => {
  const { fill, state, look, disk } = given();
  await fill('a');
  state.isReadable = false;
  await look();
  expect([disk.exceedsShare('a', 1), disk.room(), disk.warning()]).toEqual([false, null, null]);
  state.isReadable = true;
  await look();
  expect(disk.exceedsShare('a', 1)).toBe(true);
});

test('of bytes that make the disk short, only those below that count', () => {
  const { disk } = given({ free: WATERMARK + SHARED + 500 * MEBIBYTE });
  expect(disk.exceedsShare('a', 548 * MEBIBYTE)).toBe(false);
  expect(disk.exceedsShare('a', 549 * MEBIBYTE)).toBe(true);
});

test('results of accepted work have twice the share, and a part of the reserve', async () => {
  const { fill, disk, state, look } = given();
  await fill('a');
  expect(disk.exceedsShare('a', 16 * MEBIBYTE, 'result')).toBe(false);
  expect(disk.exceedsShare('a', 24 * MEBIBYTE, 'result')).toBe(true);
  state.free = WATERMARK - 4 * MEBIBYTE;
  await look();
  expect(disk.exceedsShare('b', 2 * MEBIBYTE, 'result')).toBe(false);
  expect(disk.exceedsShare('b', 2 * MEBIBYTE + 1, 'result')).toBe(true);
});

test('says that the disk is short before it says that it is nearly full', async () => {
  const { disk, state, look } = given({ free: WATERMARK + SHARED });
  expect([disk.isShort, disk.warning()]).toEqual([false, null]);
  state.free -= 1;
  await look();
  expect(disk.isShort).toBe(true);
  expect(disk.warning()).toContain('is short: 127 MiB free');
  state.free = WATERMARK - 1;
  await look();
  expect(disk.warning()).toContain('is nearly full: 31 MiB free');
});

test.each([
  ['without shares', { shared: 0 }],
  ['without a watermark', { watermark: 0 }],
])('%s no user is refused before the others', async (_, settings) => {
  const { disk, state, look } = given({ ...settings, free: WATERMARK + MEBIBYTE });
  disk.count('a', 500 * MEBIBYTE);
  await look();
  expect([disk.isShort, disk.exceedsShare('a', MEBIBYTE), disk.exceedsShare('a', MEBIBYTE, 'result')]).toEqual([false, false, false]);
  state.free = 0;
  await look();
  expect(disk.exceedsShare('a', MEBIBYTE, 'result')).toBe(false);
});

test.each([
  [1024 ** 4, 256 * MEBIBYTE, 1024 * MEBIBYTE],
  [1024 ** 3, 1024 ** 3 / 20, 1024 ** 3 / 10],
])('on a disk of %d bytes, keeps %d free and shares %d by default', (total, reserved, shared) => {
  const { disk } = given({ total, free: total, watermark: null, shared: null });
  expect(disk.room()).toMatchObject({ reserved, shared });
});

test('a user has no fresh share after a restart, unless the disk is not short any more', async () => {
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(temporaryDirectory(), 'views.db'),
    durability: 'NORMAL',
  });
  onTestFinished(() => documents.close());
  const before = given();
  const keep = await keepOverRestart(before.disk.added, documents);
  await before.fill('a');
  await keep();

  const after = given({ free: before.state.free });
  const keepAgain = await keepOverRestart(after.disk.added, documents);
  expect([after.disk.exceedsShare('a', 1), after.disk.exceedsShare('b', MEBIBYTE)]).toEqual([true, false]);
  after.state.free = WATERMARK + SHARED;
  await after.look();
  expect(await after.write('a', 48 * MEBIBYTE)).toBe(true);
  after.state.free = WATERMARK + SHARED;
  await after.look();
  expect(after.disk.isShort).toBe(false);
  await keepAgain();
  const next = new AddedBytes();
  await keepOverRestart(next, documents);
  expect(next.users.size).toBe(0);
});
