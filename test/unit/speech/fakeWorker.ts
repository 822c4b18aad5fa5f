import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { SpeechWorkers } from '../../../src/speech/workers/workers.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

interface FakeWorkers {
  readonly clock?: Clock;
  readonly stallMilliseconds?: number;
  readonly maxBytes?: number;
  readonly idleMilliseconds?: number;
}

/** Shell in the place of Python: it prints the lines of the protocol. `directory` is its own. */
export const fakeWorkers = (
  body: (directory: string) => string,
  settings: FakeWorkers = {},
): { workers: SpeechWorkers; directory: string } => {
  const directory = temporaryDirectory();
  const python = join(directory, 'python');
  writeFileSync(python, `#!/bin/bash\n${body(directory)}\n`);
  chmodSync(python, 0o755);
  const { clock = systemClock, stallMilliseconds = 60_000, maxBytes = 2 ** 40, idleMilliseconds = 60_000 } = settings;
  const limits = { startMilliseconds: 60_000, stallMilliseconds, maxBytes };
  const workers = new SpeechWorkers({ clock, python, script: 'worker.py', threads: 1, idleMilliseconds, limits });
  return { workers, directory };
};

export const READY = `echo '{"type":"ready","engine":"fake 1"}'`;
/** Reads a run completely and answers with one word. */
export const HELLO = [
  'while read -r line; do case "$line" in *\'"type":"end"\'*) ',
  `echo '{"type":"final","channel":0,"words":[{"text":"hello","start":0,"end":5,"confidence":null,"speaker":null}],"language":"en","wordTimes":"estimated"}'`,
  `echo '{"type":"done"}'`,
  ';; esac; done',
].join('\n');
