import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { DECODER } from '../src/processors/transcriber/engineChoice.ts';
import type { TranscriberSettings } from '../src/processors/transcriber/transcriber.ts';
import { findCommand } from '../src/speech/engineProcess.ts';
import { installedModels } from '../src/speech/models/installedModels.ts';
import { packagedModel } from '../src/speech/models/packagedModel.ts';
import { openSpeechWorkers } from '../src/speech/openSpeechWorkers.ts';
import { wavOf } from './wav.ts';

const run = promisify(execFile);

/** A text, its flite voice, and the silence before it. */
export interface Saying {
  text: string;
  voice?: 'slt' | 'rms';
  /** Milliseconds of silence before. */
  after?: number;
}

const filters = (sayings: readonly Saying[], label: string): string => {
  const parts = sayings.map(({ text, voice = 'slt', after = 0 }, n) => {
    if (!/^[a-z0-9 .,!?-]+$/i.test(text)) throw new Error('plain words only: the text becomes part of a filter');
    return `flite=text='${text.replaceAll(',', '')}':voice=${voice},aresample=16000,adelay=${after}[${label}${n}]`;
  });
  const inputs = sayings.map((_, n) => `[${label}${n}]`).join('');
  return `${parts.join(';')};${inputs}concat=n=${sayings.length}:v=0:a=1[${label}]`;
};

/** Channels are brought to the same length. */
const PAD = 'apad=whole_dur=6';

const spoken = new Map<string, Promise<Buffer>>();

/**
 * A spoken recording: one list of texts makes mono, two make stereo. `format` is a file ending that ffmpeg knows. The same words are the same buffer.
 */
export const speech = (channels: readonly (readonly Saying[])[], format = 'wav'): Promise<Buffer> => {
  const words = JSON.stringify([channels, format]);
  const recording = spoken.get(words) ?? speak(channels, format);
  spoken.set(words, recording);
  return recording;
};

const speak = async (channels: readonly (readonly Saying[])[], format: string): Promise<Buffer> => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-speech-'));
  const path = join(directory, `speech.${format}`);
  const [left, right] = channels;
  const graph = right
    ? `${filters(left ?? [], 'l')};${filters(right, 'r')};[l]${PAD}[lp];[r]${PAD}[rp];[lp][rp]join=inputs=2:channel_layout=stereo[out]`
    : `${filters(left ?? [], 'l')};[l]anull[out]`;
  try {
    await run('ffmpeg', ['-v', 'error', '-filter_complex', graph, '-map', '[out]', '-y', path]);
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** A WAV of silence: 16 kHz, mono, 16 bits. */
export const silence = (milliseconds: number): Buffer => wavOf(Buffer.alloc(milliseconds * 32));

/** The local engines as a server has them: real workers. Close `workers` afterwards. */
export const localSpeech = (modelsDir = join(tmpdir(), 'no-models')): TranscriberSettings => ({
  workers: openSpeechWorkers(readConfig({}), systemClock),
  sources: { installed: () => installedModels(modelsDir), whisperModel: null, decoder: DECODER },
  limits: { maxSeconds: 14_400 },
});

/** Whether the real engines are installed. Otherwise, tests that need them are skipped with a message, or fail in CI. */
export const speechEngineIsHere = async (): Promise<boolean> => {
  const found = await Promise.all([packagedModel(), findCommand('ffmpeg')]);
  if (found.every((one) => one !== null)) return true;
  if (process.env.CI === 'true') throw new Error('CI needs the speech engines: npm run setup');
  console.warn('skipped: needs the speech engines (npm run setup)');
  return false;
};
