import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';

export const POLL_MILLISECONDS = 20;

/** The progress of builds that another process maintains. All callers that wait for one share its polls. */
export class PolledCheckpoints {
  readonly #documents: Documents;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly position: Position | null; readonly at: number }>();
  readonly #polls = new Map<string, Promise<unknown>>();

  constructor(documents: Documents, clock: Clock) {
    this.#documents = documents;
    this.#clock = clock;
  }

  /** As last read. */
  position(checkpoint: string): Position | null {
    return this.#known.get(checkpoint)?.position ?? null;
  }

  /** Reads it now. Rejects with `StoreUnavailable`. */
  async read(checkpoint: string): Promise<Position | null> {
    const at = this.#clock.monotonic();
    const position = (await this.#documents.readCheckpoint(checkpoint))?.position ?? null;
    this.#known.set(checkpoint, { position, at });
    return position;
  }

  /** Resolves after the next read, which comes 20 ms after the last one. */
  async poll(checkpoint: string): Promise<void> {
    const poll = this.#polls.get(checkpoint) ?? this.#next(checkpoint).finally(() => this.#polls.delete(checkpoint));
    this.#polls.set(checkpoint, poll);
    await poll;
  }

  async #next(checkpoint: string): Promise<void> {
    const { at = Number.NEGATIVE_INFINITY } = this.#known.get(checkpoint) ?? {};
    const early = at + POLL_MILLISECONDS - this.#clock.monotonic();
    if (early > 0) await this.#clock.pause(early);
    await this.read(checkpoint).catch(() => null);
  }
}
