import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Checkpoint, Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { supervise } from '../../supervision/supervise.ts';
import { BUILDS } from './builds.ts';
import { Rate } from './rate.ts';

export interface FollowerDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the lease, which fences writes under an older one. */
  readonly epoch: number;
  readonly onProgress: () => void;
}

/**
 * Follows the log with one checkpoint. Documents are written before the checkpoint that covers them. Events repeated after a crash change nothing,
 * because each document carries its own position.
 */
export class Follower {
  readonly rate: Rate;
  readonly #deps: FollowerDeps;
  readonly #checkpoint: string;
  #position: Position | null = null;
  #saved: Position | null = null;
  #trouble: string | null = null;

  constructor(deps: FollowerDeps, checkpoint: string) {
    this.#deps = deps;
    this.#checkpoint = checkpoint;
    this.rate = new Rate(deps.clock);
  }

  /** Position of the last event handled. */
  get position(): Position | null {
    return this.#position;
  }

  /** Why it cannot make progress now, if not because of an event. It keeps trying. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The stored checkpoint, which covers all documents so far. */
  protected get before(): Checkpoint {
    return { name: this.#checkpoint, position: this.#saved, epoch: this.#deps.epoch };
  }

  /** Repeats the work until the signal aborts. Never rejects. */
  protected async follow(work: (progressed: () => void) => Promise<void>, signal: AbortSignal): Promise<void> {
    const onFailure = (error: unknown) => {
      this.#trouble = error instanceof Error ? error.message : String(error);
      this.#deps.logger.warn({ err: error, checkpoint: this.#checkpoint }, 'read model update interrupted; retrying');
    };
    const recovered = (progressed: () => void) => () => {
      this.#trouble = null;
      progressed();
    };
    await supervise((progressed) => work(recovered(progressed)), { clock: this.#deps.clock, signal, onFailure });
  }

  /** Continues after the stored checkpoint of this name. */
  async resume(checkpoint = this.#checkpoint): Promise<void> {
    this.#position = this.#saved = (await this.#deps.documents.readCheckpoint(checkpoint))?.position ?? null;
  }

  /** The documents are up to date with the log up to this position. */
  protected arrive(position: Position | null, events: number): void {
    this.#position = position;
    this.rate.add(events);
    this.#deps.onProgress();
  }

  protected async save(position = this.#position): Promise<void> {
    await this.#deps.documents.writeBatch(BUILDS, [], { ...this.before, position });
    this.#position = this.#saved = position;
  }
}
