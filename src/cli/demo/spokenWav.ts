import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findCommand } from '../../speech/engineProcess.ts';
import { packagedModel } from '../../speech/models/packagedModel.ts';

/** Text of the demo, in plain words that every engine recognises. */
export const SPOKEN_TEXT =
  'hello and welcome. the weather is very good today. we love this wonderful morning. please call me back on monday.';

/** The sentences separately, for speech with pauses. */
export const SPOKEN_SENTENCES: readonly string[] = SPOKEN_TEXT.split('.').flatMap((sentence) => sentence.trim() || []);

/** Why speech cannot be made or recognised here; `null` if it can. Live speech needs the local engine. */
export const speechMissing = async ({ live = false } = {}): Promise<string | null> => {
  if ((await findCommand('ffmpeg')) === null) return 'ffmpeg is not installed (run npm run setup)';
  if (!live && process.env.TRANSCRIBER_URL) return null;
  if ((await packagedModel()) !== null) return null;
  return `the speech engines are not installed (run npm run setup${live ? '' : ', or set TRANSCRIBER_URL'})`;
};

/** The text spoken by ffmpeg's own synthesiser, with short pauses between sentences: a 16 kHz mono WAV. */
export const spokenWav = (): Promise<Buffer> => spokenWithPauses(600);

/** The sentences with a long pause after each: a 16 kHz mono WAV. */
export const spokenWithPauses = (pauseMilliseconds = 1_500): Promise<Buffer> => {
  const spoken = SPOKEN_SENTENCES.map(
    (sentence, n) => `flite=text='${sentence}':voice=slt,apad=pad_dur=${pauseMilliseconds / 1000}[s${n}]`,
  );
  return synthesise(`${spoken.join(';')};${SPOKEN_SENTENCES.map((_, n) => `[s${n}]`).join('')}concat=n=${SPOKEN_SENTENCES.length}:v=0:a=1`);
};

const synthesise = async (source: string): Promise<Buffer> => {
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-loglevel', 'error', '-f', 'lavfi', '-i', source, '-ar', '16000', '-ac', '1', '-f', 'wav', '-'],
    { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
};
