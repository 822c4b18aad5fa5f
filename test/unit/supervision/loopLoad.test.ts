import { expect, test } from 'vitest';
import { AnyLoad, LoopLoad } from '../../../src/supervision/loopLoad.ts';
import { ManualClock } from '../../manualClock.ts';

/** A load whose loop has used this share of each quarter of a second. */
const measured = (clock: ManualClock, used: { share: number }) =>
  new LoopLoad(clock, () => ({ idle: 250 * (1 - used.share), active: 250 * used.share, utilization: used.share }));

test('is busy if the loop worked for most of the last quarter of a second, until it works for less than 40 %', async () => {
  const clock = new ManualClock();
  const used = { share: 0.9 };
  const load = measured(clock, used);
  expect(load.busy).toBe(false);
  await clock.advance(250);
  expect(load.busy).toBe(true);
  used.share = 0.5;
  await clock.advance(250);
  expect(load.busy).toBe(true);
  used.share = 0.3;
  expect(load.busy).toBe(true);
  await clock.advance(250);
  expect(load.busy).toBe(false);
  used.share = 0.5;
  await clock.advance(250);
  expect(load.busy).toBe(false);
});

test('is not busy if it was last asked more than a second ago, until the next quarter of a second has been measured', async () => {
  const clock = new ManualClock();
  const load = measured(clock, { share: 0.9 });
  await clock.advance(3_600_000);
  expect(load.busy).toBe(false);
  await clock.advance(250);
  expect(load.busy).toBe(true);
  await clock.advance(1_001);
  expect(load.busy).toBe(false);
});

test('of several loops is busy if one of them is, and measures each of them', async () => {
  const clock = new ManualClock();
  const [first, second] = [{ share: 0.9 }, { share: 0.9 }];
  const any = new AnyLoad([measured(clock, first), measured(clock, second)]);
  await clock.advance(250);
  expect(any.busy).toBe(true);
  await clock.advance(900);
  expect(any.busy).toBe(true);
  first.share = 0.1;
  // The second one was asked while the first one was busy, so its last sample is not too old.
  await clock.advance(900);
  expect(any.busy).toBe(true);
  second.share = 0.1;
  await clock.advance(250);
  expect(any.busy).toBe(false);
});
