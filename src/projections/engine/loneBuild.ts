import type { Position } from '../../stores/eventStore.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { type Build, type Builds, ownCheckpoint } from './builds.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import type { Folded } from './fold.ts';
import { type FoldedBuild, partsAtErasures } from './foldedBuild.ts';
import { Follower, type FollowerDeps } from './follower.ts';
import type { LogPages } from './logPages.ts';

/** Longest time between checkpoints: a crash repeats this much. */
const SAVE_MILLISECONDS = 1_000;

export interface LoneBuildDeps extends FollowerDeps {
  readonly builds: Builds;
  readonly pages: LogPages;
  readonly lease: string;
  /** Reads the records again, since that of this build has changed. */
  readonly look: () => Promise<void>;
  /** At the head: lets it join the served group, unless it must catch up first, and ends `run`. */
  readonly join: (lone: LoneBuild) => Promise<void>;
}

/**
 * A build that is not in the served group, because it catches up or an event makes its projection throw. It reads pages of the log up to the head, then
 * joins the group. Stopped, it waits until the event is skipped; after a restart, that event is tried again, since the code may have been fixed.
 */
export class LoneBuild extends Follower {
  readonly build: FoldedBuild;
  readonly #deps: LoneBuildDeps;
  readonly #changes: Notifier;
  readonly #end = new AbortController();
  #savedAt = 0;
  /** Waits until the event that stopped it is skipped. */
  #waiting = false;

  constructor(deps: LoneBuildDeps, build: FoldedBuild) {
    super(deps, ownCheckpoint(deps.lease, build.record.collection));
    this.#deps = deps;
    this.build = build;
    this.#changes = new Notifier(deps.clock);
  }

  /** Runs until `end` or until the signal aborts. Never rejects. */
  async run(ending: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ending, this.#end.signal]);
    await this.follow(async (progressed) => {
      await this.#begin();
      while (!signal.aborted) {
        if (this.#waiting) await this.#changes.wait({ signal });
        else if (!(await this.#step())) await this.#deps.join(this);
        progressed();
      }
    }, signal);
  }

  end(): void {
    this.#end.abort();
  }

  get ended(): boolean {
    return this.#end.signal.aborted;
  }

  /** The record as another process wrote it: it may have skipped the event. */
  refresh(record: Build): void {
    const { stopped } = this.build.record;
    if (!stopped || !record.skipped.includes(stopped.position)) return;
    this.build.record = record;
    this.#waiting = false;
    this.#changes.notify();
  }

  /** Handles what the group has handled. `false` if an event makes the projection throw. */
  async catchUp(through: Position | null): Promise<boolean> {
    while ((this.position ?? '') < (through ?? '')) {
      const page = await this.#deps.pages.after(this.position);
      const events = page.filter(({ position }) => position <= (through ?? ''));
      if (events.length === 0) return true;
      if (await this.#handle(events)) return false;
    }
    return true;
  }

  /** Gives the build its own checkpoint: that of the group, and those of other leases, are not written here. */
  async separate(position: Position | null): Promise<void> {
    await this.save(position);
    await this.record({ ...this.build.record, lease: this.#deps.lease, checkpoint: this.before.name });
  }

  async record(record: Build): Promise<void> {
    await this.#deps.builds.save(record);
    this.build.record = record;
    await this.#deps.look();
  }

  async #begin(): Promise<void> {
    const { checkpoint } = this.build.record;
    await this.resume(checkpoint);
    if (checkpoint !== this.before.name) await this.separate(this.position);
  }

  /** Handles a page; `false` at the head. */
  async #step(): Promise<boolean> {
    const events = await this.#deps.pages.after(this.position);
    if (events.length === 0) return false;
    const poison = await this.#handle(events);
    if (poison) await this.#stop(poison);
    const now = this.#deps.clock.monotonic();
    if (now - this.#savedAt < SAVE_MILLISECONDS) return true;
    this.#savedAt = now;
    await this.save();
    return true;
  }

  /** Resolves with the event that makes the projection throw: what comes before it has been handled. */
  async #handle(events: readonly RecordedEvent[]): Promise<Folded['poison']> {
    for (const part of partsAtErasures(events)) {
      const [event] = part;
      const erased = event?.type === SUBJECT_ERASED ? event : null;
      const { writes, poison } = await this.build.fold(part);
      if (erased) await this.build.erase(erased, this.before);
      await this.build.write(writes, this.before);
      const handled = poison ? part.slice(0, part.indexOf(poison.event)) : part;
      this.arrive(handled.at(-1)?.position ?? this.position, handled.length);
      if (poison) return poison;
    }
    if (this.build.record.stopped) await this.record({ ...this.build.record, stopped: null });
    return null;
  }

  async #stop({ event, error }: NonNullable<Folded['poison']>): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const stopped = { eventId: event.id, eventType: event.type, position: event.position, reason };
    await this.save();
    this.#waiting = true;
    await this.record({ ...this.build.record, stopped });
    this.#deps.logger.error(
      { projection: this.build.record.collection, ...stopped, err: error },
      'projection stopped: an event makes it throw',
    );
  }
}
