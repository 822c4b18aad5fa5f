import type { Clock } from '../../clock.ts';
import { type Checkpoint, type Documents, StaleEpoch } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { batches } from '../../stores/log/batches.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { Serial } from '../../stores/serial.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { retrying } from '../../supervision/retrying.ts';
import { BUILDS } from './builds.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import { type FoldedBuild, partsAtErasures } from './foldedBuild.ts';
import { PAGE_EVENTS } from './logPages.ts';
import { Rate } from './rate.ts';

/** Pause between batches at the head, unless a request waits for the next one: the events of one upload are then written together. */
const GATHERING_MILLISECONDS = 25;

export interface ServedGroupDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly clock: Clock;
  /** Event types that any projection handles. */
  readonly types: readonly string[];
  /** The checkpoint as it was when the lease was acquired. */
  readonly checkpoint: Checkpoint;
  readonly onProgress: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Moves a build out of the group, since an event makes its projection throw. `position` is what it has handled. */
  readonly leave: (build: FoldedBuild, position: Position | null) => Promise<void>;
}

/**
 * The served builds: one follower of the log folds them together, with one checkpoint. Documents are written before it. Events repeated after a
 * crash change nothing, because each document carries its own position.
 */
export class ServedGroup {
  readonly members = new Set<FoldedBuild>();
  readonly rate: Rate;
  readonly #deps: ServedGroupDeps;
  readonly #serial = new Serial();
  readonly #wanted: Notifier;
  readonly #wishes = new Set<{ readonly position: Position }>();
  #position: Position | null;
  #saved: Position | null;
  #begun = false;
  #live = false;
  #trouble: string | null = null;

  constructor(deps: ServedGroupDeps) {
    this.#deps = deps;
    this.#position = this.#saved = deps.checkpoint.position;
    this.#wanted = new Notifier(deps.clock);
    this.rate = new Rate(deps.clock);
  }

  /** Position of the last event handled. */
  get position(): Position | null {
    return this.#position;
  }

  /** Whether it has reached the head and keeps up with it. */
  get live(): boolean {
    return this.#live;
  }

  /** Why it cannot make progress now. It keeps trying. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Runs until the signal aborts. Rejects with `StaleEpoch`. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, types, onFailure } = this.#deps;
    const follow = async (progressed: () => void): Promise<void> => {
      while (!this.#begun && this.members.size === 0 && !signal.aborted) await this.#wanted.wait({ signal });
      this.#begun = true;
      for await (const { events, position } of batches(log, this.#position, types, signal, PAGE_EVENTS)) {
        await this.between(() => this.#handle(events, position));
        progressed();
        this.#live = events.length < PAGE_EVENTS;
        if (this.#live && !this.#isWanted) await this.#wanted.wait({ milliseconds: GATHERING_MILLISECONDS, signal });
      }
    };
    const retryIf = (error: unknown): boolean => {
      this.#trouble = error instanceof Error ? error.message : String(error);
      return !(error instanceof StaleEpoch);
    };
    await retrying(follow, { clock, signal, retryIf, onFailure }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Whether it follows the log: not before it has a member. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Begins where its first member is. */
  async beginAt(position: Position | null): Promise<void> {
    await this.#save(position);
    this.#position = position;
    this.#begun = true;
    this.#wanted.notify();
  }

  /** Does the work between two batches. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run('', work);
  }

  /** Gathers no events while a request waits for this position. Call the returned function when it no longer waits. */
  prioritize(position: Position): () => void {
    const wish = { position };
    this.#wishes.add(wish);
    if (this.#isWanted) this.#wanted.notify();
    return () => this.#wishes.delete(wish);
  }

  get #isWanted(): boolean {
    for (const { position } of this.#wishes) if (position > (this.#position ?? '')) return true;
    return false;
  }

  async #handle(events: readonly RecordedEvent[], position: Position | null): Promise<void> {
    for (const part of partsAtErasures(events)) {
      const [event] = part;
      if (event?.type === SUBJECT_ERASED) await this.#eachMember((build) => build.erase(event, this.#before));
      else await this.#fold(part);
    }
    this.#position = position;
    this.#trouble = null;
    this.rate.add(events.length);
    this.#deps.onProgress();
    if (position !== this.#saved) await this.#save(position);
  }

  async #save(position: Position | null): Promise<void> {
    await this.#deps.documents.writeBatch(BUILDS, [], { ...this.#before, position });
    this.#saved = position;
  }

  async #fold(events: readonly RecordedEvent[]): Promise<void> {
    await this.#eachMember(async (build) => {
      const { writes, poison } = await build.fold(events);
      if (!poison) return build.write(writes, this.#before);
      await this.#deps.leave(build, this.#position);
      this.members.delete(build);
    });
  }

  async #eachMember(work: (build: FoldedBuild) => Promise<void>): Promise<void> {
    await Promise.all([...this.members].map(work));
  }

  get #before(): Checkpoint {
    return { ...this.#deps.checkpoint, position: this.#saved };
  }
}
