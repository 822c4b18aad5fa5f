import { startOf, type Utterance } from './utterance.ts';

export interface ChannelUtterance extends Utterance {
  readonly channel: number;
}

/**
 * Puts the utterances of channels that are heard side by side into the order of their starts. An utterance waits until every other channel
 * has one that starts later, or has ended: what waits is text, bounded by the longest silence of one channel. Not `ordered`, none waits.
 */
export class ChannelMerge {
  readonly #waiting: Utterance[][];
  readonly #ended: boolean[];
  readonly #ordered: boolean;

  constructor(channels: number, ordered = true) {
    this.#ordered = ordered;
    this.#waiting = Array.from({ length: channels }, () => []);
    this.#ended = Array.from({ length: channels }, () => false);
  }

  add(channel: number, utterance: Utterance): void {
    this.#waiting[channel]?.push(utterance);
  }

  end(channel: number): void {
    this.#ended[channel] = true;
  }

  /** The next in order, `null` while it cannot be told or when there is none. */
  next(): ChannelUtterance | null {
    if (this.#ordered && this.#waiting.some((list, channel) => list.length === 0 && !this.#ended[channel])) return null;
    let earliest: ChannelUtterance | null = null;
    for (const [channel, [head]] of this.#waiting.entries()) {
      if (head && (!earliest || startOf(head) < startOf(earliest))) earliest = { ...head, channel };
    }
    if (earliest) this.#waiting[earliest.channel]?.shift();
    return earliest;
  }
}
