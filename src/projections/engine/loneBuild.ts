import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { type Checkpoint, type Documents, StaleEpoch } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { retrying } from '../../supervision/retrying.ts';
import { type Build, type Builds, ownCheckpoint } from './builds.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import { type FoldedBuild, partsAtErasures } from './foldedBuild.ts';
import type { LogPages } from './logPages.ts';
import { Rate } from './rate.ts';

/** Longest time between checkpoints: a crash repeats this much. */
const SAVE_MILLISECONDS = 1_000;

export interface LoneBuildDeps {
  readonly documents: Documents;
  readonly builds: Builds;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pages: LogPages;
  readonly lease: string;
  readonly epoch: number;
  readonly onProgress: () => void;
  /** Reads the records again, since that of this build has changed. */
  readonly look: () => Promise<void>;
  /** Lets it join the served group; `false` if it cannot. */
  readonly join: (lone: LoneBuild, signal: AbortSignal) => Promise<boolean>;
}

/**
 * A build that is not in the served group, because it catches up or an event makes its projection throw. It reads pages of the log up to the head, then
 * joins the group. Stopped, it waits until the event is skipped; after a restart, that event is tried again, since the code may have been fixed.
 */
export class LoneBuild {
  readonly build: FoldedBuild;
  readonly rate: Rate;
  readonly #deps: LoneBuildDeps;
  readonly #changes: Notifier;
  readonly #logger: Logger;
  #position: Position | null = null;
  #saved: Position | null = null;
  #savedAt: number;
  /** Waits until the event that stopped it is skipped. */
  #waiting = false;
  #trouble: string | null = null;

  constructor(deps: LoneBuildDeps, build: FoldedBuild) {
    this.#deps = deps;
    this.build = build;
    this.#savedAt = deps.clock.monotonic();
    this.#changes = new Notifier(deps.clock);
    this.#logger = deps.logger.child({ projection: build.record.collection });
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

  /** Runs until it has joined the group or the signal aborts. Rejects with `StaleEpoch`. */
  async run(signal: AbortSignal): Promise<void> {
    const work = async (progressed: () => void): Promise<void> => {
      await this.#resume();
      while (!signal.aborted) {
        if (this.#waiting) await this.#changes.wait({ signal });
        else if (!(await this.#step()) && (await this.#join(signal))) return;
        progressed();
        this.#trouble = null;
      }
    };
    const retryIf = (error: unknown): boolean => {
      this.#trouble = error instanceof Error ? error.message : String(error);
      return !(error instanceof StaleEpoch);
    };
    const onFailure = (error: unknown) => this.#logger.warn({ err: error }, 'building a read model was interrupted; retrying');
    await retrying(work, { clock: this.#deps.clock, signal, retryIf, onFailure }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
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
    while ((this.#position ?? '') < (through ?? '')) {
      const page = await this.#deps.pages.after(this.#position);
      const events = page.filter(({ position }) => position <= (through ?? ''));
      if (events.length === 0) return true;
      if (await this.#handle(events)) return false;
    }
    return true;
  }

  /** Gives the build its own checkpoint: that of the group, and those of other leases, are not written here. */
  async separate(position: Position | null): Promise<void> {
    const { documents, lease, epoch } = this.#deps;
    const { collection } = this.build.record;
    const checkpoint = ownCheckpoint(lease, collection);
    await documents.writeBatch(collection, [], { name: checkpoint, position, epoch });
    await this.#record({ ...this.build.record, lease, checkpoint });
  }

  async #resume(): Promise<void> {
    const { documents, lease } = this.#deps;
    const { collection, checkpoint } = this.build.record;
    this.#position = this.#saved = (await documents.readCheckpoint(checkpoint))?.position ?? null;
    if (checkpoint !== ownCheckpoint(lease, collection)) await this.separate(this.#position);
  }

  async #join(signal: AbortSignal): Promise<boolean> {
    await this.#deps.builds.index(this.build.record, this.build.projection);
    return this.#deps.join(this, signal);
  }

  /** Handles a page; `false` at the head. */
  async #step(): Promise<boolean> {
    const events = await this.#deps.pages.after(this.#position);
    if (events.length === 0) return false;
    const poison = await this.#handle(events);
    if (poison) await this.#stop(poison);
    if (this.#deps.clock.monotonic() - this.#savedAt >= SAVE_MILLISECONDS) await this.#save();
    return true;
  }

  /** Resolves with the event that makes the projection throw: what comes before it has been handled. */
  async #handle(events: readonly RecordedEvent[]): Promise<{ event: RecordedEvent; error: unknown } | null> {
    for (const part of partsAtErasures(events)) {
      const [event] = part;
      if (event?.type === SUBJECT_ERASED) {
        await this.build.erase(event, this.#before);
        this.#arrive(part);
        continue;
      }
      const { writes, poison } = await this.build.fold(part);
      await this.build.write(writes, this.#before);
      this.#arrive(poison ? part.slice(0, part.indexOf(poison.event)) : part);
      if (poison) return poison;
    }
    if (this.build.record.stopped) await this.#record({ ...this.build.record, stopped: null });
    return null;
  }

  #arrive(events: readonly RecordedEvent[]): void {
    this.#position = events.at(-1)?.position ?? this.#position;
    this.rate.add(events.length);
    this.#deps.onProgress();
  }

  async #stop({ event, error }: { event: RecordedEvent; error: unknown }): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const stopped = { eventId: event.id, eventType: event.type, position: event.position, reason };
    await this.#save();
    this.#waiting = true;
    await this.#record({ ...this.build.record, stopped });
    this.#logger.error({ ...stopped, err: error }, 'projection stopped: an event makes it throw');
  }

  async #record(record: Build): Promise<void> {
    await this.#deps.builds.save(record);
    this.build.record = record;
    await this.#deps.look();
  }

  async #save(): Promise<void> {
    this.#savedAt = this.#deps.clock.monotonic();
    if (this.#position === this.#saved) return;
    const position = this.#position;
    await this.#deps.documents.writeBatch(this.build.record.collection, [], { ...this.#before, position });
    this.#saved = position;
  }

  get #before(): Checkpoint {
    const { lease, epoch } = this.#deps;
    return { name: ownCheckpoint(lease, this.build.record.collection), position: this.#saved, epoch };
  }
}
