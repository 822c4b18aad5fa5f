import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sentences } from './sentences.ts';

/** Recordings with known words. */
export interface Corpus {
  readonly label: string;
  /** Highest allowed word error rates, in percent, by engine. */
  readonly bars: { readonly moonshine: number; readonly whisper: number };
  readonly clips: readonly Clip[];
}

export interface Clip {
  readonly wav: Buffer;
  readonly text: string;
  readonly seconds: number;
}

const VOICES = ['slt', 'rms', 'awb'];
const SENTENCES_A_CLIP = 5;

const TWO_CITIES = `It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it was the epoch of belief,
it was the epoch of incredulity, it was the season of light, it was the season of darkness, it was the spring of hope, it was the winter of despair,
we had everything before us, we had nothing before us, we were all going direct to heaven, we were all going direct the other way, in short,
the period was so far like the present period that some of its noisiest authorities insisted on its being received, for good or for evil,
in the superlative degree of comparison only`;

const BECKETT = 'Ever tried. Ever failed. No matter. Try again. Fail again. Fail better.';

const ffmpeg = async (...words: string[]): Promise<Buffer> => {
  const output = ['-ar', '16000', '-ac', '1', '-f', 'wav', '-'];
  const options = { encoding: 'buffer', maxBuffer: 2 ** 28 } as const;
  return (await promisify(execFile)('ffmpeg', ['-v', 'error', ...words, ...output], options)).stdout;
};

/** 16 kHz, mono, 16 bits; the header is negligible. */
const clipOf = (wav: Buffer, text: string): Clip => ({ wav, text, seconds: wav.length / 32_000 });

/** Human speech: the clips that come with moonshine-voice. `null` without the package. `environment`: virtual environment of the engines. */
export const packagedSpeech = async (environment: string): Promise<Corpus | null> => {
  const library = join(environment, 'lib');
  const [python] = (await readdir(library).catch(() => [])).filter((name) => name.startsWith('python3.'));
  if (python === undefined) return null;
  const assets = join(library, python, 'site-packages/moonshine_voice/assets');
  const clip = async (file: string, text: string) => clipOf(await ffmpeg('-i', join(assets, file)), text);
  const clips = [await clip('two_cities.wav', TWO_CITIES), await clip('beckett.wav', BECKETT)];
  return { label: 'human speech', bars: { moonshine: 10, whisper: 5 }, clips };
};

/** A WAV of one voice that says the sentences with a pause after each. */
export const spoken = async (said: readonly string[], voice: string): Promise<Buffer> => {
  const parts = said.map((sentence, n) => `flite=text='${sentence}':voice=${voice},aresample=16000,apad=pad_dur=0.7[s${n}]`);
  const inputs = said.map((_, n) => `[s${n}]`).join('');
  return ffmpeg('-filter_complex', `${parts.join(';')};${inputs}concat=n=${said.length}:v=0:a=1[out]`, '-map', '[out]');
};

/** Synthetic speech of one voice. */
const voiceCorpus = async (voice: string, said: readonly string[]): Promise<Corpus> => {
  const clips: Clip[] = [];
  for (let n = 0; n < said.length; n += SENTENCES_A_CLIP) {
    const part = said.slice(n, n + SENTENCES_A_CLIP);
    clips.push(clipOf(await spoken(part, voice), part.join('. ')));
  }
  return { label: `voice ${voice}`, bars: { moonshine: 15, whisper: 5 }, clips };
};

/** The sentences shared out over the voices of flite. */
export const generatedSpeech = async (count: number): Promise<Corpus[]> => {
  const all = sentences(count);
  const corpora: Corpus[] = [];
  for (const [n, voice] of VOICES.entries())
    corpora.push(
      await voiceCorpus(
        voice,
        all.filter((_, index) => index % VOICES.length === n),
      ),
    );
  return corpora;
};
