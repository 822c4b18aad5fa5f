import type { Warning } from '../../domain/stream/warnings.ts';
import type { EngineProcess } from '../../speech/engineProcess.ts';
import { decoderReason, noDecoder, notAudio } from '../media/inspectMedia.ts';
import { type MediaLimits, tooLong } from '../media/mediaFacts.ts';
import { ChannelMixer } from '../media/mixdown.ts';
import { evidentlyNoRecording } from '../media/namedData.ts';
import { type TimedSamples, timedSamples } from '../media/timedSamples.ts';
import { ProcessorError } from '../processor.ts';

/** Bytes of one millisecond of one channel. */
const BYTES_A_MILLISECOND = 32;
/** Smaller holes are inaccuracies of the file. */
const LEAST_HOLE = 100;
/** Silence is written in pieces. */
const SILENCE_MILLISECONDS = 1_000;

export interface DecodedSettings {
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
  /** Complaints of the decoder are about the joints of the file. */
  readonly hasJoints?: true;
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
    let refusal: ProcessorError | null = null;
    for (const [n, start] of decoders.entries()) {
      const end = yield* this.#decoded(start(), n === 0 ? begins : 0);
      isDamaged ||= end !== null;
      if (end instanceof ProcessorError) refusal ??= end;
    }
    if (refusal && this.#sound === 0) throw refusal;
    const found = damageOf(this.length, stated, isDamaged);
    const isKnown = this.#warnings.some(({ code }) => code === found?.code);
    if (found && !isKnown) this.#warnings = [...this.#warnings, found];
  }

  /** Returns why nothing could be decoded, or `damaged` if the decoder complained. */
  async *#decoded(decoder: EngineProcess, begins: number): AsyncGenerator<Buffer, ProcessorError | 'damaged' | null> {
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
      if (isEmpty && (code !== 0 || UNSEEKABLE.test(complaint))) return notAudio(reasonOf(complaint, this.#settings.head));
      return code !== 0 || (complaint.trim() !== '' && !this.#settings.hasJoints) ? 'damaged' : null;
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

export const incomplete = (message: string): Warning => ({ code: 'FILE_INCOMPLETE', message: `The file is incomplete: ${message}` });
