import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChannelMixer } from '../../../../src/processors/media/mixdown.ts';

const FRAMES = 1_600;

/** A tenth of a second of a tone whose amplitude in each channel is given. */
const tone = (amplitudes: readonly number[], hertz = 440): Buffer => {
  const samples = new Int16Array(FRAMES * amplitudes.length);
  for (let n = 0; n < samples.length; n++) {
    const frame = Math.floor(n / amplitudes.length);
    samples[n] = Math.round((amplitudes[n % amplitudes.length] ?? 0) * Math.sin((2 * Math.PI * hertz * frame) / 16_000));
  }
  return Buffer.from(samples.buffer);
};

const loudest = (data: Buffer, channel = 0, channels = 1): number => {
  const samples = new Int16Array(new Uint8Array(data).buffer);
  return samples.reduce((most, one, n) => (n % channels === channel ? Math.max(most, Math.abs(one)) : most), 0);
};

/** The mix of the second tenth of a second: in the first one the loudness settles. */
const settled = (amplitudes: readonly number[], wanted = 1): Buffer => {
  const mixer = new ChannelMixer(wanted);
  mixer.mixed(tone(amplitudes), amplitudes.length);
  return mixer.mixed(tone(amplitudes), amplitudes.length);
};

const only = (channels: number, channel: number) => Array.from({ length: channels }, (_, n) => (n === channel ? 12_000 : 0));

describe('a mix of all channels', () => {
  test.each([
    ['two in opposite phase', [12_000, -12_000]],
    ['three, one of them in opposite phase', [12_000, -12_000, 12_000]],
    ['four in opposite phase', [12_000, -12_000, 12_000, -12_000]],
    ['a quieter one in opposite phase', [12_000, -9_000]],
    ['a louder one in opposite phase', [9_000, -12_000]],
    ['two that are equal', [12_000, 12_000]],
    ['left only', [12_000, 0]],
    ['right only', [0, 12_000]],
    ['the low-frequency channel of 5.1', only(6, 3)],
    ['the last of 8', only(8, 7)],
    ['the last of 9', only(9, 8)],
    ['the last of 32', only(32, 31)],
    ['all of 10', Array<number>(10).fill(12_000)],
    ['all of 12', Array<number>(12).fill(12_000)],
  ])('is as loud as its loudest channel: %s', (_, amplitudes) => {
    expect(Math.abs(loudest(settled(amplitudes)) - 12_000)).toBeLessThan(120);
  });

  test('has the sound of one channel when the other one falls silent or begins to oppose it', () => {
    const mixer = new ChannelMixer(1);
    const steps = [
      [12_000, 12_000],
      [12_000, 0],
      [12_000, -12_000],
      [0, -12_000],
      [0, 0],
      [12_000, 12_000],
    ];
    expect(steps.map((amplitudes) => loudest(mixer.mixed(tone(amplitudes), 2)) > 11_000)).toEqual([true, true, true, true, false, true]);
  });

  test('is never much quieter than the louder of two channels', () => {
    const level = fc.integer({ min: -20_000, max: 20_000 });
    fc.assert(
      fc.property(level, level, (left, right) => {
        const most = Math.max(Math.abs(left), Math.abs(right));
        return loudest(settled([left, right])) >= 0.8 * most - 2;
      }),
      { numRuns: 50 },
    );
  });
});

test('one channel and two channels pass unchanged', () => {
  const [mono, stereo] = [tone([9_000]), tone([9_000, 3_000])];
  expect(new ChannelMixer(1).mixed(mono, 1)).toBe(mono);
  expect(new ChannelMixer(2).mixed(stereo, 2)).toBe(stereo);
});

test('of two sides, each has every second channel, and both have the only one', () => {
  const sides = (amplitudes: readonly number[]) => [0, 1].map((side) => loudest(settled(amplitudes, 2), side, 2));
  expect(sides([0, 0, 12_000, 6_000])).toEqual([12_000, 6_000]);
  expect(sides(only(16, 15))).toEqual([0, 12_000]);
  expect(sides([12_000])).toEqual([12_000, 12_000]);
});
