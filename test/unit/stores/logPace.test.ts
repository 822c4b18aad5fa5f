import { describe, expect, test } from 'vitest';
import { LogPace } from '../../../src/stores/log/logPace.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1_048_576;

/** Appends of a user, and which of them have gone. */
const paced = (clock: ManualClock, load = { busy: false }) => {
  const pace = new LogPace(clock, load);
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

describe('while the event loop is busy', () => {
  const load = { busy: true };

  test('slows a user who appends more than the mean of the active users to 256 KiB a second, and no one else', async () => {
    const clock = new ManualClock();
    const { gone, append } = paced(clock, load);
    append('other 1', 3_000, 'b');
    for (const name of ['1', '2', '3', '4']) append(name, MEBIBYTE / 4);
    append('other 2', 3_000, 'b');
    await clock.advance(0);
    expect(gone).toEqual(['other 1', '1', '2', 'other 2']);
    await clock.advance(500);
    append('other 3', 3_000, 'b');
    await clock.advance(500);
    expect(gone).toContain('3');
    expect(gone).not.toContain('4');
    await clock.advance(1_000);
    expect(gone).toContain('4');
  });

  test('delays an append by less than ten seconds', async () => {
    const clock = new ManualClock();
    const { pace, gone, append } = paced(clock, load);
    append('other', 1, 'b');
    // Four seconds ahead of the usual pace, the next command is 429.
    pace.count('a', 12 * MEBIBYTE);
    expect(pace.retryAfter('a')).toBeNull();
    append('longest', 1_000);
    for (let waited = 0; waited < 9_750; waited += 250) {
      append('other', MEBIBYTE / 16, 'b');
      pace.count('a', MEBIBYTE);
      await clock.advance(250);
    }
    expect(gone).toContain('longest');
  });

  test('does not slow down a user who appends less than 64 KiB, whatever the others append', async () => {
    const clock = new ManualClock();
    const { pace, gone, append } = paced(clock, load);
    for (const subject of ['b', 'c', 'd']) append('other', 100, subject);
    await clock.advance(0);
    for (let second = 0; second < 20; second += 1) {
      pace.count('a', 30_000);
      append('other', 100, 'b');
      await clock.advance(1_000);
    }
    append('modest', 1_000);
    await clock.advance(0);
    expect(gone).toContain('modest');
  });

  test('does not slow down a user alone, or users who append alike', async () => {
    const clock = new ManualClock();
    const { gone, append } = paced(clock, load);
    for (const name of ['1', '2', '3']) append(name, MEBIBYTE);
    await clock.advance(0);
    expect(gone).toEqual(['1', '2', '3']);
    await clock.advance(60_000);
    for (let round = 0; round < 40; round += 1) for (const subject of ['a', 'b', 'c', 'd']) append(subject, MEBIBYTE / 64, subject);
    await clock.advance(0);
    expect(gone).toHaveLength(163);
  });

  test('lets waiting appends go when the loop is free again, or the other users have stopped', async () => {
    const clock = new ManualClock();
    const now = { busy: true };
    const { gone, append } = paced(clock, now);
    append('other', 3_000, 'b');
    append('burst', MEBIBYTE);
    append('waiting', 1_000);
    await clock.advance(0);
    expect(gone).toEqual(['other', 'burst']);
    now.busy = false;
    await clock.advance(250);
    expect(gone).toEqual(['other', 'burst', 'waiting']);
  });
});
