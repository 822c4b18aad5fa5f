import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { type Documents, StaleEpoch } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { type Progressed, retrying } from '../../supervision/retrying.ts';
import { type Holding, underLease } from '../../supervision/underLease.ts';
import { BuildDocuments } from './buildDocuments.ts';
import { type Build, type Builds, checkpointOf, leaseOf } from './builds.ts';
import { redactDocuments, SUBJECT_ERASED } from './erasure.ts';
import { type Feed, PAGE_EVENTS } from './feed.ts';
import { type AnyProjection, begunIds, type Folded, foldEvents, inParts, touchedIds } from './fold.ts';
import { Rate } from './rate.ts';

/**
 * While a served build catches up: longest delay of a checkpoint that is a write of its own, or that only skips events of other types. Other nodes wait for
 * it. All read models write theirs at the same moments, so that a store can take them together.
 */
const FLUSH_MILLISECONDS = 50;
/** The same for a build that is not served yet: a crash repeats a second of it. */
const BUILDING_FLUSH_MILLISECONDS = 1_000;
/** Poll intervals for another node's progress: at first, and after a while. */
const POLL_MILLISECONDS = 20;
const SLOW_POLL_MILLISECONDS = 100;
const SLOW_AFTER_LOOKS = 10;
/** How often a stopped projection checks whether another process has skipped its event. */
const SKIP_POLL_MILLISECONDS = 1_000;
/**
 * Documents that are folded and written in one turn, about. All read models and most commands share the thread that writes them, and one upload with twenty
 * webhook endpoints makes a hundred deliveries, each with eight indexes: 500 of them kept the writes of all others waiting for 25 to 170 ms.
 */
const [SERVED_DOCUMENTS_AT_ONCE, BUILDING_DOCUMENTS_AT_ONCE] = [100, 500];
const POISON_ATTEMPTS = 3;
const POISON_PAUSE_MILLISECONDS = 100;

export interface UpdaterDeps {
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly feed: Feed;
  readonly builds: Builds;
}

type UpdaterState = 'standby' | 'catching-up' | 'live' | 'stopped' | 'ended';

/**
 * Keeps one build of one read model at the head of the log.
 *
 * `standby` (another node holds the lease, or nothing runs yet) -> `catching-up` -> `live`; `stopped` while an event makes the projection
 * throw, until that event is skipped. An unavailable store is waited for and does not change the state.
 *
 * Documents are written before the checkpoint that covers them, both under the lease's epoch. Events repeated after a crash change nothing,
 * because each document carries its own position.
 */
export class BuildUpdater {
  readonly projection: AnyProjection;
  readonly rate: Rate;
  readonly #deps: UpdaterDeps;
  readonly #handles: ReadonlySet<string>;
  readonly #changes: Notifier;
  readonly #logger: Logger;
  readonly #documents: BuildDocuments;
  #build: Build;
  #state: UpdaterState = 'standby';
  #handled: Position | null = null;
  #saved: Position | null = null;
  /** When the next checkpoint is due, by the monotonic clock. */
  #flushAt = 0;
  #poisoned = { position: '', attempts: 0 };
  /** After a restart, the event that stopped the projection is tried once more: the code may have been fixed. */
  #trying = false;
  /** In-flight poll of the lease holder's checkpoint, rate-limited. */
  #looking: Promise<void> | null = null;
  /** Consecutive polls without progress. */
  #looks = 0;
  /** Why the updater cannot make progress now. It keeps trying. */
  #trouble: string | null = null;

  constructor(deps: UpdaterDeps, projection: AnyProjection, build: Build) {
    this.#deps = deps;
    this.projection = projection;
    this.#build = build;
    this.#handles = new Set(projection.handles);
    this.#changes = new Notifier(deps.clock);
    this.#documents = new BuildDocuments(deps.documents);
    this.#logger = deps.logger.child({ projection: build.collection });
    this.rate = new Rate(deps.clock);
  }

  get build(): Build {
    return this.#build;
  }

  get state(): UpdaterState {
    return this.#state;
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  /** As far as this process knows: of one that another node keeps up to date it sees only whether it has stopped. */
  get keepsUp(): boolean {
    return (this.#state === 'live' || this.#state === 'standby') && this.#build.stopped === null && this.#trouble === null;
  }

  /** Position of the last event handled, as far as this process knows. */
  get handled(): Position | null {
    return this.#handled;
  }

  /** Runs until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, clock } = this.#deps;
    const hold = async ({ epoch, signal: held }: Holding): Promise<void> => {
      try {
        await this.#hold(epoch, held);
      } finally {
        this.#become('standby');
      }
    };
    const onFailure = (error: unknown) => this.#logger.warn({ err: error }, 'projection interrupted; retrying');
    await underLease(hold, { leases, name: leaseOf(this.#build), clock, signal, onFailure });
    this.#become('ended');
  }

  /** Resolves when progress, state or the build record may have changed. */
  changed(signal?: AbortSignal): Promise<void> {
    return this.#changes.wait({ signal });
  }

  /** The build's record, as written by another process. */
  refresh(build: Build): void {
    if (this.#state === 'standby') this.#build = build;
    this.#changes.notify();
  }

  /** Waits until `position` has been handled, here or by the lease holder. `deadline` is in the clock's monotonic time. */
  async reached(position: Position, deadline: number): Promise<'reached' | 'late' | 'stopped' | 'ended'> {
    const isThere = () => this.#handled !== null && this.#handled >= position;
    const settled = () => isThere() || this.#state === 'standby' || this.#state === 'ended' || this.#build.stopped !== null;
    for (;;) {
      if (isThere()) return 'reached';
      if (this.#build.stopped) return 'stopped';
      if (this.#state === 'ended') return 'ended';
      const left = deadline - this.#deps.clock.monotonic();
      if (left <= 0) return 'late';
      if (this.#state === 'standby') await this.#elsewhere(left);
      else {
        const waitsNoLonger = this.#deps.feed.prioritize(position);
        await this.#changes.wait({ milliseconds: left, until: settled });
        waitsNoLonger();
      }
    }
  }

  /** Ends an updater that never ran. */
  leave(): void {
    this.#become('ended');
  }

  /** Progress of the lease holder, while that is another node. */
  async look(): Promise<Position | null> {
    const checkpoint = await this.#deps.documents.readCheckpoint(checkpointOf(this.#build)).catch(() => null);
    if (this.#state === 'standby' && checkpoint) this.#handled = checkpoint.position;
    return this.#handled;
  }

  /** Waits for the next poll, which all waiters share, or at most this long. */
  async #elsewhere(milliseconds: number): Promise<void> {
    const before = this.#handled;
    this.#looking ??= this.look()
      .then(async (now) => {
        this.#looks = now === before ? this.#looks + 1 : 0;
        this.#changes.notify();
        await this.#deps.clock.pause(this.#looks > SLOW_AFTER_LOOKS ? SLOW_POLL_MILLISECONDS : POLL_MILLISECONDS);
      })
      .finally(() => {
        this.#looking = null;
      });
    await this.#changes.wait({ milliseconds: Math.min(milliseconds, POLL_MILLISECONDS), until: () => this.#handled !== before });
  }

  /** Works until the lease is lost or the signal aborts. */
  async #hold(epoch: number, signal: AbortSignal): Promise<void> {
    await this.#resume();
    const work = async (progressed: Progressed): Promise<void> => {
      while (!signal.aborted) {
        try {
          if (this.#build.stopped && !this.#trying) await this.#untilSkipped(signal);
          else await this.#step(epoch, signal);
        } catch (error) {
          this.#trouble = error instanceof Error ? error.message : String(error);
          throw error;
        }
        progressed();
        this.#trouble = null;
      }
    };
    const retryIf = (error: unknown): boolean => !(error instanceof StaleEpoch);
    const onFailure = (error: unknown) => this.#logger.warn({ err: error }, 'store of a projection unavailable; retrying');
    await retrying(work, { clock: this.#deps.clock, signal, retryIf, onFailure }).catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof StaleEpoch)) throw error;
    });
    if (signal.aborted) await this.#save(epoch).catch(() => undefined);
  }

  /** Starts from the stored state: another holder may have made progress since. */
  async #resume(): Promise<void> {
    this.#documents.forget();
    this.#build = (await this.#deps.builds.get(this.#build.collection)) ?? this.#build;
    const checkpoint = await this.#deps.documents.readCheckpoint(checkpointOf(this.#build));
    this.#handled = this.#saved = checkpoint?.position ?? null;
    this.#trying = this.#build.stopped !== null;
    this.#become(this.#trying ? 'stopped' : 'catching-up');
  }

  async #step(epoch: number, signal: AbortSignal): Promise<void> {
    if (!(await this.#advance(epoch, signal))) await this.#idle(signal);
    if (this.#handled !== this.#saved && this.#untilFlush <= 0) await this.#save(epoch);
  }

  get #untilFlush(): number {
    return this.#flushAt - this.#deps.clock.monotonic();
  }

  #nextFlush(): number {
    const now = this.#deps.clock.monotonic();
    // No delay: the feed has gathered these events, and has woken all read models at the same time.
    if (this.#state === 'live') return now;
    const interval = this.#build.phase === 'building' ? BUILDING_FLUSH_MILLISECONDS : FLUSH_MILLISECONDS;
    return (Math.floor(now / interval) + 1) * interval;
  }

  /** Handles the next events; returns `false` at the head. */
  async #advance(epoch: number, signal: AbortSignal): Promise<boolean> {
    const events = await this.#deps.feed.read(this.#handled);
    if (events.length === PAGE_EVENTS && this.#state === 'live') this.#become('catching-up');
    const most = this.#build.phase === 'building' ? BUILDING_DOCUMENTS_AT_ONCE : SERVED_DOCUMENTS_AT_ONCE;
    for (const part of inParts(this.projection, events, most)) {
      await this.#handle(part, epoch, signal);
      // Events that an erasure or a failure has left out are read again.
      if (this.#handled !== part.at(-1)?.position) break;
    }
    return events.length > 0;
  }

  /** At the head, the build is complete and can be served. */
  async #idle(signal: AbortSignal): Promise<void> {
    if (this.#build.phase === 'building') {
      await this.#deps.builds.index(this.#build, this.projection);
      const active: Build = { ...this.#build, phase: 'active' };
      await this.#deps.builds.save(active);
      this.#build = active;
      this.#changes.notify();
    }
    if (this.#state !== 'live') this.#become('live');
    if (this.#handled === this.#saved) return this.#deps.feed.wait(this.#handled, signal);
    const left = Math.ceil(this.#untilFlush);
    if (left > 0) await this.#deps.feed.wait(this.#handled, signal, left);
  }

  async #handle(events: readonly RecordedEvent[], epoch: number, signal: AbortSignal): Promise<void> {
    const erasure = this.projection.personal ? events.findIndex((event) => event.type === SUBJECT_ERASED) : -1;
    if (erasure === 0) return this.#erase(events[0], epoch);
    // An erasure finds documents by their owner, so it runs alone, after everything before it is written.
    const before = erasure < 0 ? events : events.slice(0, erasure);
    const { writes, poison } = await this.#fold(before.filter((event) => this.#handles.has(event.type)));
    const handled = poison ? before.slice(0, before.indexOf(poison.event)) : before;
    const position = handled.at(-1)?.position;
    if (position !== undefined) {
      const saved = writes.length > 0 && (await this.#documents.write(this.#build.collection, writes, this.#checkpoint(position, epoch)));
      this.#arrive(position, handled.length, saved ? position : this.#saved);
    }
    if (position !== undefined && this.#trying) await this.#goOn();
    if (poison) await this.#retryOrStop(poison.event, poison.error, epoch, signal);
  }

  /** All events up to `position` are in the documents. */
  #arrive(position: Position, events: number, saved: Position | null): void {
    if (this.#handled === this.#saved) this.#flushAt = this.#nextFlush();
    this.#handled = position;
    this.#saved = saved;
    this.rate.add(events);
    this.#changes.notify();
  }

  async #erase(event: RecordedEvent | undefined, epoch: number): Promise<void> {
    if (!event) return;
    const { documents } = this.#deps;
    const before = { name: checkpointOf(this.#build), position: this.#handled, epoch };
    // The owner's documents are found through an index.
    await this.#deps.builds.index(this.#build, this.projection);
    await redactDocuments(documents, this.#build.collection, this.projection, event, before);
    this.#documents.forget();
    this.#saved = this.#handled;
    await documents.writeBatch(this.#build.collection, [], this.#checkpoint(event.position, epoch));
    this.#arrive(event.position, 1, event.position);
  }

  async #fold(events: readonly RecordedEvent[]): Promise<Folded> {
    if (events.length === 0) return { writes: [], poison: null };
    const begun = begunIds(this.projection, events);
    const stored = await this.#documents.getMany(this.#build.collection, touchedIds(this.projection, events), begun);
    return foldEvents(this.projection, events, stored, new Set(this.#build.skipped), begun);
  }

  async #retryOrStop(event: RecordedEvent, error: unknown, epoch: number, signal: AbortSignal): Promise<void> {
    const attempts = this.#poisoned.position === event.position ? this.#poisoned.attempts + 1 : 1;
    this.#poisoned = { position: event.position, attempts };
    if (attempts < POISON_ATTEMPTS) return void (await this.#deps.clock.pause(attempts * POISON_PAUSE_MILLISECONDS, signal));
    const build = (await this.#deps.builds.get(this.#build.collection)) ?? this.#build;
    if (build.skipped.includes(event.position)) {
      this.#build = build;
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const stopped = { eventId: event.id, eventType: event.type, position: event.position, reason };
    await this.#save(epoch);
    await this.#deps.builds.save({ ...build, stopped });
    this.#build = { ...build, stopped };
    this.#trying = false;
    this.#logger.error({ ...stopped, err: error }, 'projection stopped: an event makes it throw');
    this.#become('stopped');
  }

  /** The event that stopped the projection was handled. */
  async #goOn(): Promise<void> {
    const build = { ...this.#build, stopped: null };
    await this.#deps.builds.save(build);
    this.#build = build;
    this.#trying = false;
    this.#become('catching-up');
  }

  async #untilSkipped(signal: AbortSignal): Promise<void> {
    await this.#changes.wait({ milliseconds: SKIP_POLL_MILLISECONDS, signal });
    const build = await this.#deps.builds.get(this.#build.collection);
    if (!build || build.stopped) return;
    this.#build = build;
    this.#poisoned = { position: '', attempts: 0 };
    this.#become('catching-up');
  }

  async #save(epoch: number): Promise<void> {
    if (this.#handled === null || this.#handled === this.#saved) return;
    const position = this.#handled;
    await this.#deps.documents.writeBatch(this.#build.collection, [], this.#checkpoint(position, epoch));
    this.#saved = position;
  }

  #checkpoint(position: Position, epoch: number) {
    return { name: checkpointOf(this.#build), position, epoch };
  }

  #become(state: UpdaterState): void {
    this.#state = state;
    this.#changes.notify();
  }
}
