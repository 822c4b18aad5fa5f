/** The audio formats of a session. All are mono; a stream gets 16-bit samples, little-endian. */
export const AUDIO_FORMATS = {
  'audio/pcm': { olderName: 'pcm16', sampleRate: 24_000 },
  'audio/pcmu': { olderName: 'g711_ulaw', sampleRate: 8_000 },
  'audio/pcma': { olderName: 'g711_alaw', sampleRate: 8_000 },
} as const;

export type AudioFormat = keyof typeof AUDIO_FORMATS;

const FORMATS: readonly AudioFormat[] = ['audio/pcm', 'audio/pcmu', 'audio/pcma'];

/** The format with this name in any case, newer or older; `undefined` for another name. */
export const audioFormat = (name: unknown): AudioFormat | undefined => {
  const wanted = typeof name === 'string' ? name.toLowerCase() : null;
  return FORMATS.find((format) => format === wanted || AUDIO_FORMATS[format].olderName === wanted);
};

/** One byte of G.711 µ-law as a sample (ITU-T G.711). */
const muLaw = (byte: number): number => {
  const value = ~byte & 0xff;
  const magnitude = (((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4);
  return value & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
};

/** One byte of G.711 A-law as a sample. */
const aLaw = (byte: number): number => {
  const value = byte ^ 0x55;
  const segment = (value & 0x70) >> 4;
  const step = (value & 0x0f) << 4;
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1);
  return value & 0x80 ? magnitude : -magnitude;
};

const TABLES: Readonly<Partial<Record<AudioFormat, Int16Array>>> = {
  'audio/pcmu': Int16Array.from({ length: 256 }, (_, byte) => muLaw(byte)),
  'audio/pcma': Int16Array.from({ length: 256 }, (_, byte) => aLaw(byte)),
};

/** Audio as 16-bit samples, little-endian (as every machine that Node runs on has them). */
export const samplesOf = (audio: Buffer, format: AudioFormat): Buffer => {
  const table = TABLES[format];
  if (!table) return audio;
  const samples = new Int16Array(audio.length);
  for (let n = 0; n < audio.length; n++) samples[n] = table[audio[n] ?? 0] ?? 0;
  return Buffer.from(samples.buffer);
};

export const millisecondsOf = (samples: number, format: AudioFormat): number => (samples * 1_000) / AUDIO_FORMATS[format].sampleRate;

/** The longest pause of a commit at the highest sample rate. */
const SILENCE = Buffer.alloc(60_500 * 48);

/** Part of one block that all sessions share: a short message makes a minute of silence, and many sessions may wait for their write. Do not change it. */
export const silence = (milliseconds: number, format: AudioFormat): Buffer => {
  const bytes = Math.ceil((milliseconds * AUDIO_FORMATS[format].sampleRate) / 1_000) * 2;
  return bytes <= SILENCE.length ? SILENCE.subarray(0, bytes) : Buffer.alloc(bytes);
};

const WINDOW_SAMPLES = 480;
/** About -56 dB of full scale: speech is louder. */
const QUIET = 50;
/** A window this much quieter than the loudest one is background noise. */
const ROOM = 0.1;

/** Where the last sound of 16-bit samples ends, in samples; `null` if all of them are quiet. */
export const lastSound = (audio: Buffer): number | null => {
  const samples = new Int16Array(audio.buffer.slice(audio.byteOffset, audio.byteOffset + audio.length - (audio.length % 2)));
  const levels: number[] = [];
  for (let from = 0; from < samples.length; from += WINDOW_SAMPLES) levels.push(level(samples.subarray(from, from + WINDOW_SAMPLES)));
  const loudest = levels.reduce((most, one) => Math.max(most, one), 0);
  if (loudest < QUIET) return null;
  const last = levels.findLastIndex((one) => one >= Math.max(QUIET, loudest * ROOM));
  return Math.min(samples.length, (last + 1) * WINDOW_SAMPLES);
};

const level = (samples: Int16Array): number => {
  let squares = 0;
  for (const sample of samples) squares += sample * sample;
  return Math.sqrt(squares / samples.length);
};
