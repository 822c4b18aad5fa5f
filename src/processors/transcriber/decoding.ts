import { EngineRubbish, startEngine } from '../engineProcess.ts';
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
const decodeArgs = (file: string, outputs: readonly string[], format: Samples): string[] => {
  const samples = ['-ac', '1', '-ar', '16000', '-f', format];
  const start = ['-nostdin', '-v', 'error', '-y', '-progress', 'pipe:1', '-stats_period', '0.5', '-threads', '1', ...inputArgs(file)];
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
  const decoder = startEngine(ffmpeg, decodeArgs(file, outputs, format), signal);
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
