import type { Warning } from '../../domain/stream/warnings.ts';
import { type EngineProcess, startEngine } from '../../speech/engineProcess.ts';
import { DECODED_FORMATS, decoderReason, FILE_INPUT, noDecoder, notAudio } from '../media/inspectMedia.ts';
import type { FilePart } from '../media/joinedFiles.ts';
import { type MediaFacts, type MediaLimits, tooLong } from '../media/mediaFacts.ts';
import { ChannelMixer } from '../media/mixdown.ts';
import { evidentlyNoRecording } from '../media/namedData.ts';
import { type TimedSamples, timedSamples } from '../media/timedSamples.ts';

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

/** Bytes of one millisecond of one channel. */
const BYTES_A_MILLISECOND = 32;
/** Smaller holes are inaccuracies of the file. */
const LEAST_HOLE = 100;
/** Silence is written in pieces. */
const SILENCE_MILLISECONDS = 1_000;

interface DecodedSettings {
  readonly decoders: readonly (() => EngineProcess)[];
  /** 1 or 2. */
  readonly channels: number;
  readonly limits: MediaLimits;
  /** A live session may last as long as it likes; only the silence in its holes is limited. */
  readonly live: boolean;
  /** Milliseconds from the beginning of the file to that of the track. Decoders of some formats begin with the track. */
  readonly begins: number;
  /** Length that the file states, in milliseconds; `null` if it states none. */
  readonly stated: number | null;
  /** Known before the decoding. */
  readonly warnings: readonly Warning[];
  /** The first bytes of live data, which are not inspected before. */
  readonly head?: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Decoded audio as it comes: 16-bit little-endian samples at 16 kHz. Each sample is at its presentation time, so holes in a file, and a beginning
 * after that of the picture, are silence.
 */
export class DecodedAudio {
  readonly #settings: DecodedSettings;
  readonly #mixer: ChannelMixer;
  /** Bytes of sound and of inserted silence. */
  #sound = 0;
  #silence = 0;
  #warnings: readonly Warning[];

  constructor(settings: DecodedSettings) {
    this.#settings = settings;
    this.#mixer = new ChannelMixer(settings.channels);
    this.#warnings = settings.warnings;
  }

  /** Milliseconds from the beginning to the last sample so far. */
  get length(): number {
    return this.#milliseconds(this.#sound + this.#silence);
  }

  /** Length that the file states, in milliseconds; `null` if it states none. */
  get stated(): number | null {
    return this.#settings.stated;
  }

  /** Milliseconds of sound so far, without inserted silence. */
  get processed(): number {
    return this.#milliseconds(this.#sound);
  }

  /** What is wrong with the file, complete once all of it is decoded. */
  get warnings(): readonly Warning[] {
    return this.#warnings;
  }

  /** Rejects with `ProcessorError` when it cannot be decoded, and when it is too long. Read it once. */
  async *samples(): AsyncGenerator<Buffer> {
    const { decoders, begins, stated } = this.#settings;
    let isDamaged = false;
    for (const [n, start] of decoders.entries()) isDamaged = (yield* this.#decoded(start(), n === 0 ? begins : 0)) || isDamaged;
    const found = damageOf(this.length, stated, isDamaged);
    const isKnown = this.#warnings.some(({ code }) => code === found?.code);
    if (found && !isKnown) this.#warnings = [...this.#warnings, found];
  }

  /** Returns whether the decoder complained. */
  async *#decoded(decoder: EngineProcess, begins: number): AsyncGenerator<Buffer, boolean> {
    const before = this.length;
    const had = this.#sound;
    let zero: number | null = null;
    try {
      for await (const packet of timedSamples(decoder.stdout)) {
        zero ??= before + Math.max(0, begins - packet.at);
        yield* this.#placed(packet, zero + packet.at);
      }
      const { code, complaint } = await decoder.exit;
      this.#settings.signal.throwIfAborted();
      if (code === 127) throw noDecoder();
      const isEmpty = this.#sound === had;
      if (isEmpty && (code !== 0 || UNSEEKABLE.test(complaint))) throw notAudio(reasonOf(complaint, this.#settings.head));
      return code !== 0 || complaint.trim() !== '';
    } finally {
      decoder.kill();
    }
  }

  async *#placed({ channels, data }: TimedSamples, at: number): AsyncGenerator<Buffer> {
    // Times that run backwards move nothing: no sound is dropped.
    const hole = at - this.length;
    if (hole >= LEAST_HOLE) yield* this.#hole(hole);
    const mixed = this.#mixer.mixed(data, channels);
    this.#sound += mixed.byteLength;
    const { live, limits } = this.#settings;
    if (!live && this.length > limits.maxSeconds * 1_000) throw tooLong(`more than ${limits.maxSeconds}`, limits);
    yield mixed;
  }

  async *#hole(milliseconds: number): AsyncGenerator<Buffer> {
    const { channels, live, limits } = this.#settings;
    const before = live ? this.#milliseconds(this.#silence) : this.length;
    if (before + milliseconds > limits.maxSeconds * 1_000) throw tooLong(String(Math.ceil((before + milliseconds) / 1_000)), limits);
    for (let left = milliseconds; left > 0; left -= SILENCE_MILLISECONDS) {
      const silence = Buffer.alloc(Math.min(left, SILENCE_MILLISECONDS) * BYTES_A_MILLISECOND * channels);
      this.#silence += silence.byteLength;
      yield silence;
    }
  }

  #milliseconds(bytes: number): number {
    return Math.floor(bytes / (BYTES_A_MILLISECOND * this.#settings.channels));
  }
}

/** Complaints about a file whose index comes last, read from a pipe. */
const UNSEEKABLE = /moov atom not found|partial file|Cannot seek|not seekable/i;

const INDEX_LAST =
  'The file has its index (the "moov" atom) at the end, so it cannot be decoded while it arrives. Put the index first (ffmpeg: -movflags +faststart), or upload the file instead.';

const reasonOf = (complaint: string, head: Uint8Array | undefined): string | undefined => {
  const evident = head && evidentlyNoRecording(head);
  if (evident) return evident;
  return head && UNSEEKABLE.test(complaint) ? INDEX_LAST : (decoderReason(complaint) ?? unknownCoding(complaint));
};

const unknownCoding = (complaint: string): string | undefined => {
  const codec = /Decoder \(codec (\w{1,30})\) not found|no decoder found for: (\w{1,30})/i.exec(complaint);
  return codec ? `This format is not supported: sound coded as ${codec[1] ?? codec[2]}.` : undefined;
};

/** Stated lengths are not exact: a little less is normal. */
const LOST_MILLISECONDS = 1_000;
const LOST_SHARE = 0.02;

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

const damageOf = (length: number, stated: number | null, isDamaged: boolean): Warning | null => {
  if (stated !== null && stated - length > Math.max(LOST_MILLISECONDS, stated * LOST_SHARE)) {
    return incomplete(`it announces ${seconds(stated)} s and holds ${seconds(length)} s. Those were transcribed.`);
  }
  return isDamaged ? { code: 'FILE_DAMAGED', message: 'Parts of the file are damaged or missing. The rest was transcribed.' } : null;
};

/** Fewer bytes after the end of a file are tags or padding; fewer missing ones are inaccuracies of a recorder. */
const LEAST_REST = 4_096;

const incomplete = (message: string): Warning => ({ code: 'FILE_INCOMPLETE', message: `The file is incomplete: ${message}` });

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
  const { parts, begins, milliseconds: stated } = facts;
  const decoder = (part: FilePart, n: number) => () => {
    const input = parts.length === 1 ? `file:${path}` : `subfile,,start,${part.start},end,${part.end},,:file:${path}`;
    return startEngine(ffmpeg, sampleArgs([...FILE_INPUT, '-i', input], n === 0 ? facts.track : null), signal);
  };
  const decoders = parts.map(decoder);
  return new DecodedAudio({ decoders, channels, limits, live: false, begins, stated, warnings: warningsAbout(facts), signal });
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
