import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findCommand } from '../src/processors/engineProcess.ts';

const run = promisify(execFile);

/** What is said, by which voice of flite, and the silence before it. */
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

/** A spoken recording: one list of sayings makes mono, two make stereo. `format` is a file ending that ffmpeg knows. */
export const speech = async (channels: readonly (readonly Saying[])[], format = 'wav'): Promise<Buffer> => {
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
export const silence = (milliseconds: number): Buffer => {
  const bytes = milliseconds * 32;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.alloc(bytes)]);
};

/** A JSGF grammar of whole sentences: with it the engine's words come out exact. The file lies in `directory`. */
export const grammarOf = (directory: string, sentences: readonly string[]): string => {
  const path = join(directory, 'sentences.jsgf');
  writeFileSync(path, `#JSGF V1.0;\ngrammar sentences;\npublic <sentence> = ${sentences.join(' | ')};\n`);
  return path;
};

/**
 * Whether the real engine is here. Tests that need it are skipped without, and say so; in CI it must be there, so that they cannot be
 * skipped unseen.
 */
export const speechEngineIsHere = async (): Promise<boolean> => {
  const found = await Promise.all([findCommand('pocketsphinx_continuous', 'pocketsphinx'), findCommand('ffmpeg')]);
  if (found.every((command) => command !== null)) return true;
  if (process.env.CI === 'true') throw new Error('CI needs pocketsphinx and ffmpeg');
  console.warn('skipped: needs pocketsphinx and ffmpeg');
  return false;
};
