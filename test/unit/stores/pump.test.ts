import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { pump } from '../../../src/stores/pump.ts';

import { eventually } from '../../eventually.ts';

const MEBIBYTE = 1_048_576;

const roomFor = (most: number) => {
  let held = 0;
  return {
    add: (bytes: number) => {
      held += bytes;
    },
    get isFull() {
      return held > most;
    },
  };
};

/** Pumps the chunks, all of which are there when the first write begins. */
const pumped = async (chunks: readonly Buffer[]): Promise<(readonly Uint8Array[])[]> => {
  const frames: (readonly Uint8Array[])[] = [];
  await pump(Readable.from(chunks, { highWaterMark: chunks.length }), {
    limitBytes: 100 * MEBIBYTE,
    tooLarge: () => new Error('too large'),
    signal: new AbortController().signal,
    open: async () => {},
    write: async (frame) => {
      frames.push(frame);
    },
  });
  return frames;
};

test('stores a body in frames of at most 1 MiB, in order', async () => {
  const body = randomBytes(5 * MEBIBYTE + 17);
  const chunks = [1, 65_536, 3 * MEBIBYTE, 70_000, 2 * MEBIBYTE].map((length, n, all) => {
    const from = all.slice(0, n).reduce((sum, one) => sum + one, 0);
    return body.subarray(from, from + length);
  });
  const frames = await pumped(chunks);
  expect(Math.max(...frames.map((frame) => Buffer.concat(frame).length))).toBe(MEBIBYTE);
  expect(Buffer.compare(Buffer.concat(frames.flat()), body)).toBe(0);
});

test('joins a million single bytes into few frames', async () => {
  const body = randomBytes(MEBIBYTE);
  const frames = await pumped(Array.from(body, (_, n) => body.subarray(n, n + 1)));
  expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(256);
  expect(Buffer.compare(Buffer.concat(frames.flat()), body)).toBe(0);
});

test('gathers small frames while bodies of the same owner hold too much, and counts what it holds', async () => {
  const body = new PassThrough();
  const room = roomFor(300_000);
  const frames: number[] = [];
  const writes: (() => void)[] = [];
  const done = pump(body, {
    limitBytes: 100 * MEBIBYTE,
    tooLarge: () => new Error('too large'),
    signal: new AbortController().signal,
    open: async () => {},
    write: async (frame) => {
      frames.push(Buffer.concat(frame).length);
      if (frames.length === 1) await new Promise<void>((resolve) => writes.push(resolve));
    },
    room,
  });
  const chunk = Buffer.alloc(65_536);
  for (let n = 0; n < 20; n += 1) body.write(chunk);
  await eventually(() => expect(body.isPaused()).toBe(true));
  expect(room.isFull).toBe(true);
  writes[0]?.();
  body.end();
  expect(await done).toBe(20 * chunk.length);
  expect(Math.max(...frames)).toBeLessThanOrEqual(6 * chunk.length);
  expect(room.isFull).toBe(false);
});

test('takes no large piece beside the one that is being written while bodies of the same owner hold too much', async () => {
  const body = new PassThrough({ highWaterMark: 10 * MEBIBYTE });
  const room = roomFor(300_000);
  const frames: number[] = [];
  const writes: (() => void)[] = [];
  const done = pump(body, {
    limitBytes: 100 * MEBIBYTE,
    tooLarge: () => new Error('too large'),
    signal: new AbortController().signal,
    open: async () => {},
    write: async (frame) => {
      frames.push(Buffer.concat(frame).length);
      await new Promise<void>((resolve) => writes.push(resolve));
    },
    room,
  });
  const message = Buffer.alloc(500_000);
  for (let n = 0; n < 4; n += 1) body.write(message);
  body.end();
  for (const left of [3, 2, 1, 0]) {
    await eventually(() => expect(writes).toHaveLength(4 - left));
    expect(body.readableLength).toBe(left * message.length);
    writes.at(-1)?.();
  }
  expect(await done).toBe(4 * message.length);
  expect(frames).toEqual(Array(4).fill(message.length));
});
