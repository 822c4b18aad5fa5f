/** From here on two channels cancel each other out noticeably: their correlation, -1 for opposite phase. */
const OPPOSITE = -0.5;
const LOUDEST = 32_767;

/**
 * Mixes channels into one without losing any. An average makes speech in one of many channels too quiet, and channels in opposite phase cancel
 * out. So channels are added, one that would cancel the others is turned over first, and the sum is made as loud as the loudest channel: above
 * OPPOSITE, the sum of two channels is never much quieter than the louder one.
 */
class Mixdown {
  readonly #signs: number[];
  readonly #channels: readonly number[];
  #gain = 1;

  /** `channels`: their places in a frame. */
  constructor(channels: readonly number[]) {
    this.#channels = channels;
    this.#signs = channels.map(() => 1);
  }

  /** Writes the mix of `frames` to every `outStep`-th sample of `out`, from `outAt` on. */
  mix(samples: Int16Array, frameSize: number, out: Int16Array, outStep: number, outAt: number): void {
    const frames = Math.floor(samples.length / frameSize);
    const sum = new Float32Array(frames);
    let loudest = 0;
    let energy = 0;
    for (const [n, channel] of this.#channels.entries()) {
      const { own, shared } = against(sum, samples, channel, frameSize);
      const sign = this.#signs[n] ?? 1;
      // A silent channel has no phase.
      if (own > 0 && energy > 0 && (sign * shared) / Math.sqrt(own * energy) < OPPOSITE) this.#signs[n] = -sign;
      energy = addTo(sum, samples, channel, frameSize, this.#signs[n] ?? 1);
      loudest = Math.max(loudest, own);
    }
    const gain = energy > 0 ? Math.min(1, Math.sqrt(loudest / energy)) : this.#gain;
    for (let n = 0; n < frames; n++) {
      // Slides to the new loudness: a step would be heard as a click.
      const scaled = (sum[n] ?? 0) * (this.#gain + ((gain - this.#gain) * (n + 1)) / frames);
      out[n * outStep + outAt] = Math.max(-LOUDEST, Math.min(LOUDEST, Math.round(scaled)));
    }
    this.#gain = gain;
  }
}

/** Energy of a channel, and what it shares with the sum so far: negative if it cancels it. */
const against = (sum: Float32Array, samples: Int16Array, channel: number, frameSize: number): { own: number; shared: number } => {
  let [own, shared] = [0, 0];
  for (let n = 0, at = channel; n < sum.length; n++, at += frameSize) {
    const sample = samples[at] ?? 0;
    own += sample * sample;
    shared += sample * (sum[n] ?? 0);
  }
  return { own, shared };
};

/** Adds a channel to the sum. Returns the energy of the new sum. */
const addTo = (sum: Float32Array, samples: Int16Array, channel: number, frameSize: number, sign: number): number => {
  let energy = 0;
  for (let n = 0, at = channel; n < sum.length; n++, at += frameSize) {
    const mixed = (sum[n] ?? 0) + sign * (samples[at] ?? 0);
    sum[n] = mixed;
    energy += mixed * mixed;
  }
  return energy;
};

/** Turns frames of any number of channels into frames of one or two. */
export class ChannelMixer {
  readonly #wanted: number;
  #had = 0;
  #mixdowns: readonly Mixdown[] = [];

  /** `wanted`: 1 mixes all channels; 2 keeps left and right apart, and of more channels mixes the 1st, 3rd, 5th ... and the 2nd, 4th, 6th ... */
  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** 16-bit little-endian samples, in whole frames of `channels`. */
  mixed(data: Buffer, channels: number): Buffer {
    if (channels === this.#wanted) return data;
    if (channels !== this.#had) this.#mixdowns = mixdownsOf(channels, this.#wanted);
    this.#had = channels;
    const samples = int16(data);
    const out = new Int16Array(Math.floor(samples.length / channels) * this.#wanted);
    for (const [at, mixdown] of this.#mixdowns.entries()) mixdown.mix(samples, channels, out, this.#wanted, at);
    return Buffer.from(out.buffer);
  }
}

const mixdownsOf = (channels: number, wanted: number): Mixdown[] =>
  Array.from({ length: wanted }, (_, own) => {
    const places = Array.from({ length: channels }, (_, channel) => channel).filter((channel) => channel % wanted === own);
    // Both sides of a mono recording are its only channel.
    return new Mixdown(places.length > 0 ? places : [0]);
  });

/** A typed array needs an even offset. */
const int16 = (data: Buffer): Int16Array => {
  const { buffer, byteOffset } = data.byteOffset % 2 === 0 ? data : new Uint8Array(data);
  return new Int16Array(buffer, byteOffset, data.byteLength >> 1);
};
