import { describe, expect, test } from 'vitest';
import { Traffic } from '../../../src/http/traffic.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1_048_576;

/** Traffic of users, and which pieces have moved, in order. */
const moved = (load = { busy: true }) => {
  const clock = new ManualClock();
  const traffic = new Traffic(clock, load);
  const gone: string[] = [];
  const move = (name: string, bytes: number, user = 'a') => {
    const waiting = traffic.wait(user, bytes);
    if (waiting) void waiting.then(() => gone.push(name));
    else gone.push(name);
  };
  /** Two seconds in which the user moves 2 MiB each quarter of a second, beside another. */
  const contend = async () => {
    for (let n = 0; n < 8; n += 1) {
      traffic.note('b');
      move('before', 2 * MEBIBYTE);
      await clock.advance(250);
    }
    await clock.advance(5_000);
    traffic.note('b');
    gone.length = 0;
  };
  return { clock, load, traffic, gone, move, contend };
};

describe('the traffic of a user', () => {
  test('moves at once if no one else is active, or while the event loop has time to spare', async () => {
    const { clock, load, traffic, gone, move } = moved();
    for (let n = 0; n < 100; n += 1) move('alone', MEBIBYTE);
    expect(gone).toHaveLength(100);
    load.busy = false;
    await clock.advance(10_000);
    for (let n = 0; n < 20; n += 1) {
      traffic.note('b');
      move('beside another', 8 * MEBIBYTE);
      await clock.advance(250);
    }
    expect(gone).toHaveLength(120);
  });

  test('moves at once an hour after the event loop was busy', async () => {
    const { clock, load, traffic, gone, move, contend } = moved();
    await contend();
    load.busy = false;
    await clock.advance(3_600_000);
    for (let n = 0; n < 10; n += 1) {
      traffic.note('b');
      move('later', 8 * MEBIBYTE);
    }
    expect(gone).toHaveLength(10);
  });

  test('slows down, while the event loop is busy, to 4 MiB a second if it is more than the mean, and no one else slows down', async () => {
    const { clock, gone, move, contend } = moved();
    await contend();
    for (const name of ['1', '2', '3']) move(name, 4 * MEBIBYTE);
    for (let n = 0; n < 10; n += 1) move('other', 50_000, 'b');
    expect(gone).toEqual(['1', ...Array.from({ length: 10 }, () => 'other')]);
    await clock.advance(1_001);
    expect(gone.at(-1)).toBe('2');
    await clock.advance(1_001);
    expect(gone.at(-1)).toBe('3');
  });

  test('gets faster, a quarter in a quarter of a second, when the loop has time to spare again', async () => {
    const { clock, load, traffic, gone, move, contend } = moved();
    await contend();
    load.busy = false;
    for (let n = 0; n < 20; n += 1) {
      traffic.note('b');
      move('slow', MEBIBYTE / 8);
      await clock.advance(250);
    }
    traffic.note('b');
    gone.length = 0;
    for (let n = 0; n < 50; n += 1) move('fast', 2 * MEBIBYTE);
    expect(gone).toHaveLength(50);
  });

  test('waits for less than half as long if the event loop becomes free meanwhile, in the same order', async () => {
    const { clock, load, gone, move, contend } = moved();
    await contend();
    for (const name of ['1', '2', '3']) move(name, 10 * MEBIBYTE);
    expect(gone).toEqual(['1']);
    load.busy = false;
    await clock.advance(2_400);
    expect(gone).toEqual(['1', '2', '3']);
  });

  test('is not slowed down below 1 MiB in two seconds', async () => {
    const { gone, move, contend } = moved();
    await contend();
    for (let n = 0; n < 16; n += 1) move('modest', 30_000);
    expect(gone).toHaveLength(16);
  });

  test('waits for at most five seconds', async () => {
    const { clock, gone, move, contend } = moved();
    await contend();
    for (let n = 0; n < 100; n += 1) move('piece', 16 * MEBIBYTE);
    await clock.advance(5_000);
    expect(gone).toHaveLength(100);
  });
});
