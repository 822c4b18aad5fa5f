import { expect, test } from 'vitest';
import { lagOf } from '../../../src/projections/engine/status.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { ManualClock } from '../../manualClock.ts';
import { openPlatform } from './node.ts';

const HOUR = 3_600_000;

/** A log of this many events, one per append, and the lag of a consumer that has handled those up to an index, an hour later. */
const filled = async (events: number) => {
  const clock = new ManualClock();
  const platform = await openPlatform({ clock });
  const positions: Position[] = [];
  for (let n = 0; n < events; n += 1) positions.push(await platform.append('account-1', 'Added', { by: 1 }));
  const lag = (position: number | null) =>
    lagOf(platform.log, position === null ? null : (positions[position] ?? null), positions.at(-1) ?? null, clock.now() + HOUR);
  return { lag };
};

test('counts a few events behind the head, and reports the age of the first', async () => {
  const { lag } = await filled(15);
  expect(await lag(14)).toEqual({ lagEvents: 0, lagSeconds: 0 });
  expect(await lag(10)).toEqual({ lagEvents: 4, lagSeconds: 3_600 });
  expect(await lag(null)).toEqual({ lagEvents: 15, lagSeconds: 3_600 });
});

test('estimates many events by their positions, exactly if those have no gaps', async () => {
  const { lag } = await filled(500);
  expect(await lag(99)).toEqual({ lagEvents: 400, lagSeconds: 3_600 });
  expect(await lag(null)).toEqual({ lagEvents: 500, lagSeconds: 3_600 });
});
