import { setImmediate } from 'node:timers/promises';
import type { Position } from '../../stores/eventStore.ts';
import { batches } from '../../stores/log/batches.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { Serial } from '../../stores/serial.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import { type FoldedBuild, partsAtErasures } from './foldedBuild.ts';
import { Follower, type FollowerDeps } from './follower.ts';
import { PAGE_EVENTS } from './logPages.ts';

/** How long events are gathered at the head, unless a request waits for them: those of one upload are then written together. */
const GATHERING_MILLISECONDS = 50;

export interface ServedGroupDeps extends FollowerDeps {
  readonly log: EventLog;
  readonly lease: string;
  /** Event types that any projection handles. */
  readonly types: readonly string[];
  /** Moves a build out of the group, since an event makes its projection throw. `position` is what it has handled. */
  readonly leave: (build: FoldedBuild, position: Position | null) => Promise<void>;
}

/** The served builds: one follower of the log folds them together, with one checkpoint. */
export class ServedGroup extends Follower {
  readonly members = new Set<FoldedBuild>();
  readonly #deps: ServedGroupDeps;
  readonly #serial = new Serial();
  readonly #wanted: Notifier;
  readonly #wishes = new Set<{ readonly position: Position }>();
  #begun = false;
  #live = false;

  constructor(deps: ServedGroupDeps) {
    super(deps, deps.lease);
    this.#deps = deps;
    this.#wanted = new Notifier(deps.clock);
  }

  /** Whether it waits for its first member, which says where it begins: see `beginAt`. */
  get waits(): boolean {
    return !this.#begun && this.members.size === 0;
  }

  /** Whether it has reached the head and keeps up with it. */
  get live(): boolean {
    return this.#live;
  }

  /** Runs until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, types } = this.#deps;
    await this.follow(async (progressed) => {
      if (this.waits) await this.#wanted.wait({ signal, until: () => this.#begun });
      this.#begun = true;
      const gather = () => (this.#isWanted ? setImmediate() : this.#wanted.wait({ milliseconds: GATHERING_MILLISECONDS }));
      for await (const { events, position } of batches(log, this.position, types, signal, { most: PAGE_EVENTS, gather })) {
        await this.between(() => this.#handle(events, position));
        progressed();
        this.#live = events.length < PAGE_EVENTS;
      }
    }, signal);
  }

  async beginAt(position: Position | null): Promise<void> {
    await this.save(position);
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
    for (const { position } of this.#wishes) if (position > (this.position ?? '')) return true;
    return false;
  }

  async #handle(events: readonly RecordedEvent[], position: Position | null): Promise<void> {
    for (const part of partsAtErasures(events)) {
      const [event] = part;
      if (event?.type === SUBJECT_ERASED) await Promise.all([...this.members].map((build) => build.erase(event, this.before)));
      else await Promise.all([...this.members].map((build) => this.#fold(build, part)));
    }
    this.arrive(position, events.length);
    // Compared with the stored one: a save may have failed, and the next event may come late.
    if (position !== this.before.position) await this.save();
  }

  async #fold(build: FoldedBuild, events: readonly RecordedEvent[]): Promise<void> {
    const { writes, poison } = await build.fold(events);
    if (!poison) return build.write(writes, this.before);
    await this.#deps.leave(build, this.position);
    this.members.delete(build);
  }
}
