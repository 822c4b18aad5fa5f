import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { pump } from '../../../src/stores/pump.ts';

const MEBIBYTE = 1_048_576;

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
