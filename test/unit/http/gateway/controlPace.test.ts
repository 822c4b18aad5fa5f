import { expect, test } from 'vitest';
import { ControlPace } from '../../../../src/http/gateway/webSocket/controlPace.ts';
import { ManualClock } from '../../../manualClock.ts';

const times = (pace: ControlPace, count: number): number => Array.from({ length: count }, () => pace.take()).at(-1) ?? 0;

test('allows a burst of 100 control frames, then 20 a second', async () => {
  const clock = new ManualClock();
  const pace = new ControlPace(clock);
  expect(times(pace, 100)).toBe(0);
  expect(pace.take()).toBe(50);
  expect(pace.take()).toBe(100);
  await clock.advance(100);
  expect(pace.take()).toBe(50);
});

test('allows another burst a while after a flood', async () => {
  const clock = new ManualClock();
  const pace = new ControlPace(clock);
  times(pace, 120);
  await clock.advance(60_000);
  expect(times(pace, 100)).toBe(0);
});
