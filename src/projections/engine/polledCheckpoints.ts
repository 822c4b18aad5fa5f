import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';

/** Poll intervals: at first, and after some polls without progress. */
const [POLL_MILLISECONDS, SLOW_POLL_MILLISECONDS, SLOW_AFTER] = [20, 100, 10];

/** The progress of builds that another process maintains. All callers that wait for one share its polls. */
export class PolledCheckpoints {
  readonly #documents: Documents;
  readonly #clock: Clock;
  readonly #onProgress: () => void;
  readonly #positions = new Map<string, Position | null>();
  readonly #polling = new Set<string>();
  #unchanged = 0;

  constructor(documents: Documents, clock: Clock, onProgress: () => void) {
    this.#documents = documents;
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  /** As last read. */
  position(checkpoint: string): Position | null {
    return this.#positions.get(checkpoint) ?? null;
  }

  /** Reads it now. Rejects with `StoreUnavailable`. */
  async read(checkpoint: string): Promise<Position | null> {
    const position = (await this.#documents.readCheckpoint(checkpoint))?.position ?? null;
    this.#unchanged = position === this.position(checkpoint) ? this.#unchanged + 1 : 0;
    this.#positions.set(checkpoint, position);
    return position;
  }

  /** Reads it soon, unless a poll is under way or has just been. */
  async poll(checkpoint: string): Promise<void> {
    if (this.#polling.has(checkpoint)) return;
    this.#polling.add(checkpoint);
    await this.read(checkpoint).catch(() => null);
    this.#onProgress();
    await this.#clock.pause(this.#unchanged > SLOW_AFTER ? SLOW_POLL_MILLISECONDS : POLL_MILLISECONDS);
    this.#polling.delete(checkpoint);
    this.#onProgress();
  }
}
