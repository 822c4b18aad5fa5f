import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** What the demonstration says. Plain words, so that a small offline engine has a chance. */
export const SPOKEN_TEXT =
  'hello and welcome. the weather is very good today. we love this wonderful morning. please call me back tomorrow.';

const commandExists = (command: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Why no speech can be made and understood here, or `null` when it can. */
export const speechMissing = (): string | null => {
  if (!commandExists('ffmpeg')) return 'ffmpeg is not installed (npm run setup installs it as root)';
  if (process.env.TRANSCRIBER_URL) return null;
  return commandExists('pocketsphinx_continuous') || commandExists('pocketsphinx')
    ? null
    : 'no speech engine is installed (npm run setup installs one as root, or set TRANSCRIBER_URL)';
};

/** The text, spoken by ffmpeg's own synthesiser: a 16 kHz mono WAV. */
export const spokenWav = async (): Promise<Buffer> => {
  const source = `flite=text='${SPOKEN_TEXT}':voice=slt`;
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-loglevel', 'error', '-f', 'lavfi', '-i', source, '-ar', '16000', '-ac', '1', '-f', 'wav', '-'],
    { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
};
