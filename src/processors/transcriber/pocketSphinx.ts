import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { findCommand } from '../engineProcess.ts';
import { readClassicOutput, readJsonOutput } from './pocketSphinxOutput.ts';
import type { Utterance } from './utterance.ts';

/** Commands of the offline engine. Names are looked up in PATH; tests give paths. */
export interface EngineCommands {
  readonly pocketsphinx: readonly string[];
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export const DEBIAN_COMMANDS: EngineCommands = {
  pocketsphinx: ['pocketsphinx_continuous', 'pocketsphinx'],
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffprobe',
};

/** How the engine is to listen. */
export interface Manner {
  /** False: silence is heard too, all in one utterance. */
  readonly vad: boolean;
  /** Milliseconds of silence that end an utterance; `null`: as the engine has it. The newer `pocketsphinx` command cannot be told. */
  readonly pause: number | null;
}

/** The engine counts silence in frames. */
const FRAME_MILLISECONDS = 10;
/** Less is within words. */
const LEAST_PAUSE = 100;

const pauseArgs = (pause: number | null): string[] =>
  pause === null ? [] : ['-vad_postspeech', String(Math.round(Math.max(pause, LEAST_PAUSE) / FRAME_MILLISECONDS))];

/** The offline speech engine as found on this machine. */
export interface PocketSphinx {
  readonly command: string;
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** Arguments to transcribe 16 kHz mono samples from a file or FIFO. */
  args(audio: string, manner: Manner): string[];
  read(lines: AsyncIterable<string>): AsyncIterable<Utterance>;
}

const INSTALL = 'Install it (on Debian: apt-get install pocketsphinx pocketsphinx-en-us ffmpeg) or set TRANSCRIBER_URL.';

/** The engine, or one sentence that says what is missing and what to do. The grammar is a JSGF file (TRANSCRIBER_GRAMMAR). */
export const findPocketSphinx = async (commands: EngineCommands, grammar: string | null): Promise<PocketSphinx | string> => {
  const [command, ffmpeg, ffprobe] = await Promise.all([
    findCommand(...commands.pocketsphinx),
    findCommand(commands.ffmpeg),
    findCommand(commands.ffprobe),
  ]);
  if (command === null) return `There is no speech engine on this server. ${INSTALL}`;
  if (ffmpeg === null || ffprobe === null) return `There is no ffmpeg on this server. ${INSTALL}`;
  const readable = grammar === null || (await access(grammar, constants.R_OK).then(...always));
  if (!readable) return 'The grammar file of TRANSCRIBER_GRAMMAR cannot be read.';
  const grammarArgs = grammar === null ? [] : ['-jsgf', grammar];
  const found = { command, ffmpeg, ffprobe };
  if (basename(command) === 'pocketsphinx') {
    return { ...found, args: (audio, { vad }) => [...grammarArgs, vad ? 'live' : 'single', audio], read: readJsonOutput };
  }
  return {
    ...found,
    args: (audio, { vad, pause }) => [
      ...['-infile', audio, '-time', 'yes', '-remove_silence', vad ? 'yes' : 'no'],
      ...pauseArgs(pause),
      ...grammarArgs,
    ],
    read: readClassicOutput,
  };
};

const always = [() => true, () => false] as const;
