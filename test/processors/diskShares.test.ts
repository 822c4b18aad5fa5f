import { expect, test } from 'vitest';
import { DataDisk } from '../../src/stores/embedded/dataDisk.ts';
import { eventually } from '../eventually.ts';
import { ManualClock } from '../manualClock.ts';
import { OWNER, runnerRig, type Step } from './runnerRig.ts';

const MEBIBYTE = 1024 ** 2;

/** A disk with 4 MiB to share; the owner has added these bytes. */
const shortDisk = (added: number): DataDisk => {
  const measure = () => ({ free: 12 * MEBIBYTE - added, total: 1024 ** 4 });
  const disk = new DataDisk({ dataDir: '/', watermark: 8 * MEBIBYTE, shared: 4 * MEBIBYTE, clock: new ManualClock(), measure });
  disk.added.add(OWNER, added);
  return disk;
};

/** Writes the bytes in pieces of 64 KiB. */
const writing =
  (bytes: number): Step =>
  async ({ output }) => {
    for (let left = bytes; left > 0; left -= 65_536) await output.bytes(Buffer.alloc(Math.min(left, 65_536)));
    return {};
  };

test.each([
  ['a run in steps', {}],
  ['a light run', { alone: true, light: true } as const],
])('%s fails where its result exceeds the share of a short disk, and leaves no bytes', async (_, options) => {
  const rig = await runnerRig();
  const disk = shortDisk(MEBIBYTE);
  rig.start({ one: writing(20 * MEBIBYTE) }, { disk, ...options });
  const { streamId, outputOf } = await rig.upload([{ id: 'one' }]);
  const { stream, processors } = await eventually(async () => {
    const state = await rig.state(streamId);
    return state.stream.state === 'FAILED' && state;
  });
  expect(stream.state).toBe('FAILED');
  expect(processors[0]).toMatchObject({ state: 'ERROR', attempt: 1, stateDescription: expect.stringContaining('your share') });
  expect(await rig.topics.size(outputOf('one'))).toBeNull();
});

test.each([
  ['in steps', {}],
  ['at once', { alone: true, light: true } as const],
])('counts a small result, and stores it above the share (%s)', async (_, options) => {
  const rig = await runnerRig();
  const disk = shortDisk(4 * MEBIBYTE);
  rig.start({ one: writing(60_000) }, { disk, ...options });
  const { streamId } = await rig.upload([{ id: 'one' }]);
  await eventually(async () => (await rig.state(streamId)).stream.state === 'COMPLETED');
  expect(disk.added.of(OWNER)).toBe(4 * MEBIBYTE + 60_000);
});
