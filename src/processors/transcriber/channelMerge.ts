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
  #ended = false;

  constructor(channels: number) {
    this.#waiting = Array.from({ length: channels }, () => []);
  }

  add(utterance: Utterance): void {
    this.#waiting[utterance.channel]?.push(utterance);
  }

  /** No more utterances come. */
  end(): void {
    this.#ended = true;
  }

  /** The next in order; `null` while the order is not known, and at the end. */
  next(): Utterance | null {
    if (!this.#ended && this.#waiting.some((list) => list.length === 0)) return null;
    let earliest: Utterance | null = null;
    for (const [head] of this.#waiting) {
      if (head && (!earliest || (head.start ?? 0) < (earliest.start ?? 0))) earliest = head;
    }
    if (earliest) this.#waiting[earliest.channel]?.shift();
    return earliest;
  }
}
