/** An utterance of one channel. `start` in milliseconds; `null` counts as 0. */
export interface ChannelUtterance {
  readonly channel: number;
  readonly start: number | null;
}

/**
 * Puts the utterances of channels that are transcribed side by side into the order of their starts. An utterance waits until every other channel
 * has one that starts later, or has been transcribed past its start: what waits is text, bounded by the longest silence of one channel.
 */
export class ChannelMerge<Utterance extends ChannelUtterance> {
  readonly #waiting: Utterance[][];
  /** Of each channel, in milliseconds. */
  #settled: readonly number[] = [];
  #ended = false;

  constructor(channels: number) {
    this.#waiting = Array.from({ length: channels }, () => []);
  }

  add(utterance: Utterance): void {
    this.#waiting[utterance.channel]?.push(utterance);
  }

  /** `settled`: for each channel the time before which no later utterance begins. */
  settle(settled: readonly number[]): void {
    this.#settled = settled;
  }

  /** No more utterances come. */
  end(): void {
    this.#ended = true;
  }

  /** The next in order; `null` while the order is not known, and at the end. */
  next(): Utterance | null {
    let earliest: Utterance | null = null;
    for (const [head] of this.#waiting) {
      if (head && (!earliest || (head.start ?? 0) < (earliest.start ?? 0))) earliest = head;
    }
    if (!earliest || !this.#nothingBefore(earliest.start ?? 0)) return null;
    this.#waiting[earliest.channel]?.shift();
    return earliest;
  }

  #nothingBefore(start: number): boolean {
    return this.#ended || this.#waiting.every((list, channel) => list.length > 0 || (this.#settled[channel] ?? 0) > start);
  }
}
