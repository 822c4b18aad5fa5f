import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkMedia, isLongMedia, runTimeFor } from '../../../../src/processors/media/mediaFacts.ts';
import { readWavHeader } from '../../../../src/processors/media/wavHeader.ts';
import { withinRunTime } from '../../../../src/processors/media/withinRunTime.ts';
import { ManualClock } from '../../../manualClock.ts';

const never = new AbortController().signal;
const LIMITS = { maxSeconds: 14_400 };

/** A WAV file of plain 16-bit mono samples; `announced` is what its header says of the data's length. */
const wav = (sampleRate: number, bytes: number, announced = bytes): Buffer => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + announced, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(announced, 40);
  return Buffer.concat([header, Buffer.alloc(bytes)]);
};

describe('the head of a WAV file', () => {
  test('gives sample rate and duration', () => {
    const file = wav(16_000, 32_000);
    expect(readWavHeader(file, file.length)).toMatchObject({ sampleRate: 16_000, channels: 1, milliseconds: 1_000 });
  });

  test('does not trust the length in the header', () => {
    const file = wav(16_000, 320_000, 100);
    expect(readWavHeader(file.subarray(0, 100), file.length)?.milliseconds).toBe(10_000);
  });

  test('finds 5.5 hours in 400 kB at 10 Hz', () => {
    const file = wav(10, 400_000);
    expect(readWavHeader(file, file.length)).toMatchObject({ sampleRate: 10, milliseconds: 20_000_000 });
  });

  test('reads any bytes without failing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, dressed) => {
        const file = dressed ? Buffer.concat([wav(8_000, 0).subarray(0, 36), bytes]) : bytes;
        const facts = readWavHeader(file, file.length);
        return facts === null || facts.milliseconds === null || facts.milliseconds >= 0;
      }),
    );
  });
});

describe('a recording', () => {
  test('is refused below 4,000 Hz and above MEDIA_MAX_SECONDS', () => {
    const facts = { sampleRate: 8_000, channels: 1, milliseconds: 14_400_000, track: 0, soundTracks: 1, begins: 0, parts: [], rest: 0 };
    expect(() => checkMedia(facts, LIMITS)).not.toThrow();
    expect(() => checkMedia({ ...facts, sampleRate: 3_999 }, LIMITS)).toThrow('sample rate of 3999 Hz');
    expect(() => checkMedia({ ...facts, milliseconds: 14_400_001 }, LIMITS)).toThrow('MEDIA_MAX_SECONDS');
  });

  test('is classified, and its run time limited, by its decoded length', () => {
    expect([null, 60_000, 600_000].map((milliseconds) => isLongMedia({ milliseconds }))).toEqual([null, false, true]);
    const minute = { milliseconds: 60_000 };
    expect(runTimeFor(minute, LIMITS)).toBe(600_000);
    expect(runTimeFor(null, LIMITS)).toBeGreaterThan(runTimeFor(minute, LIMITS));
  });
});

test("fails a run that exceeds its recording's time limit, with a reason", async () => {
  const clock = new ManualClock();
  const hanging = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  const run = withinRunTime({ clock, signal: never, limit: 60_000 }, hanging);
  const failed = expect(run).rejects.toMatchObject({
    errorName: 'PROCESSOR_GENERAL_ERROR',
    message: expect.stringContaining('60 seconds'),
  });
  await clock.advance(60_000);
  await failed;
  const cancel = new AbortController();
  const cancelled = withinRunTime({ clock, signal: cancel.signal, limit: 60_000 }, hanging);
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(await withinRunTime({ clock, signal: never, limit: 1 }, async () => 'done')).toBe('done');
});
