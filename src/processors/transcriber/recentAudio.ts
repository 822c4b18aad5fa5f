/** Of 16-bit samples at 16 kHz. */
const BYTES_A_MILLISECOND = 32;
/** The detector cuts pieces of at most 15 s; audio that is older, relative to its progress, is not needed. */
const KEPT_MILLISECONDS = 30_000;
/** The audio may be this far ahead of the detector. */
const AHEAD_MILLISECONDS = 120_000;

/** Passes samples on to the voice detector and keeps the last minutes of them, so that a piece that it cuts out can be sent to a server. */
export class RecentAudio {
  readonly #channels: number;
  /** Samples from `#start` on, the channels side by side. */
  #chunks: Buffer[] = [];
  /** In bytes of the whole stream. */
  #start = 0;
  #end = 0;
  #handled = 0;
  #wake = (): void => {};

  constructor(channels: number) {
    this.#channels = channels;
  }

  /** Waits while the reader is too far ahead of `handled`. */
  async *through(samples: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of samples) {
      while (this.#end - this.#at(this.#handled) > this.#at(AHEAD_MILLISECONDS)) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      this.#chunks.push(chunk);
      this.#end += chunk.byteLength;
      yield chunk;
    }
  }

  /** The detector has handled the audio up to here; every utterance before it has been taken. */
  handled(milliseconds: number): void {
    this.#handled = milliseconds;
    const oldest = this.#at(milliseconds - KEPT_MILLISECONDS);
    for (let first = this.#chunks[0]; first && this.#start + first.byteLength <= oldest; first = this.#chunks[0]) {
      this.#start += first.byteLength;
      this.#chunks.shift();
    }
    this.#wake();
  }

  /** Lets a waiting reader end. */
  release(): void {
    this.handled(Number.MAX_SAFE_INTEGER / (4 * BYTES_A_MILLISECOND * this.#channels));
  }

  /** One channel between two times, as a WAV file. */
  wav(channel: number, from: number, to: number): Buffer {
    const begin = Math.max(0, this.#at(from) - this.#start);
    const end = Math.max(begin, this.#at(to) - this.#start);
    return wavOf(channelOf(this.#between(begin, end), channel, this.#channels));
  }

  #at(milliseconds: number): number {
    return Math.round(milliseconds) * BYTES_A_MILLISECOND * this.#channels;
  }

  #between(begin: number, end: number): Buffer {
    const parts: Buffer[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      if (at < end && at + chunk.byteLength > begin) parts.push(chunk.subarray(Math.max(0, begin - at), end - at));
      at += chunk.byteLength;
    }
    return Buffer.concat(parts);
  }
}

const channelOf = (samples: Buffer, channel: number, channels: number): Buffer => {
  if (channels === 1) return samples;
  const frames = Math.floor(samples.byteLength / (2 * channels));
  const own = Buffer.alloc(2 * frames);
  for (let n = 0; n < frames; n++) own.writeInt16LE(samples.readInt16LE(2 * (n * channels + channel)), 2 * n);
  return own;
};

const wavOf = (samples: Buffer): Buffer => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, samples]);
};
