import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { SPEECH_ENVIRONMENT } from './models/packagedModel.ts';
import { SpeechWorkers } from './workers/workers.ts';

/** The Python program of the workers, relative to `src` and `dist` alike. */
const WORKER_SCRIPT = fileURLToPath(new URL('../../speech/worker.py', import.meta.url));

/** Python of the virtual environment made by `npm run setup`. */
const SPEECH_PYTHON = join(SPEECH_ENVIRONMENT, 'bin/python');

const START_MILLISECONDS = 120_000;

/** The speech workers of this server. No worker starts before the first run. */
export const openSpeechWorkers = (
  config: Pick<Config, 'speechThreads' | 'speechIdleS' | 'speechWorkerMaxBytes' | 'speechStallS'>,
  clock: Clock,
): SpeechWorkers =>
  new SpeechWorkers({
    clock,
    python: SPEECH_PYTHON,
    script: WORKER_SCRIPT,
    threads: config.speechThreads,
    idleMilliseconds: config.speechIdleS * 1_000,
    limits: {
      startMilliseconds: START_MILLISECONDS,
      stallMilliseconds: config.speechStallS * 1_000,
      maxBytes: config.speechWorkerMaxBytes,
    },
  });
