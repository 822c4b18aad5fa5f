import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { BytesInAll, BytesOfUsers } from '../../../src/http/bytesOfUsers.ts';
import { HeldFrames } from '../../../src/http/heldFrames.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import type { FrameRoom } from '../../../src/stores/topics.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const KIBIBYTE = 1_024;

/** Limits in KiB. */
const heldFrames = (perUser: number, inTotal: number, memory = { scarcity: 0 }, clock = new ManualClock()) =>
  new HeldFrames({ perUser: perUser * KIBIBYTE, inTotal: inTotal * KIBIBYTE }, new BytesOfUsers(new BytesInAll()), memory, clock);

/** A reading that asks for room; `free` is set when it has it. */
const reading = (room: FrameRoom, kibibytes: number, signal?: AbortSignal) => {
  const asked: { free: (() => void) | null; refused: unknown } = { free: null, refused: null };
  room.take(kibibytes * KIBIBYTE, signal).then(
    (free) => {
      asked.free = free;
    },
    (error: unknown) => {
      asked.refused = error;
    },
  );
  return asked;
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('frames that wait for slow readers', () => {
  it('of a user are bounded: further readings wait in order until some are taken', async () => {
    const frames = heldFrames(1_000, 10_000);
    const room = frames.roomOf('a');
    const [first, second, third, fourth] = [reading(room, 600), reading(room, 400), reading(room, 500), reading(room, 100)];
    await settled();
    expect([first, second, third, fourth].map(({ free }) => free !== null)).toEqual([true, true, false, false]);
    second.free?.();
    second.free?.();
    await settled();
    expect([third.free, fourth.free]).toEqual([null, null]);
    first.free?.();
    await settled();
    expect([third.free, fourth.free]).not.toContain(null);
    expect(frames.total).toBe(600 * KIBIBYTE);
  });

  it('of all users are bounded, but a user who holds none is never delayed', async () => {
    const frames = heldFrames(1_000, 2_000);
    const [a, b, c] = [frames.roomOf('a'), frames.roomOf('b'), frames.roomOf('c')];
    const held = [reading(a, 1_000), reading(b, 1_000), reading(c, 800)];
    const more = reading(c, 100);
    await settled();
    expect(held.map(({ free }) => free !== null)).toEqual([true, true, true]);
    expect(more.free).toBeNull();
    held[0]?.free?.();
    await settled();
    expect(more.free).not.toBeNull();
  });

  it('of all users are bounded by a quarter while memory is scarce', async () => {
    const memory = { scarcity: 1 };
    const room = heldFrames(1_000, 2_000, memory).roomOf('a');
    const [first, second, third] = [reading(room, 200), reading(room, 50), reading(room, 100)];
    await settled();
    expect([first, second, third].map(({ free }) => free !== null)).toEqual([true, true, false]);
    memory.scarcity = 0;
    second.free?.();
    await settled();
    expect(third.free).not.toBeNull();
  });

  it('are read within 250 ms once memory is ample again, by a timer that runs only while readings wait', async () => {
    const memory = { scarcity: 1 };
    const clock = new ManualClock();
    const room = heldFrames(1_000, 2_000, memory, clock).roomOf('a');
    const [first, second] = [reading(room, 200), reading(room, 100)];
    await clock.advance(1_000);
    expect([first.free !== null, second.free !== null, clock.sleeping]).toEqual([true, false, 1]);
    memory.scarcity = 0;
    await clock.advance(250);
    expect([second.free !== null, clock.sleeping]).toEqual([true, 0]);
  });

  it('do not delay small readings, such as live messages', async () => {
    const room = heldFrames(1_000, 1_000).roomOf('a');
    reading(room, 1_000);
    const [large, small] = [reading(room, 17), reading(room, 16)];
    await settled();
    expect([large.free !== null, small.free !== null]).toEqual([false, true]);
  });

  it('are not waited for by a reading whose client has left', async () => {
    const frames = heldFrames(1_000, 10_000);
    const room = frames.roomOf('a');
    reading(room, 800);
    const leaving = new AbortController();
    const [second, third] = [reading(room, 1_000, leaving.signal), reading(room, 200)];
    await settled();
    expect(third.free).toBeNull();
    leaving.abort(new Error('left'));
    await settled();
    expect(second.refused).toEqual(new Error('left'));
    expect(third.free).not.toBeNull();
    expect(frames.total).toBe(1_000 * KIBIBYTE);
  });

  it('hold what their topics have in memory for them, until the next ones are asked for', async () => {
    const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock });
    onTestFinished(() => topics.close());
    const topic = randomUUID();
    const frame = Buffer.alloc(400_000, 'a');
    await topics.create(topic);
    await topics.append(topic, [frame]);
    await topics.append(topic, [frame]);
    await topics.seal(topic);
    const frames = heldFrames(480, 480);
    const [slow, waiting] = [0, 1].map(() => topics.read(topic, { room: frames.roomOf('a') })[Symbol.asyncIterator]());
    await slow?.next();
    expect(frames.total).toBeGreaterThanOrEqual(400_000);
    expect(frames.total).toBeLessThan(500_000);
    let seen = 0;
    const reads = waiting?.next().then(() => (seen += 1));
    await slow?.next();
    expect(frames.total).toBeLessThan(500_000);
    await slow?.return?.();
    await reads;
    await eventually(() => expect(seen).toBe(1));
    await waiting?.return?.();
    expect(frames.total).toBe(0);
  });
});
