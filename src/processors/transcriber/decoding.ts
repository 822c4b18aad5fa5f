import { type EngineProcess, InvalidEngineOutput, startEngine } from '../../speech/engineProcess.ts';
import { DECODED_FORMATS } from '../media/inspectMedia.ts';
import { ProcessorError } from '../processor.ts';

const inputArgs = (file: string): string[] => ['-protocol_whitelist', 'file', '-format_whitelist', DECODED_FORMATS, '-i', `file:${file}`];

/** How bytes that come one after another are to be read: an `encoding` of the real-time transcriber, or `null` for a container that says it itself. */
export interface LiveEncoding {
  readonly encoding: string | null;
  /** Of bare samples, in hertz. */
  readonly sampleRate: number | null;
  /** Of bare samples. */
  readonly channels: number | null;
}

/** Bytes that identify a container and its content. The first results wait for them: a second of plain samples. */
const LIVE_FORMAT_BYTES = '131072';
const LIVE_CONTENT_BYTES = '32768';

/** Bare samples (linear16, mulaw) have to be described; Opus packets have no bounds of their own, so they come in Ogg, WebM or Matroska. */
const liveInputArgs = ({ encoding, sampleRate, channels }: LiveEncoding): string[] => {
  const bare = (format: string, usualRate: number) => ['-f', format, '-ar', String(sampleRate ?? usualRate), '-ac', String(channels ?? 1)];
  const known: Readonly<Record<string, readonly string[]>> = {
    linear16: bare('s16le', 16_000),
    mulaw: bare('mulaw', 8_000),
    flac: ['-f', 'flac'],
    opus: ['-format_whitelist', 'ogg,matroska,webm'],
  };
  const described = known[encoding ?? ''] ?? ['-format_whitelist', DECODED_FORMATS];
  const probing = ['-analyzeduration', '500000', '-probesize', LIVE_CONTENT_BYTES, '-formatprobesize', LIVE_FORMAT_BYTES];
  return ['-protocol_whitelist', 'pipe', ...probing, ...described, '-i', 'pipe:0'];
};

const notAudio = (reason = 'The data could not be decoded as audio.') => new ProcessorError('PROCESSOR_TRANSCODING_ERROR', reason);

const noDecoder = () =>
  new ProcessorError('PROCESSOR_TRANSCODING_ERROR', 'The audio decoder could not be started.', true).because('SERVER_INCOMPLETE');

/** Bare 16-bit samples, or a file that others can read. */
export type Samples = 's16le' | 'flac';

const START = ['-nostdin', '-v', 'error', '-y', '-threads', '1'];

/** The first audio track as 16 kHz samples on stdout, the channels side by side, written as they are decoded. */
const sampleArgs = (input: readonly string[], channels: number): string[] => {
  const layout = channels === 2 ? ['-af', 'aformat=channel_layouts=stereo'] : ['-ac', '1'];
  return [...START, ...input, '-map', '0:a:0', ...layout, '-ar', '16000', '-flush_packets', '1', '-f', 's16le', 'pipe:1'];
};

/** Decoded audio as it comes: 16-bit little-endian samples at 16 kHz. */
export class DecodedAudio {
  readonly #decoder: EngineProcess;
  readonly #channels: number;
  readonly #signal: AbortSignal;
  /** Length according to the file, in milliseconds; `null` if it has none. */
  readonly #announced: number | null;
  #bytes = 0;
  #warnings: string[] = [];

  constructor(
    decoder: EngineProcess,
    { channels, announced, signal }: { channels: number; announced: number | null; signal: AbortSignal },
  ) {
    this.#decoder = decoder;
    this.#channels = channels;
    this.#announced = announced;
    this.#signal = signal;
  }

  /** Milliseconds decoded so far. */
  get length(): number {
    return Math.floor(this.#bytes / (32 * this.#channels));
  }

  /** The fault of the file, once all of it is decoded. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Rejects with `ProcessorError` when it cannot be decoded. Read it once. */
  async *samples(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#decoder.stdout) {
        this.#bytes += chunk.byteLength;
        yield chunk;
      }
      const { code, complaint } = await this.#decoder.exit;
      this.#signal.throwIfAborted();
      if (code === 127) throw noDecoder();
      if (code !== 0 && this.#bytes === 0) throw notAudio(reasonIn(complaint));
      this.#warnings = warningsOf(this.length, this.#announced, complaint, code);
    } finally {
      this.#decoder.kill();
    }
  }
}

/** Announced lengths are estimates: a little less is normal. */
const LOST_MILLISECONDS = 1_000;
const LOST_SHARE = 0.02;

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

const warningsOf = (length: number, announced: number | null, complaint: string, code: number | null): string[] => {
  if (announced !== null && announced - length > Math.max(LOST_MILLISECONDS, announced * LOST_SHARE)) {
    return [`The file is incomplete: it announces ${seconds(announced)} s and holds ${seconds(length)} s. Those were transcribed.`];
  }
  if (code === 0 && complaint.trim() === '') return [];
  return ['Parts of the file are damaged or missing. The rest was transcribed.'];
};

/** Decodes a file. `probe` is the result of `probeAudio`. */
export const decodeFile = (
  ffmpeg: string,
  file: string,
  { channels, probe, signal }: { channels: number; probe: AudioProbe; signal: AbortSignal },
) => new DecodedAudio(startEngine(ffmpeg, sampleArgs(inputArgs(file), channels), signal), { channels, announced: probe.length, signal });

/** Decodes bytes as they come. It reads no faster than its samples are read. */
export const decodeLive = (
  ffmpeg: string,
  bytes: AsyncIterable<Uint8Array>,
  { encoding, channels, signal }: { encoding: LiveEncoding; channels: number; signal: AbortSignal },
): { readonly audio: DecodedAudio; readonly failure: () => unknown } => {
  const decoder = startEngine(ffmpeg, sampleArgs(liveInputArgs(encoding), channels), signal, { stdin: true });
  let failure: unknown = null;
  void feed(decoder, bytes).catch((error: unknown) => {
    failure = error;
    decoder.kill();
  });
  return { audio: new DecodedAudio(decoder, { channels, announced: null, signal }), failure: () => failure };
};

const feed = async (decoder: EngineProcess, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const data of bytes) if (!(await decoder.write(data))) return;
  decoder.end();
};

/** Writes left and right of a file into files of their own. Resolves with the length in milliseconds. */
export const splitChannels = async (ffmpeg: string, file: string, outputs: readonly string[], signal: AbortSignal): Promise<number> => {
  const [first, second] = outputs;
  if (first === undefined) return 0;
  const samples = ['-ac', '1', '-ar', '16000', '-f', 'flac'];
  const split = '[0:a:0]aformat=channel_layouts=stereo,channelsplit=channel_layout=stereo[left][right]';
  const wanted =
    second === undefined
      ? ['-map', '0:a:0', ...samples, first]
      : ['-filter_complex', split, '-map', '[left]', ...samples, first, '-map', '[right]', ...samples, second];
  const decoder = startEngine(ffmpeg, [...START, '-progress', 'pipe:1', ...inputArgs(file), ...wanted], signal);
  let length = 0;
  for await (const line of decoder.lines) {
    const microseconds = /^out_time_us=(\d{1,16})$/.exec(line)?.[1];
    if (microseconds !== undefined) length = Math.round(Number(microseconds) / 1000);
  }
  const { code, complaint } = await decoder.exit;
  signal.throwIfAborted();
  if (code !== 0) throw notAudio(reasonIn(complaint));
  return length;
};

/** The first audio track of a file. */
export interface AudioProbe {
  readonly channels: number;
  /** As the file announces it, in milliseconds; `null` when it does not. */
  readonly length: number | null;
}

/** Rejects with `ProcessorError` for a file without audio that can be decoded. */
export const probeAudio = async (ffprobe: string, file: string, signal: AbortSignal): Promise<AudioProbe> => {
  const shown = ['-show_entries', 'stream=codec_type,channels:format=duration', '-of', 'default=noprint_wrappers=0'];
  const probe = startEngine(ffprobe, ['-v', 'error', ...inputArgs(file), ...shown], signal);
  const lines: string[] = [];
  try {
    for await (const line of probe.lines) if (lines.length < 1_000) lines.push(line);
  } catch (error) {
    if (!(error instanceof InvalidEngineOutput)) throw error;
  }
  const { code, complaint } = await probe.exit;
  signal.throwIfAborted();
  if (code === 127) throw noDecoder();
  if (code !== 0) throw notAudio(reasonIn(complaint));
  const audio = lines.indexOf('codec_type=audio');
  if (audio < 0 && lines.includes('codec_type=video')) throw notAudio('The file has video but no sound.');
  const channels = Number(/^channels=(\d{1,4})$/.exec(lines.slice(audio).find((line) => line.startsWith('channels=')) ?? '')?.[1]);
  if (audio < 0 || !(channels >= 1)) throw notAudio();
  const length = Number(/^duration=([\d.]{1,20})$/.exec(lines.find((line) => line.startsWith('duration=')) ?? '')?.[1]) * 1000;
  return { channels, length: Number.isFinite(length) ? Math.round(length) : null };
};

/** The decoder's error in words for the sender of the file. */
const reasonIn = (complaint: string): string | undefined =>
  complaint.includes('moov atom not found')
    ? 'The file is incomplete: its index (the "moov" atom) is missing, so nothing in it can be decoded. Send the whole file.'
    : undefined;
