import OpenAI from 'openai';
import { ADMIN_KEY } from '../e2e/server.ts';
import { heardWords } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';

/** The stub engine's result for every recording: two utterances by two speakers. */
export const HEARD = {
  ...{ language: 'english', duration: 90, text: 'Hello there. Good to see you.' },
  segments: [
    { start: 0, end: 1.5, text: ' Hello there.', speaker: 'SPEAKER_01' },
    { start: 2, end: 4, text: ' Good to see you.', speaker: 'SPEAKER_00' },
  ],
  words: heardWords(['Hello', 0, 0.5], ['there', 0.6, 1.5], ['Good', 2, 2.3], ['to', 2.3, 2.4], ['see', 2.5, 2.9], ['you', 3, 4]),
};

export const TEXT = 'Hello there. Good to see you.';

/** A WAV with a quarter of a second of sound, or with `bytes` of it. */
export const wav = (bytes = 16_000): Buffer => wavOf(Buffer.alloc(bytes, 1), 2);

export const recording = (bytes?: number): File => new File([new Uint8Array(wav(bytes))], 'speech.wav', { type: 'audio/wav' });

/** The official client, unmodified, against our server. */
export const clientOf = (url: string, options: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: ADMIN_KEY, maxRetries: 0, ...options });
