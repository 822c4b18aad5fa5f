import { type EngineProcess, EngineRubbish, startEngine } from '../engineProcess.ts';
import { ProcessorError } from '../processor.ts';

/**
 * What may be decoded. The list is closed because some formats (playlists, concat scripts) name other files, and a hostile upload must not
 * make the decoder read those.
 */
const FORMATS = [
  ...['aac', 'ac3', 'aiff', 'amr', 'amrnb', 'amrwb', 'ape', 'asf', 'au', 'avi', 'caf', 'eac3', 'flac', 'flv', 'matroska', 'mov', 'mp3'],
  ...['mp4', 'mpc', 'mpc8', 'mpeg', 'mpegts', 'nistsphere', 'ogg', 'tta', 'voc', 'w64', 'wav', 'webm', 'wv'],
].join(',');

const inputArgs = (file: string): string[] => ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-i', `file:${file}`];

/** How bytes that come one after another are to be read: an `encoding` of the real-time transcriber, or `null` for a container that says it itself. */
export interface LiveEncoding {
  readonly encoding: string | null;
  /** Of bare samples, in hertz. */
  readonly sampleRate: number | null;
  /** Of bare samples. */
  readonly channels: number | null;
}

/** A container is known by its first bytes; what it holds by a few more, which the first results wait for: a second of plain samples. */
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
  const described = known[encoding ?? ''] ?? ['-format_whitelist', FORMATS];
  const probing = ['-analyzeduration', '500000', '-probesize', LIVE_CONTENT_BYTES, '-formatprobesize', LIVE_FORMAT_BYTES];
  return ['-protocol_whitelist', 'pipe', ...probing, ...described, '-i', 'pipe:0'];
};

const notAudio = () => new ProcessorError('PROCESSOR_TRANSCODING_ERROR', 'The data are no audio that can be decoded.');

/** Number of channels of the first audio track. Rejects with `ProcessorError` for what is no audio. */
export const countChannels = async (ffprobe: string, file: string, signal: AbortSignal): Promise<number> => {
  const what = ['-select_streams', 'a:0', '-show_entries', 'stream=channels', '-of', 'csv=p=0'];
  const probe = startEngine(ffprobe, ['-v', 'error', ...inputArgs(file), ...what], signal);
  let channels = 0;
  try {
    for await (const line of probe.lines) channels ||= Number.parseInt(line, 10) || 0;
  } catch (error) {
    if (!(error instanceof EngineRubbish)) throw error;
  }
  const { code } = await probe.exit;
  signal.throwIfAborted();
  if (code === 127) throw new ProcessorError('PROCESSOR_TRANSCODING_ERROR', 'The audio decoder could not be started.', true);
  if (code !== 0 || channels < 1) throw notAudio();
  return channels;
};

/** Bare 16-bit samples, or a file that others can read. */
export type Samples = 's16le' | 'flac';

/** Arguments that decode the first audio track to 16 kHz mono: one output for all channels, or one for the left and one for the right. */
const decodeArgs = (input: readonly string[], outputs: readonly string[], format: Samples): string[] => {
  // Samples are written on as they are decoded, not by the block.
  const samples = ['-ac', '1', '-ar', '16000', '-flush_packets', '1', '-f', format];
  const start = ['-nostdin', '-v', 'error', '-y', '-progress', 'pipe:1', '-stats_period', '0.5', '-threads', '1', ...input];
  const [first, second] = outputs;
  if (first === undefined) return start;
  if (second === undefined) return [...start, '-map', '0:a:0', ...samples, first];
  const split = '[0:a:0]aformat=channel_layouts=stereo,channelsplit=channel_layout=stereo[left][right]';
  return [...start, '-filter_complex', split, '-map', '[left]', ...samples, first, '-map', '[right]', ...samples, second];
};

/**
 * Decodes into the outputs (FIFOs: as fast as they are read), telling the milliseconds decoded so far. Resolves with the whole length;
 * rejects with `ProcessorError` when it cannot be decoded.
 */
export const decode = async (
  ffmpeg: string,
  file: string,
  outputs: readonly string[],
  onProgress: (milliseconds: number) => void,
  signal: AbortSignal,
  format: Samples = 's16le',
): Promise<number> => {
  return decoded(startEngine(ffmpeg, decodeArgs(inputArgs(file), outputs, format), signal), onProgress, signal);
};

/** As `decode`, of bytes as they come. What it reads waits for the outputs to be read. */
export const decodeLive = async (
  ffmpeg: string,
  bytes: AsyncIterable<Uint8Array>,
  { encoding, outputs }: { readonly encoding: LiveEncoding; readonly outputs: readonly string[] },
  onProgress: (milliseconds: number) => void,
  signal: AbortSignal,
): Promise<number> => {
  const decoder = startEngine(ffmpeg, decodeArgs(liveInputArgs(encoding), outputs, 's16le'), signal, { stdin: true });
  let failure: unknown;
  // A decoder that has ended is not kept from being heard by bytes that have yet to come.
  void feed(decoder, bytes).catch((error: unknown) => {
    failure = error;
    decoder.kill();
  });
  try {
    return await decoded(decoder, onProgress, signal);
  } catch (error) {
    throw failure ?? error;
  }
};

const feed = async (decoder: EngineProcess, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const data of bytes) if (!(await decoder.write(data))) return;
  decoder.end();
};

const decoded = async (decoder: EngineProcess, onProgress: (milliseconds: number) => void, signal: AbortSignal): Promise<number> => {
  let length = 0;
  for await (const line of decoder.lines) {
    const microseconds = /^out_time_us=(\d{1,16})$/.exec(line)?.[1];
    if (microseconds === undefined) continue;
    length = Math.round(Number(microseconds) / 1000);
    onProgress(length);
  }
  const { code } = await decoder.exit;
  signal.throwIfAborted();
  if (code !== 0) throw notAudio();
  return length;
};
