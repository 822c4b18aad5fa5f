import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Saying, speech, speechEngineIsHere } from '../speech.ts';

/** Words of two people, each in their own channel. */
const CHANNELS: readonly (readonly Saying[])[] = [
  [{ text: 'hello world' }, { text: 'i love this wonderful product', after: 2_200 }],
  [
    { text: 'this is a test', after: 900, voice: 'rms' },
    { text: 'the delivery was terrible and awful', after: 1_300, voice: 'rms' },
  ],
];

/** One voice, mono. */
export const monologue = (): Promise<Buffer> => speech([[{ text: 'hello world' }, { text: 'this is a test', after: 800 }]]);

/** Two voices, stereo. */
export const conversation = (): Promise<Buffer> => speech(CHANNELS);

/** A file for a browser's microphone: a sentence, then a pause. `null` if speech cannot be synthesised. */
export const spokenFile = async (): Promise<string | null> => {
  if (!(await speechEngineIsHere())) return null;
  const path = join(mkdtempSync(join(tmpdir(), 'tributary-microphone-')), 'spoken.wav');
  process.once('exit', () => rmSync(dirname(path), { recursive: true, force: true }));
  writeFileSync(
    path,
    await speech([
      [
        { text: 'hello world', after: 500 },
        { text: 'this is a test', after: 2_500 },
      ],
    ]),
  );
  return path;
};
