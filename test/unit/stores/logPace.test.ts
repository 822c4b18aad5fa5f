import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { LogPace, pacedLog } from '../../../src/stores/log/logPace.ts';
import { ManualClock } from '../../manualClock.ts';
import { openedLog } from '../commands/openedLog.ts';

const MEBIBYTE = 1_048_576;
const by = (subject: string, actor: string = randomUUID()) => ({ subject, actor, correlationId: 'c', causationId: 'c' });

/** Appends of a user, and which of them have gone. */
const paced = (clock: ManualClock) => {
  const pace = new LogPace(clock);
  const gone: string[] = [];
  const append = (name: string, bytes: number, context = by('a')) => void pace.wait(context, bytes).then(() => gone.push(name));
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

test("limits a user's appends to several event streams together", async () => {
  const clock = new ManualClock();
  const { log } = openedLog({});
  const gone: string[] = [];
  const slowed = pacedLog({ ...log, appendTogether: async () => [] }, new LogPace(clock));
  const event = { type: 'Large', data: { text: 'x'.repeat(5 * MEBIBYTE) } };
  const append = (name: string) =>
    void slowed
      .appendTogether?.([{ eventStream: 'a', head: { revision: 'no stream', hash: null }, events: [event], context: by('a') }], [])
      .then(() => gone.push(name));
  append('1');
  append('2');
  await clock.advance(0);
  expect(gone).toEqual(['1']);
  await clock.advance(1_000);
  expect(gone).toEqual(['1', '2']);
});

test('never delays small events, other users or the platform', async () => {
  const clock = new ManualClock();
  const { gone, append } = paced(clock);
  append('burst', 40 * MEBIBYTE);
  append('small', 16_000);
  append('other', MEBIBYTE, by('b'));
  append('platform', MEBIBYTE, by('a', 'processor/llm@node'));
  append('large', MEBIBYTE);
  await clock.advance(0);
  expect(gone).toEqual(['burst', 'small', 'other', 'platform']);
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
