import { END } from '../../supervision/items.ts';
import type { Frame } from '../topics.ts';
import type { ReadFrames, TopicReader } from './topicStorage.ts';

export interface TopicReadingOptions {
  readonly after: number;
  readonly follow: boolean;
  readonly signal: AbortSignal | undefined;
  readonly open: () => Promise<TopicReader>;
}

/** The frames of a topic after a sequence. It holds no frame that its reader has taken, also while it waits for the next one. */
export class TopicReading {
  readonly #options: TopicReadingOptions;
  #reader: TopicReader | null = null;
  /** Read, but not given to the reader yet. */
  #frames: Frame[] = [];
  #state: ReadFrames['state'] = 'more';
  #taken: (() => void) | undefined;

  constructor(options: TopicReadingOptions) {
    this.#options = options;
  }

  /** `null` after a look that found nothing: ask again. */
  async next(): Promise<IteratorResult<Frame, undefined> | null> {
    const { after, signal } = this.#options;
    signal?.throwIfAborted();
    for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift())
      if (frame.sequence > after) return { done: false, value: frame };
    this.#free();
    return (await this.#look()) ? null : END;
  }

  async close(): Promise<void> {
    this.#frames = [];
    this.#free();
    await this.#reader?.close();
  }

  /** Reads the next frames, or waits until there may be some. `false` if none can follow. */
  async #look(): Promise<boolean> {
    const { follow, open, signal } = this.#options;
    if (this.#state === 'end' || (this.#state === 'wait' && !follow)) return false;
    if (this.#state === 'wait') await this.#reader?.wait();
    signal?.throwIfAborted();
    this.#reader ??= await open();
    const { frames, state, taken } = await this.#reader.next();
    // The reader may give them to others too.
    this.#frames = [...frames];
    this.#state = state;
    this.#taken = taken;
    return true;
  }

  #free(): void {
    this.#taken?.();
    this.#taken = undefined;
  }
}
