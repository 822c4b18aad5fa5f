import { expect, test } from 'vitest';
import { LogPace } from '../../../src/stores/log/logPace.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1_048_576;

/** Appends of a user, and which of them have gone. */
const paced = (clock: ManualClock) => {
  const pace = new LogPace(clock);
  const gone: string[] = [];
  const append = (name: string, bytes: number, subject = 'a') => void pace.wait(subject, bytes).then(() => gone.push(name));
  return { pace, gone, append };
};

test('allows a burst of 4 MiB, then 2 MiB a second', async () => {
  const clock = new ManualClock();
  const { gone, append } = paced(clock);
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '8']) append(name, MEBIBYTE);
  await clock.advance(0);
  expect(gone).toEqual(['1', '2', '3', '4', '5']);
  await clock.advance(500);
  expect(gone).toHaveLength(6);
  await clock.advance(1_000);
  expect(gone).toHaveLength(8);
});

test('never holds up other users', async () => {
  const clock = new ManualClock();
  const { gone, append } = paced(clock);
  append('burst', 40 * MEBIBYTE);
  append('other', MEBIBYTE, 'b');
  append('more', MEBIBYTE);
  await clock.advance(0);
  expect(gone).toEqual(['burst', 'other']);
});

test('counts small appends too', async () => {
  const clock = new ManualClock();
  const { pace, gone, append } = paced(clock);
  const count = (20 * MEBIBYTE) / 1_024;
  for (let n = 0; n < count; n += 1) append(String(n), 1_024);
  await clock.advance(0);
  expect(gone).toHaveLength((4 * MEBIBYTE) / 1_024 + 1);
  expect(pace.retryAfter('a')).toBe(8);
});

test('names the seconds to wait when a user is over four seconds ahead', async () => {
  const clock = new ManualClock();
  const { pace, append } = paced(clock);
  append('a little', 10 * MEBIBYTE);
  expect(pace.retryAfter('a')).toBeNull();
  append('too much', 10 * MEBIBYTE);
  expect(pace.retryAfter('a')).toBe(8);
  await clock.advance(4_000);
  expect(pace.retryAfter('a')).toBeNull();
});
