import type { Clock } from '../../clock.ts';
import { conflict, notFound, unavailable } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { Serial } from '../../stores/serial.ts';
import { every } from '../../supervision/every.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { type Holding, underLease } from '../../supervision/underLease.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, Builds, buildsOf, dropUnheld, isMaintained, leaseOf, newest, unbegun } from './builds.ts';
import { countPersonal } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { Leader } from './leader.ts';
import { LogPages } from './logPages.ts';
import { POLL_MILLISECONDS, PolledCheckpoints } from './polledCheckpoints.ts';
import { builtByLeader, type RebuildOptions } from './rebuild.ts';
import { statusOf } from './status.ts';

/** How often a node looks for what others did or requested. */
const LOOK_MILLISECONDS = 2_000;
/** The same while a rebuild is waited for. */
const REBUILD_LOOK_MILLISECONDS = 500;
/** Retired documents are dropped after ten seconds, so a node that has not looked for this long must not serve documents that may be dropped. */
const UNSEEN_MILLISECONDS = 6_000;
/** How long an erasure waits for read models that lag behind. */
const ERASURE_MILLISECONDS = 60_000;
const ERASURE_LOOK_MILLISECONDS = 200;

export interface EngineDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly AnyProjection[];
  /** Serve the read models of an older version of the code until this version's are built. */
  readonly serveStale?: boolean;
}

/** The collection that serves reads of a projection. */
export interface Served {
  readonly projection: AnyProjection;
  readonly collection: string;
  /** `false` for documents of another version: this version's events must not be folded onto them. */
  readonly current: boolean;
}

/**
 * Opens the engine over the stores. Reading, `status` and `skip` work at once; `start` keeps the read models up to date. Rejects with
 * `StoreUnavailable` if the documents cannot be read.
 */
export const openProjectionEngine = async (deps: EngineDeps): Promise<ProjectionEngine> => {
  const engine = new ProjectionEngine(deps, await Builds.open(deps.documents));
  await engine.look();
  return engine;
};

/**
 * The read models of this version. One process, the holder of their lease, keeps them up to date (`Leader`). All processes, that one too, learn from
 * the records of the builds which of them to read.
 */
export class ProjectionEngine {
  readonly #deps: EngineDeps;
  readonly #builds: Builds;
  readonly #lease: string;
  readonly #pages: LogPages;
  readonly #polled: PolledCheckpoints;
  readonly #changed: Notifier;
  readonly #serial = new Serial();
  /** The build of each projection that is read. */
  readonly #read = new Map<string, Build>();
  #records: readonly Build[] = [];
  #leader: Leader | null = null;
  /** Ends `start` or `observe`; `null` before. */
  #signal: AbortSignal | null = null;
  #tasks: Promise<void>[] = [];
  /** Monotonic time of the last look at the records. */
  #seen = 0;

  constructor(deps: EngineDeps, builds: Builds) {
    this.#deps = deps;
    this.#builds = builds;
    this.#lease = leaseOf(deps.projections);
    this.#pages = new LogPages(deps.log);
    this.#changed = new Notifier(deps.clock);
    this.#polled = new PolledCheckpoints(deps.documents, deps.clock);
  }

  /** Brings the projections to the head of the log, on one node at a time, and keeps them there until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { leases, clock, logger } = this.#deps;
    await this.observe(signal);
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'read models interrupted; retrying');
    this.#tasks.push(underLease((held) => this.#lead(held), { leases, name: this.#lease, clock, signal, onFailure }));
  }

  /** Alternative to `start` for a node that builds nothing: serves what other nodes build and follows their progress. */
  async observe(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#changed.notify(), { once: true });
    await this.look();
    this.#tasks = [every(() => this.look(), { clock, milliseconds: LOOK_MILLISECONDS, signal })];
  }

  /** Resolves when everything started by `start` or `observe` has ended. */
  async finished(): Promise<void> {
    await Promise.all(this.#tasks);
  }

  async #lead({ epoch, signal }: Holding): Promise<void> {
    const onProgress = () => this.#changed.notify();
    const look = () => this.look().catch(() => undefined);
    const own = { builds: this.#builds, pages: this.#pages, lease: this.#lease };
    this.#leader = new Leader({ ...this.#deps, ...own, epoch, signal, onProgress, look });
    try {
      await this.#leader.run();
    } finally {
      this.#leader = null;
      this.#changed.notify();
    }
  }

  /** Reads the records of all builds: which of them are served, and what is requested. */
  look(): Promise<void> {
    return this.#serial.run('', async () => {
      const looked = this.#deps.clock.monotonic();
      this.#records = await this.#builds.list();
      for (const projection of this.#deps.projections) await this.#choose(projection);
      this.#seen = looked;
      this.#leader?.refresh(this.#records);
      this.#changed.notify();
    });
  }

  /** Chooses the build to read. A build may have been filled without its indexes, and a store may remember that. */
  async #choose(projection: AnyProjection): Promise<void> {
    const own = buildsOf(this.#records, projection);
    const stale = this.#deps.serveStale ? newest(this.#ofAnyVersion(projection), 'active') : null;
    const build = newest(own, 'active') ?? stale ?? newest(own, 'building');
    if (!build) return void this.#read.delete(projection.name);
    const isNew = this.#read.get(projection.name)?.collection !== build.collection;
    // Older documents get the indexes of this version's queries, unless a process of their version needs others.
    if (isNew && build.phase === 'active' && (own.includes(build) || !(await isMaintained(this.#deps.leases, build))))
      await this.#builds.index(build, projection);
    this.#read.set(projection.name, build);
  }

  #ofAnyVersion({ name }: AnyProjection): Build[] {
    return this.#records.filter((build) => build.name === name);
  }

  /** Whether every projection can be served: with a complete build of this version (or of an older one, with `serveStale`). */
  ready(): boolean {
    return this.#deps.projections.every(({ name }) => this.#read.get(name)?.phase === 'active');
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
    await this.look();
    const rows = this.#deps.projections.map(async (projection) => {
      const own = buildsOf(this.#records, projection);
      const builds = [newest(own, 'active'), newest(own, 'building')].filter((build) => build !== null);
      return Promise.all((builds.length === 0 ? [unbegun(projection)] : builds).map((build) => this.#statusOf(build)));
    });
    return (await Promise.all(rows)).flat();
  }

  async #statusOf(build: Build): Promise<ProjectionStatus> {
    return statusOf(this.#deps, build, await this.#positionNow(build), this.#leader?.led(build) ?? null);
  }

  /**
   * Has the leader rebuild the read model, or `all`, from zero into a new collection. Resolves when it is served. Rejects with a `Problem`: 404 for an
   * unknown name, 409 while a build is in progress or when an event makes the projection throw.
   */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<void> {
    const projections = name === 'all' ? this.#deps.projections : [this.#projection(name)];
    await this.look();
    const begun = await Promise.all(projections.map((projection) => this.#request(projection)));
    options.onBegun?.();
    const deps = {
      builds: this.#builds,
      find: (collection: string) => this.#records.find((build) => build.collection === collection),
      statusOf: (build: Build) => this.#statusOf(build),
      nextLook: (signal: AbortSignal | undefined) => this.#nextLook(signal),
    };
    await Promise.all(begun.map((collection) => builtByLeader(deps, collection, options)));
  }

  async #nextLook(signal: AbortSignal | undefined): Promise<void> {
    const before = this.#records;
    await this.#changed.wait({ milliseconds: REBUILD_LOOK_MILLISECONDS, signal, until: () => this.#records !== before });
    if (!this.#leader) await this.look();
  }

  /** Resolves with the collection of the new build, or of the first one, if that is still under way. */
  async #request(projection: AnyProjection): Promise<string> {
    const isRunning = newest(buildsOf(this.#records, projection), 'building') !== null;
    const asked = isRunning ? null : await this.#builds.begin(projection, this.#lease, this.#records);
    await this.look();
    const own = buildsOf(this.#records, projection);
    const first = newest(own, 'active') ? null : newest(own, 'building');
    const collection = asked ?? first?.collection;
    if (collection === undefined) throw conflict(`A rebuild of the read model ${projection.name} is already running.`);
    return collection;
  }

  /** Skips the event at which the projection stopped. 404 for an unknown name, 409 if it did not stop at that position. */
  async skip(name: string, position: string): Promise<void> {
    const projection = this.#projection(name);
    await this.look();
    const build = buildsOf(this.#records, projection).find((one) => one.phase !== 'retired' && one.stopped?.position === position);
    if (!build) throw conflict(`The projection ${name} is not stopped at this position.`);
    await this.#builds.save({ ...build, stopped: null, skipped: [...build.skipped, position] });
    await this.look();
  }

  /** Drops all builds that no process maintains or serves, and returns their names. 404 for an unknown projection. Default: all projections. */
  async dropOld(name?: string): Promise<string[]> {
    const projections = name === undefined ? this.#deps.projections : [this.#projection(name)];
    await this.look();
    const dropped: string[] = [];
    for (const projection of projections)
      for (const build of this.#ofAnyVersion(projection))
        if (!this.#isUsed(projection, build) && (await dropUnheld(this.#builds, this.#deps.leases, build))) dropped.push(build.collection);
    return dropped;
  }

  #isUsed(projection: AnyProjection, { collection }: Build): boolean {
    const building = newest(buildsOf(this.#records, projection), 'building');
    return collection === building?.collection || collection === this.#read.get(projection.name)?.collection;
  }

  /** Number of served documents with personal data of a subject. */
  async countPersonal(subject: string): Promise<number> {
    const read = this.#deps.projections.map(async (projection) => {
      const build = this.#current(projection.name);
      return build ? countPersonal(this.#deps.documents, build.collection, projection, subject) : 0;
    });
    return (await Promise.all(read)).reduce((sum, count) => sum + count, 0);
  }

  /** Drops all cached events of this process. */
  forget(): void {
    this.#pages.forget();
  }

  /**
   * Resolves when no read model, nor any of its files, still holds readable data of a subject that was erased at `position`. Rejects with a
   * `Problem` (503) if that cannot be reached now.
   */
  async erased(position: Position): Promise<void> {
    const { clock } = this.#deps;
    this.forget();
    const deadline = clock.monotonic() + ERASURE_MILLISECONDS;
    let behind = await this.#behind(position);
    while (behind.length > 0 && clock.monotonic() < deadline && !this.#signal?.aborted) {
      await clock.pause(ERASURE_LOOK_MILLISECONDS, this.#signal ?? undefined);
      await this.look();
      behind = await this.#behind(position);
    }
    if (behind.length > 0)
      throw unavailable(
        `The read models ${behind.join(', ')} still hold data of this subject. Erase the subject again when they run (see tributary projections status).`,
      );
    await this.dropOld();
    await this.#deps.documents.purge();
  }

  /** Read models with a build, served or not, that has not handled the position. */
  async #behind(position: Position): Promise<string[]> {
    const personal = this.#deps.projections.filter((projection) => projection.personal);
    const behind = personal.map(async (projection) => {
      if (!this.#current(projection.name)) return [projection.name];
      const positions = await Promise.all(buildsOf(this.#records, projection).map((build) => this.#positionNow(build)));
      return positions.every((one) => one !== null && one >= position) ? [] : [projection.name];
    });
    return (await Promise.all(behind)).flat();
  }

  /** `ReadModels.waitFor` for one projection. */
  async waitFor(name: string, position: Position, milliseconds: number): Promise<boolean> {
    const { clock } = this.#deps;
    const deadline = clock.monotonic() + milliseconds;
    const isReached = () => {
      const build = this.#current(name);
      return build !== null && this.#handled(build) >= position;
    };
    for (;;) {
      if (isReached()) return true;
      const build = this.#current(name);
      const left = deadline - clock.monotonic();
      const neverComes = build ? build.stopped !== null : this.#signal === null || this.#read.has(name);
      if (left <= 0 || neverComes || this.#signal?.aborted) return false;
      const until = () => isReached() || this.#current(name) !== build || this.#signal?.aborted === true;
      await this.#progress(build, position, { until, milliseconds: left });
    }
  }

  async #progress(build: Build | null, position: Position, wait: { until: () => boolean; milliseconds: number }): Promise<void> {
    if (build && !this.#leader) {
      void this.#polled.poll(build.checkpoint).then(() => this.#changed.notify());
      return this.#changed.wait({ ...wait, milliseconds: Math.min(wait.milliseconds, POLL_MILLISECONDS) });
    }
    const waitsNoLonger = this.#leader?.group.prioritize(position);
    await this.#changed.wait(wait);
    waitsNoLonger?.();
  }

  /** The build of this version that is read; `null` while there is none. */
  #current(name: string): Build | null {
    const build = this.#read.get(name);
    return build && build.version === this.#projection(name).version ? build : null;
  }

  /** As far as this process knows. */
  #handled(build: Build): Position | '' {
    return this.#leader?.led(build)?.position ?? this.#polled.position(build.checkpoint) ?? '';
  }

  async #positionNow(build: Build): Promise<Position | null> {
    const led = this.#leader?.led(build);
    return led ? led.position : this.#polled.read(build.checkpoint);
  }

  /** `ReadModels.keepUp` for one projection. */
  keepsUp(name: string): boolean {
    const build = this.#current(name);
    if (!build || build.stopped) return false;
    const led = this.#leader?.led(build);
    return !led || (led.live && led.trouble === null);
  }

  /** Throws a `Problem` (503) while no build is served. */
  served(name: string): Served {
    const projection = this.#projection(name);
    const build = this.#read.get(name);
    if (!build) throw unavailable('The read models are being built. Try again in a moment.');
    const unseen = this.#signal && !this.#leader ? this.#deps.clock.monotonic() - this.#seen : 0;
    if (unseen > UNSEEN_MILLISECONDS) throw unavailable('The store of the read models is unavailable. Try again.');
    return { projection, collection: build.collection, current: build.version === projection.version };
  }

  #projection(name: string): AnyProjection {
    const projection = this.#deps.projections.find((one) => one.name === name);
    if (!projection) throw notFound('projection');
    return projection;
  }
}
