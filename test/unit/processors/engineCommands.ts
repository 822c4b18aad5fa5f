import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineCommands } from '../../../src/processors/transcriber/pocketSphinx.ts';

/** Shell scripts in the place of the engine's commands. `ffprobe` says mono, `ffmpeg` opens its output and says two seconds, by default. */
export interface FakeEngine {
  /** With `$1...` as the engine gets them; the FIFO is the word behind `-infile`. */
  pocketsphinx: string;
  ffmpeg?: string;
  ffprobe?: string;
}

const DECODER = 'for last; do :; done\nhead -c 64000 /dev/zero > "$last"\necho out_time_us=2000000\necho progress=end';

/** Writes the scripts into `directory`. */
export const fakeEngine = (directory: string, engine: FakeEngine): EngineCommands => {
  const script = (name: string, body: string): string => {
    const path = join(directory, name);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  return {
    pocketsphinx: [script('pocketsphinx_continuous', engine.pocketsphinx)],
    ffmpeg: script('ffmpeg', engine.ffmpeg ?? DECODER),
    ffprobe: script('ffprobe', engine.ffprobe ?? 'echo 1'),
  };
};

/** Shell that takes the audio to its end, as the engine does. */
export const LISTEN = 'while [ "$1" != -infile ]; do shift; done\ncat "$2" > /dev/null';
