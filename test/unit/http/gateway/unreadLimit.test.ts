import { expect, test } from 'vitest';
import { cutOffWhenUnread } from '../../../../src/http/gateway/webSocket/unreadLimit.ts';
import { ManualClock } from '../../../manualClock.ts';

const watched = () => {
  const clock = new ManualClock();
  const taken = new AbortController();
  const seen = { heardAt: clock.monotonic(), cut: false };
  const cutOff = () => {
    seen.cut = true;
  };
  void cutOffWhenUnread({ clock, taken: taken.signal, heardAt: () => seen.heardAt, cutOff });
  return { clock, taken, seen };
};

test('cuts off a client that has read and sent nothing for a minute', async () => {
  const { clock, seen } = watched();
  await clock.advance(59_000);
  expect(seen.cut).toBe(false);
  await clock.advance(2_000);
  expect(seen.cut).toBe(true);
});

test('keeps a client that still sends, until it has sent nothing for a minute', async () => {
  const { clock, seen } = watched();
  await clock.advance(50_000);
  seen.heardAt = clock.monotonic();
  await clock.advance(50_000);
  expect(seen.cut).toBe(false);
  await clock.advance(30_000);
  expect(seen.cut).toBe(true);
});

test('keeps a client that has read everything', async () => {
  const { clock, taken, seen } = watched();
  taken.abort();
  await clock.advance(300_000);
  expect(seen.cut).toBe(false);
});
