import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SPEECH_ENVIRONMENT } from '../../src/speech/models/packagedModel.ts';

const PYTHON = join(SPEECH_ENVIRONMENT, 'bin/python');

/** Whether the speech engines are installed. Tests that need them are skipped without, and say so; CI has to have them. */
export const speechEnvironmentIsHere = (): boolean => {
  if (existsSync(PYTHON)) return true;
  if (process.env.CI === 'true') throw new Error('CI needs the speech engines: npm run setup');
  console.warn('skipped: needs the speech engines (npm run setup)');
  return false;
};

/** Writes a miniature Whisper into `folder`: what `tributary models add` takes. See miniatureWhisper.py. */
export const makeMiniatureWhisper = async (folder: string, languages: 'en' | 'many' = 'many'): Promise<void> => {
  await promisify(execFile)(PYTHON, ['test/fakes/miniatureWhisper.py', folder, '--languages', languages]);
};
