import { expect, test } from 'vitest';
import { DataDisk } from '../../../src/stores/embedded/dataDisk.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1024 ** 2;
const WATERMARK = 32 * MEBIBYTE;

/** A disk whose free space a test sets. */
const given = ({ free = 100 * MEBIBYTE, total = 1024 ** 4, watermark = WATERMARK as number | null } = {}) => {
  const clock = new ManualClock();
  const state = { free, total, isReadable: true };
  const measure = () => {
    if (!state.isReadable) throw new Error('EIO');
    return state;
  };
  const disk = new DataDisk({ dataDir: '/', watermark, clock, measure });
  return { disk, state, look: () => clock.advance(100) };
};

test('refuses bytes that would leave less than the watermark, and says why', async () => {
  const { disk, state, look } = given();
  expect(disk.shortage(68 * MEBIBYTE)).toBeNull();
  expect(disk.shortage(68 * MEBIBYTE + 1)).toContain('DISK_WATERMARK_BYTES');
  state.free = WATERMARK - 1;
  await look();
  expect(disk.shortage()).toContain('is nearly full: 31 MiB free');
});

test('keeps half of what is below the watermark for results of accepted work', () => {
  const { disk } = given({ free: WATERMARK });
  expect(disk.shortage(WATERMARK / 2, 'result')).toBeNull();
  expect(disk.shortage(WATERMARK / 2 + 1, 'result')).not.toBeNull();
});

test('a disk that cannot be read for a moment refuses nothing', async () => {
  const { disk, state, look } = given({ free: 0 });
  state.isReadable = false;
  expect([disk.shortage(1), disk.room()]).toEqual([null, null]);
  state.isReadable = true;
  await look();
  expect(disk.shortage(1)).not.toBeNull();
});

test('refuses nothing without a watermark', () => {
  expect(given({ watermark: 0, free: 0 }).disk.shortage(MEBIBYTE)).toBeNull();
});

test.each([
  [1024 ** 4, 256 * MEBIBYTE],
  [1024 ** 3, 1024 ** 3 / 20],
])('on a disk of %d bytes, keeps %d free by default', (total, reserved) => {
  expect(given({ total, free: total, watermark: null }).disk.room()).toMatchObject({ reserved });
});
