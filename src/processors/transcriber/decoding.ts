import type { Warning } from '../../domain/stream/warnings.ts';
import { type EngineProcess, startEngine } from '../../speech/engineProcess.ts';
import { DECODED_FORMATS, FILE_INPUT, noDecoder } from '../media/inspectMedia.ts';
import type { FilePart } from '../media/joinedFiles.ts';
import type { MediaFacts, MediaLimits } from '../media/mediaFacts.ts';
import { DecodedAudio, incomplete } from './decodedAudio.ts';

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

/** A recorder that sends a whole file for each slice of time sends a length that is only that of the first slice. */
const ENDLESS_WAV = ['-f', 'wav', '-ignore_length', '1'];

const isWav = (head: Uint8Array): boolean => /^RIFF.{4}WAVE/s.test(Buffer.from(head.subarray(0, 12)).toString('latin1'));

/** Bare samples (linear16, mulaw) have to be described; Opus packets have no bounds of their own, so they come in Ogg, WebM or Matroska. */
const liveInputArgs = ({ encoding, sampleRate, channels }: LiveEncoding, head: Uint8Array): string[] => {
  const bare = (format: string, usualRate: number) => ['-f', format, '-ar', String(sampleRate ?? usualRate), '-ac', String(channels ?? 1)];
  const known: Readonly<Record<string, readonly string[]>> = {
    linear16: bare('s16le', 16_000),
    mulaw: bare('mulaw', 8_000),
    flac: ['-f', 'flac'],
    opus: ['-format_whitelist', 'ogg,matroska,webm'],
  };
  const described = known[encoding ?? ''] ?? (isWav(head) ? ENDLESS_WAV : ['-format_whitelist', DECODED_FORMATS]);
  const probing = ['-analyzeduration', '500000', '-probesize', LIVE_CONTENT_BYTES, '-formatprobesize', LIVE_FORMAT_BYTES];
  return ['-protocol_whitelist', 'pipe', ...probing, ...described, '-i', 'pipe:0'];
};

/** A hole of any length is a hole. By default ffmpeg takes those over 10 s out of some formats. */
const KEEP_HOLES = ['-dts_delta_threshold', '100000'];

const START = ['-nostdin', '-v', 'error', '-y', '-threads', '1'];

/** One sound track as 16 kHz samples with their times on stdout, written as they are decoded. Without `track`, ffmpeg chooses the default one. */
const sampleArgs = (input: readonly string[], track: number | null): string[] => {
  const chosen = track === null ? ['-vn', '-sn', '-dn'] : ['-map', `0:${track}`];
  const samples = ['-map_metadata', '-1', '-ar', '16000', '-c:a', 'pcm_s16le', '-flush_packets', '1', '-f', 'smjpeg', 'pipe:1'];
  return [...START, ...KEEP_HOLES, ...input, ...chosen, ...samples];
};

/** Fewer bytes after the end of a file are tags or padding; fewer missing ones are inaccuracies of a recorder. */
const LEAST_REST = 4_096;

const warningsAbout = ({ soundTracks, rest }: MediaFacts): Warning[] => [
  ...(soundTracks > 1
    ? [{ code: 'OTHER_TRACKS', message: `The file has ${soundTracks} sound tracks. Only the default one was transcribed.` }]
    : []),
  ...(rest >= LEAST_REST
    ? [{ code: 'DATA_AFTER_END', message: `After the end of its sound, the file has ${rest} bytes that were not transcribed.` }]
    : []),
  ...(rest <= -LEAST_REST ? [incomplete(`its last ${-rest} bytes are missing. The rest was transcribed.`)] : []),
];

/** A recording in a file, for `decodeFile`. */
export interface RecordedFile {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly limits: MediaLimits;
  /** 1 or 2. */
  readonly channels: number;
  readonly signal: AbortSignal;
}

/** Decodes a file, and recordings that are joined to it. */
export const decodeFile = (ffmpeg: string, { path, facts, limits, channels, signal }: RecordedFile): DecodedAudio => {
  const { parts, begins, milliseconds: stated, hasJoints } = facts;
  const decoder = (part: FilePart, n: number) => () => {
    const input = parts.length === 1 ? `file:${path}` : `subfile,,start,${part.start},end,${part.end},,:file:${path}`;
    return startEngine(ffmpeg, sampleArgs([...FILE_INPUT, '-i', input], n === 0 ? facts.track : null), signal);
  };
  const decoders = parts.map(decoder);
  return new DecodedAudio({
    decoders,
    channels,
    limits,
    live: false,
    begins,
    stated,
    warnings: warningsAbout(facts),
    signal,
    ...(hasJoints && { hasJoints }),
  });
};

/** Live data, for `decodeLive`. */
export interface LiveBytes {
  /** All of the data. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The first of them. */
  readonly head: Uint8Array;
  readonly encoding: LiveEncoding;
  readonly limits: MediaLimits;
  /** 1 or 2. */
  readonly channels: number;
  readonly signal: AbortSignal;
}

/** Decodes bytes as they come. It reads no faster than its samples are read. */
export const decodeLive = (
  ffmpeg: string,
  { bytes, head, encoding, channels, limits, signal }: LiveBytes,
): { readonly audio: DecodedAudio; readonly failure: () => unknown } => {
  const decoder = startEngine(ffmpeg, sampleArgs(liveInputArgs(encoding, head), null), signal, { stdin: true });
  let failure: unknown = null;
  void feed(decoder, bytes).catch((error: unknown) => {
    failure = error;
    decoder.kill();
  });
  const audio = new DecodedAudio({
    ...{ decoders: [() => decoder], channels, limits, signal, head },
    ...{ live: true, begins: 0, stated: null, warnings: [] },
  });
  return { audio, failure: () => failure };
};

const feed = async (decoder: EngineProcess, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const data of bytes) if (!(await decoder.write(data))) return;
  decoder.end();
};

/** Writes decoded audio into FLAC files, one a channel. */
export const encodeChannels = async (
  ffmpeg: string,
  audio: DecodedAudio,
  outputs: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const labels = outputs.map((_, n) => `[c${n}]`);
  const split = `channelsplit=channel_layout=${outputs.length === 2 ? 'stereo' : 'mono'}${labels.join('')}`;
  const files = outputs.flatMap((path, n) => ['-map', labels[n] ?? '', '-f', 'flac', path]);
  const input = ['-f', 's16le', '-ar', '16000', '-ac', String(outputs.length), '-i', 'pipe:0'];
  const encoder = startEngine(ffmpeg, [...START, ...input, '-filter_complex', split, ...files], signal, { stdin: true });
  try {
    await feed(encoder, audio.samples());
    const { code } = await encoder.exit;
    signal.throwIfAborted();
    if (code !== 0) throw noDecoder();
  } finally {
    encoder.kill();
  }
};
