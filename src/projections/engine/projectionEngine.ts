import type { Clock } from '../../clock.ts';
import { notFound, unavailable } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { every } from '../../supervision/every.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { ProjectionStatus } from '../projection.ts';
import { Builds } from './builds.ts';
import { Feed } from './feed.ts';
import type { AnyProjection } from './fold.ts';
import { ManagedProjection, type Served } from './managedProjection.ts';
import type { RebuildOptions } from './rebuildProgress.ts';

/** How often a node looks for rebuilds by others. */
const REFRESH_MILLISECONDS = 2_000;
/** Retired documents are dropped after ten seconds, so a node that has not looked for this long must not serve documents that may be dropped. */
const UNSEEN_MILLISECONDS = 6_000;
/** How long an erasure waits for read models that lag behind. */
const ERASURE_MILLISECONDS = 60_000;

export interface EngineDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly AnyProjection[];
  /** Serve the read models of an older version of the code until this version's are built. */
  readonly serveStale?: boolean;
  /** Set when no other process reads or builds these read models. */
  readonly alone?: boolean;
}

/**
 * Opens the engine over the stores. Reading, `status`, `skip` and `rebuild` work at once; `start` keeps the read models up to date. Rejects
 * with `StoreUnavailable` if the documents cannot be read.
 */
export const openProjectionEngine = async (deps: EngineDeps): Promise<ProjectionEngine> => {
  const builds = await Builds.open(deps.documents);
  return new ProjectionEngine(deps, builds, await builds.list());
};

export class ProjectionEngine {
  readonly #deps: EngineDeps;
  readonly #builds: Builds;
  readonly #feed: Feed;
  readonly #changed: Notifier;
  readonly #projections: ReadonlyMap<string, ManagedProjection>;
  #tasks: Promise<void>[] = [];
  /** Monotonic time of the last look at the builds; `null` while nothing is followed. */
  #seen: number | null = null;

  constructor(deps: EngineDeps, builds: Builds, records: Awaited<ReturnType<Builds['list']>>) {
    this.#deps = deps;
    this.#builds = builds;
    this.#feed = new Feed(deps);
    this.#changed = new Notifier(deps.clock);
    const managedDeps = { ...deps, builds, feed: this.#feed, serveStale: deps.serveStale ?? false, alone: deps.alone ?? false };
    this.#projections = new Map(
      deps.projections.map((projection) => [
        projection.name,
        new ManagedProjection(managedDeps, projection, records, () => this.#changed.notify()),
      ]),
    );
  }

  /** Brings the projections to the head of the log and keeps them there until the signal aborts. Resolves once they run. */
  async start(signal: AbortSignal): Promise<void> {
    const records = await this.#builds.list();
    await Promise.all([...this.#projections.values()].map((projection) => projection.start(signal, records)));
    // Without other nodes, only this one builds read models and skips events.
    this.#tasks = this.#deps.alone ? [this.#feed.run(signal)] : [this.#feed.run(signal), this.#refresh(signal)];
  }

  /** Alternative to `start` for a node that builds nothing: serves what other nodes build and follows their progress. */
  async observe(signal: AbortSignal): Promise<void> {
    const records = await this.#builds.list();
    await Promise.all([...this.#projections.values()].map((projection) => projection.observe(signal, records)));
    this.#tasks = [this.#refresh(signal)];
  }

  /** Resolves when everything started by `start` or `observe` has ended. */
  async finished(): Promise<void> {
    await Promise.all([...this.#tasks, ...[...this.#projections.values()].map((projection) => projection.finished())]);
  }

  /** Whether every projection can be served: with a complete build of this version (or of an older one, with `serveStale`). */
  ready(): boolean {
    return [...this.#projections.values()].every((projection) => projection.ready);
  }

  /** Resolves when `ready`; rejects with the signal's reason. A build that stops at an event waits until the event is skipped: see `status`. */
  async whenReady(signal?: AbortSignal): Promise<void> {
    while (!this.ready()) {
      signal?.throwIfAborted();
      await this.#changed.wait({ signal });
    }
  }

  /** One row per projection, plus one for each rebuild in progress. Works without `start`. */
  async status(): Promise<ProjectionStatus[]> {
    const head = await this.#deps.log.head();
    return (await Promise.all([...this.#projections.values()].map((projection) => projection.status(head)))).flat();
  }

  /**
   * Rebuilds the read model from zero into a new collection, switches to it in one step once it has caught up, and drops the old one. Runs here
   * after `start`, or if no other node takes it within seconds. Rejects with a `Problem`: 404 for an unknown name, 409 while a build is in
   * progress or when an event makes the projection throw.
   */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<void> {
    // In parallel, so that they share the pages of the log.
    if (name === 'all') await Promise.all([...this.#projections.values()].map((projection) => projection.rebuild(options)));
    else await this.#projection(name).rebuild(options);
  }

  /** Skips the event at which the projection stopped. 404 for an unknown name, 409 if it did not stop at that position. */
  async skip(name: string, position: string): Promise<void> {
    await this.#projection(name).skip(position);
  }

  /** Drops all builds that are neither served nor being built and returns their names. 404 for an unknown projection. Default: all projections. */
  async dropOld(name?: string): Promise<string[]> {
    const projections = name === undefined ? [...this.#projections.values()] : [this.#projection(name)];
    return (await Promise.all(projections.map((projection) => projection.dropOld()))).flat();
  }

  async countPersonal(subject: string): Promise<number> {
    const counts = await Promise.all([...this.#projections.values()].map((projection) => projection.countPersonal(subject)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Drops all cached events of this process. */
  forget(): void {
    this.#feed.forget();
  }

  /**
   * Resolves when no read model, nor any of its files, still holds readable data of a subject that was erased at `position`. Rejects with a
   * `Problem` (503) if that cannot be reached now.
   */
  async erased(position: Position): Promise<void> {
    this.#feed.forget();
    const projections = [...this.#projections.values()].filter(({ projection }) => projection.personal);
    const reached = await Promise.all(projections.map((projection) => projection.allReached(position, ERASURE_MILLISECONDS)));
    const behind = projections.filter((_, index) => !reached[index]).map(({ projection }) => projection.name);
    if (behind.length > 0)
      throw unavailable(
        `The read models ${behind.join(', ')} still hold data of this subject. Erase the subject again when they run (see tributary projections status).`,
      );
    // Other nodes may serve a build that was just retired until their next look.
    if (!this.#deps.alone) await this.#deps.clock.pause(2 * REFRESH_MILLISECONDS);
    await this.dropOld();
    await this.#deps.documents.purge();
  }

  /** `ReadModels.waitFor` for one projection. */
  async waitFor(name: string, position: Position, milliseconds: number): Promise<boolean> {
    return this.#projection(name).waitFor(position, milliseconds);
  }

  /** `ReadModels.keepUp` for one projection. */
  keepsUp(name: string): boolean {
    return this.#projection(name).keepsUp();
  }

  /** Throws a `Problem` (503) while no build is served. */
  served(name: string): Served {
    const served = this.#projection(name).served();
    const { alone, clock } = this.#deps;
    if (!alone && this.#seen !== null && clock.monotonic() - this.#seen > UNSEEN_MILLISECONDS)
      throw unavailable('The store of the read models is unavailable. Try again.');
    return served;
  }

  #projection(name: string): ManagedProjection {
    const projection = this.#projections.get(name);
    if (!projection) throw notFound('projection');
    return projection;
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const refresh = async (): Promise<void> => {
      const looked = clock.monotonic();
      const records = await this.#builds.list();
      this.#seen = looked;
      for (const projection of this.#projections.values()) projection.refresh(records);
    };
    await every(refresh, { clock, milliseconds: REFRESH_MILLISECONDS, signal });
  }
}
