import { InvalidEngineOutput, startEngine } from '../../speech/engineProcess.ts';
import type { MediaFacts } from './mediaFacts.ts';
import { readWavHeader } from './wavHeader.ts';

/** A complete recording. `file` is called only if the head is not enough. */
export interface MediaSource {
  /** The first bytes; 64 KiB are enough. */
  head(): Promise<Uint8Array>;
  /** Size in bytes. */
  size(): Promise<number | null>;
  /** Path of a file with the whole recording. */
  file(): Promise<string>;
}

const HEAD_BYTES = 65_536;
const PROBE_MILLISECONDS = 30_000;

/** The first bytes of a source. */
export const headOf = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES);
};

/**
 * Formats that may be decoded. The list is closed because some formats (playlists, concat scripts) name other files, and a hostile upload must not
 * make the decoder read those.
 */
export const DECODED_FORMATS = [
  ...['aac', 'ac3', 'aiff', 'amr', 'amrnb', 'amrwb', 'ape', 'asf', 'au', 'avi', 'caf', 'eac3', 'flac', 'flv', 'matroska', 'mov', 'mp3'],
  ...['mp4', 'mpc', 'mpc8', 'mpeg', 'mpegts', 'nistsphere', 'ogg', 'tta', 'voc', 'w64', 'wav', 'webm', 'wv'],
].join(',');

const probeArgs = (file: string): string[] => [
  ...['-v', 'error', '-protocol_whitelist', 'file', '-format_whitelist', DECODED_FORMATS, '-select_streams', 'a:0'],
  ...['-show_entries', 'stream=sample_rate,channels,duration:format=duration', '-of', 'default=noprint_wrappers=1', `file:${file}`],
];

/** The numbers that ffprobe prints, the largest of each member. */
const probe = async (command: string, file: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  const process = startEngine(command, probeArgs(file), AbortSignal.any([signal, AbortSignal.timeout(PROBE_MILLISECONDS)]));
  try {
    for await (const line of process.lines) {
      const [name = '', text = ''] = line.split('=', 2);
      const value = Number.parseFloat(text);
      if (Number.isFinite(value)) found.set(name, Math.max(value, found.get(name) ?? 0));
    }
  } catch (error) {
    if (!(error instanceof InvalidEngineOutput)) throw error;
  }
  await process.exit;
  signal.throwIfAborted();
  return found;
};

/**
 * Sample rate, channels and duration of a recording, from its WAV header or from ffprobe. `null` if both fail: ffprobe is missing, or the bytes are
 * not audio (the engine reports that). Rejects with the signal's reason.
 */
export const inspectMedia = async (source: MediaSource, ffprobe: string, signal: AbortSignal): Promise<MediaFacts | null> => {
  const wav = readWavHeader(await source.head(), (await source.size()) ?? 0);
  if (wav) return wav;
  const found = await probe(ffprobe, await source.file(), signal);
  const sampleRate = found.get('sample_rate');
  if (sampleRate === undefined) return null;
  const seconds = found.get('duration');
  return { sampleRate, channels: found.get('channels') ?? 1, milliseconds: seconds === undefined ? null : Math.round(seconds * 1_000) };
};
