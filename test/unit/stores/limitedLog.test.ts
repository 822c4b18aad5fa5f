import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { DISK_ELSEWHERE, type DiskSpace } from '../../../src/stores/diskSpace.ts';
import { WrongExpectedRevision } from '../../../src/stores/eventStore.ts';
import type { AppendContext } from '../../../src/stores/log/eventLog.ts';
import { limitedLog } from '../../../src/stores/log/limitedLog.ts';
import { LogPace } from '../../../src/stores/log/logPace.ts';
import { LogUsage } from '../../../src/stores/log/logUsage.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { openedLog } from '../commands/openedLog.ts';

const MEBIBYTE = 1_048_576;
const HEAD = { revision: 'no stream', hash: null } as const;
const by = (subject: string, actor: string = randomUUID()): AppendContext => ({ subject, actor, correlationId: 'c', causationId: 'c' });
const event = (bytes: number) => ({ type: 'Large', data: { text: 'x'.repeat(bytes) } });

/** A log that takes everything, and which appends have gone. */
const limited = (limit = 0, disk: Pick<DiskSpace, 'isShort' | 'count'> = DISK_ELSEWHERE) => {
  const clock = new ManualClock();
  const [pace, usage] = [new LogPace(clock), new LogUsage(limit, clock)];
  const { log } = openedLog({ Large: { version: 1, schema: { type: 'object' } } });
  const slowed = limitedLog(log, { pace, usage, disk });
  const gone: string[] = [];
  const append = (name: string, bytes: number, context = by('a')) =>
    void slowed.append(randomUUID(), HEAD, [event(bytes)], context).then(() => gone.push(name));
  return { clock, log, pace, usage, slowed, gone, append };
};

test('slows down what users append, small events too, and never the platform', async () => {
  const { clock, gone, append } = limited();
  append('burst', 5 * MEBIBYTE);
  append('small', 100);
  append('platform', MEBIBYTE, by('a', 'processor/llm@node'));
  append('other', MEBIBYTE, by('b'));
  await eventually(() => expect(gone.sort()).toEqual(['burst', 'other', 'platform']));
  await clock.advance(1_000);
  await eventually(() => expect(gone).toContain('small'));
});

test('counts facts about webhooks for the pace of the next commands, without slowing them down', async () => {
  const { pace, gone, append } = limited();
  for (let n = 0; n < 14; n += 1) append(`facts ${n}`, MEBIBYTE - 1_000, by('a', 'delivery'));
  await eventually(() => expect(gone).toHaveLength(14));
  expect(pace.retryAfter('a')).toBe(5);
  expect(pace.retryAfter('b')).toBeNull();
});

test("does not slow down an administrator's command about a user, but counts it", async () => {
  const { pace, gone, append } = limited();
  append('burst', 13 * MEBIBYTE);
  append('administrator', 100, { ...by('a'), aboutOther: true });
  await eventually(() => expect(gone.sort()).toEqual(['administrator', 'burst']));
  expect(pace.retryAfter('a')).toBe(5);
  append('large', MEBIBYTE * 4, { ...by('a'), aboutOther: true });
  await eventually(() => expect(gone).toContain('large'));
  expect(pace.retryAfter('a')).toBe(7);
});

test('slows down a command once that is repeated after a conflict', async () => {
  const { clock, pace, slowed, gone, append } = limited();
  const [stream, context] = [randomUUID(), by('a')];
  await slowed.append(stream, HEAD, [event(100)], context);
  append('burst', 5 * MEBIBYTE);
  await eventually(() => expect(gone).toEqual(['burst']));
  const conflict = slowed.append(stream, HEAD, [event(100)], context);
  const refused = expect(conflict).rejects.toThrow(WrongExpectedRevision);
  await clock.advance(1_000);
  await refused;
  pace.count('a', 5 * MEBIBYTE);
  append('repeated', 100, context);
  await eventually(() => expect(gone).toContain('repeated'));
  append('next', 100, context);
  await clock.advance(100);
  expect(gone).not.toContain('next');
});

test("counts an administrator's command once that is repeated after conflicts", async () => {
  const { log, pace, usage } = limited();
  const counted: [string, number][] = [];
  const count = (subject: string, bytes: number): void => {
    counted.push([subject, bytes]);
    pace.count(subject, bytes);
  };
  const slowed = limitedLog(log, { pace: { wait: pace.wait.bind(pace), count }, usage, disk: DISK_ELSEWHERE });
  const stream = randomUUID();
  const context: AppendContext = { ...by('a'), aboutOther: true };
  const { head } = await log.append(stream, HEAD, [event(100)], by('b'));
  const command = [event(1_000)];
  for (let n = 0; n < 3; n += 1) await expect(slowed.append(stream, HEAD, command, context)).rejects.toThrow(WrongExpectedRevision);
  expect(counted).toEqual([]);
  await slowed.append(stream, head, command, context);
  expect(counted).toEqual([['a', Buffer.byteLength(JSON.stringify(command[0]?.data))]]);
});

test('counts every event of a user, and none of the platform itself', async () => {
  const { usage, gone, append } = limited(10_000);
  for (const actor of ['policy:retention', 'processor/llm@node', 'delivery', 'bootstrap', 'command line', 'import'])
    append(actor, 1_000_000, by('a', actor));
  await eventually(() => expect(gone).toHaveLength(6));
  expect(usage.retryAfter('a')).toBeNull();
  for (let n = 0; n < 16; n += 1) append('own', 0);
  append('outside', 0, by('a', 'jwt:https://issuer.example'));
  await eventually(() => expect(usage.retryAfter('a')).toBeGreaterThan(0));
});

test('counts all events about a user for the share of a short disk, those of the platform too', async () => {
  const counted: [string, number][] = [];
  const disk = { isShort: true, count: (subject: string, bytes: number) => void counted.push([subject, bytes]) };
  const { gone, append } = limited(0, disk);
  append('user', 1_000);
  append('processor', 2_000, by('b', 'processor/llm@node'));
  append('delivery', 3_000, by('c', 'delivery'));
  await eventually(() => expect(gone).toHaveLength(3));
  const least = counted.sort().map(([subject, bytes]) => [subject, Math.floor(bytes / 1_000)]);
  expect(least).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  disk.isShort = false;
  append('later', 1_000);
  await eventually(() => expect(gone).toHaveLength(4));
  expect(counted).toHaveLength(3);
});
