import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastSound, millisecondsOf, samplesOf, silence } from '../../../../src/http/openai/realtime/audioFormat.ts';

const decoded = (bytes: readonly number[], format: 'audio/pcmu' | 'audio/pcma'): number[] => {
  const samples = samplesOf(Buffer.from(bytes), format);
  return bytes.map((_, n) => samples.readInt16LE(n * 2));
};

describe('the samples of G.711', () => {
  test('match the standard at its ends and around zero', () => {
    expect(decoded([0xff, 0x7f, 0x80, 0x00], 'audio/pcmu')).toEqual([0, 0, 32_124, -32_124]);
    expect(decoded([0xd5, 0x55, 0xaa, 0x2a], 'audio/pcma')).toEqual([8, -8, 32_256, -32_256]);
  });

  test('grow with the magnitude of their code, symmetrically around zero', () => {
    for (const [format, invert] of [
      ['audio/pcmu', 0xff],
      ['audio/pcma', 0xd5],
    ] as const) {
      const positive = decoded(
        Array.from({ length: 128 }, (_, code) => code ^ invert),
        format,
      );
      const negative = decoded(
        Array.from({ length: 128 }, (_, code) => (code | 0x80) ^ invert),
        format,
      );
      expect(positive).toEqual(positive.toSorted((a, b) => a - b));
      expect(negative.map((sample) => Math.abs(sample))).toEqual(positive);
    }
  });
});

describe('the end of sound', () => {
  test('is null for silence and near-silence', () => {
    expect(lastSound(Buffer.alloc(9_600))).toBeNull();
    expect(lastSound(Buffer.from(new Int16Array(4_800).fill(20).buffer))).toBeNull();
  });

  test('is within one window of the true end, whatever noise follows it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 600, max: 20_000 }),
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 0, max: 300 }),
        (loud, quiet, noise) => {
          const samples = new Int16Array(loud + quiet).fill(noise);
          samples.fill(8_000, 0, loud);
          const end = lastSound(Buffer.from(samples.buffer));
          expect(end).toBeGreaterThanOrEqual(Math.min(loud, end ?? 0));
          expect(Math.abs((end ?? 0) - loud)).toBeLessThanOrEqual(480);
        },
      ),
    );
  });
});

test('counts as many samples per second as the format says', () => {
  expect(millisecondsOf(24_000, 'audio/pcm')).toBe(1_000);
  expect(millisecondsOf(8_000, 'audio/pcmu')).toBe(1_000);
});

test('silence takes no memory of its own, however many sessions wait for its write', () => {
  const [minute, short] = [silence(60_500, 'audio/pcm'), silence(100, 'audio/pcmu')];
  expect([minute.length, short.length]).toEqual([2_904_000, 1_600]);
  expect(minute.buffer).toBe(short.buffer);
});
