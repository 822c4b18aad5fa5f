import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { silentLogger } from '../../../src/logger.ts';
import { Feed } from '../../../src/projections/engine/feed.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { openedLog } from '../commands/openedLog.ts';
import { openPlatform } from './node.ts';

const SCHEMAS = { Told: { version: 1, schema: { type: 'object' } } };

/** A feed at the head of a log, and how often it has read pages of the log. */
const followed = async () => {
  const { log } = openedLog(SCHEMAS);
  const pages: number[] = [];
  const readAll: typeof log.readAll = (options) => {
    pages.push(options.limit);
    return log.readAll(options);
  };
  const feed = new Feed({ log: { ...log, readAll }, clock: systemClock, logger: silentLogger });
  const over = new AbortController();
  const running = feed.run(over.signal);
  const append = async (bytes: number): Promise<Position> => {
    const context = { subject: 'a', actor: 'a', correlationId: 'c', causationId: 'c' };
    const event = { type: 'Told', data: { text: 'x'.repeat(bytes) } };
    return (await log.append(randomUUID(), { revision: 'no stream', hash: null }, [event], context)).position;
  };
  const readAfter = async (position: Position | null) => {
    const events = await feed.read(position);
    return events.length;
  };
  return { feed, pages, append, readAfter, end: () => Promise.all([over.abort(), running]) };
};

test('answers from its tail', async () => {
  const { feed, pages, append, readAfter, end } = await followed();
  const first = await append(10);
  await feed.wait(null, new AbortController().signal, 1_000);
  for (let n = 0; n < 5; n += 1) await append(10);
  await eventually(async () => expect(await readAfter(first)).toBe(5));
  expect(pages.length).toBeLessThanOrEqual(1);
  await end();
});

describe('events that follow each other closely', () => {
  const never = new AbortController().signal;

  /** After its first event: whether a projection that has handled this event has been woken. */
  const gathering = async () => {
    const clock = new ManualClock();
    const { log, append } = await openPlatform();
    const feed = new Feed({ log, clock, logger: silentLogger });
    const over = new AbortController();
    const running = feed.run(over.signal);
    /** Resolves when the feed has the event. */
    const arrives = async () => {
      const position = await append(randomUUID(), 'Noise');
      await eventually(() => expect(feed.end).toBe(position));
      return position;
    };
    const first = await arrives();
    await clock.advance(25);
    const readAfter = async (position: Position | null) => (await feed.read(position)).length;
    const end = () => Promise.all([over.abort(), running]);
    let woken = false;
    void feed.wait(first, never).then(() => {
      woken = true;
    });
    return { clock, feed, first, arrives, readAfter, isWoken: () => woken, end };
  };

  test('wake the projections once', async () => {
    const { clock, first, arrives, readAfter, isWoken, end } = await gathering();
    await arrives();
    await clock.advance(20);
    await arrives();
    await clock.advance(20);
    expect(isWoken()).toBe(false);
    expect(await readAfter(first)).toBe(0);
    await clock.advance(5);
    expect(isWoken()).toBe(true);
    expect(await readAfter(first)).toBe(2);
    await end();
  });

  test('wake them after a tenth of a second while more keep coming', async () => {
    const { clock, arrives, isWoken, end } = await gathering();
    for (let n = 0; n < 5; n += 1) {
      await arrives();
      expect(isWoken()).toBe(false);
      await clock.advance(20);
    }
    expect(isWoken()).toBe(true);
    await end();
  });

  test('wake them at once if a request waits for one of them', async () => {
    const { clock, feed, arrives, isWoken, end } = await gathering();
    feed.prioritize(await arrives());
    await clock.advance(0);
    expect(isWoken()).toBe(true);
    await end();
  });

  test('are gathered again when no request waits any more', async () => {
    const { clock, feed, arrives, isWoken, end } = await gathering();
    const [first, second] = [feed.prioritize('9'.repeat(20) as Position), feed.prioritize('8'.repeat(20) as Position)];
    first();
    second();
    await arrives();
    await clock.advance(0);
    expect(isWoken()).toBe(false);
    await clock.advance(25);
    expect(isWoken()).toBe(true);
    await end();
  });

  test('wake them at once while another request still waits', async () => {
    const { clock, feed, arrives, isWoken, end } = await gathering();
    const waitsNoLonger = feed.prioritize('9'.repeat(20) as Position);
    feed.prioritize('8'.repeat(20) as Position);
    waitsNoLonger();
    await arrives();
    await clock.advance(0);
    expect(isWoken()).toBe(true);
    await end();
  });
});
