import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectMedia, namedFailure } from '../../../../src/processors/media/inspectMedia.ts';
import { decodeFile } from '../../../../src/processors/transcriber/decoding.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { wavOf } from '../../../wav.ts';

export const never = new AbortController().signal;

/** Path of a new file in a folder of its own. */
export const newFile = (name: string): string => {
  const folder = temporaryDirectory();
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
};

/** A file that ffmpeg writes. */
export const made = (name: string, ...options: string[]): string => {
  const path = newFile(name);
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...options, '-y', path]);
  return path;
};

/** Files one after another, byte by byte. */
export const joined = (...paths: readonly string[]): string => {
  const path = newFile('joined');
  writeFileSync(path, Buffer.concat(paths.map((one) => readFileSync(one))));
  return path;
};

/** Options of ffmpeg for a tone of half a second. */
export const TONE = ['-f', 'lavfi', '-i', 'sine=440:d=0.5:r=16000'];
export const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=5:d=4'];

/** A WAV file of 16-bit samples at 16 kHz: a tone of half a second whose amplitude in each channel is given. */
export const toneIn = (amplitudes: readonly number[]): string => {
  const frames = 8_000;
  const channels = amplitudes.length;
  const samples = new Int16Array(frames * channels);
  for (let n = 0; n < samples.length; n++) {
    const frame = Math.floor(n / channels);
    samples[n] = Math.round((amplitudes[n % channels] ?? 0) * Math.sin((2 * Math.PI * 440 * frame) / 16_000));
  }
  const path = newFile('tone.wav');
  writeFileSync(path, wavOf(Buffer.from(samples.buffer), channels));
  return path;
};

export const inspected = (path: string) => inspectMedia(path, 'ffprobe', never);

/** The reason why the file cannot be decoded. */
export const refusalOf = async (path: string): Promise<string> => {
  const found = await inspected(path);
  if ('facts' in found) throw new Error('the file can be decoded');
  return (await namedFailure(found.failure, path, 'ffprobe', never)).message;
};

export const factsOf = async (path: string) => {
  const found = await inspected(path);
  if ('failure' in found) throw found.failure;
  return found.facts;
};

const BYTES_A_MILLISECOND = 32;
const STEP_MILLISECONDS = 20;
const AUDIBLE = 300;

/** Decodes a file. `sounds`: the times at which sound begins, in milliseconds, in each channel; `loudest`: the highest sample of each channel. */
export const decoded = async (path: string, { channels = 1, maxSeconds = 14_400 } = {}) => {
  const limits = { maxSeconds };
  const audio = decodeFile('ffmpeg', { path, facts: await factsOf(path), limits, channels, signal: never });
  const chunks: Buffer[] = [];
  for await (const chunk of audio.samples()) chunks.push(chunk);
  const all = Buffer.concat(chunks);
  const samples = new Int16Array(new Uint8Array(all).buffer);
  const each = Array.from({ length: channels }, (_, own) => samples.filter((_, n) => n % channels === own));
  const { length, processed, warnings } = audio;
  const loudest = each.map((channel) => channel.reduce((most, one) => Math.max(most, Math.abs(one)), 0));
  return { length, processed, warnings, loudest, sounds: each.map(beginnings) };
};

const beginnings = (samples: Int16Array): number[] => {
  const step = (STEP_MILLISECONDS * BYTES_A_MILLISECOND) / 2;
  const found: number[] = [];
  let was = false;
  for (let at = 0; at < samples.length; at += step) {
    const is = samples.subarray(at, at + step).some((one) => Math.abs(one) > AUDIBLE);
    if (is && !was) found.push((at / step) * STEP_MILLISECONDS);
    was = is;
  }
  return found;
};
