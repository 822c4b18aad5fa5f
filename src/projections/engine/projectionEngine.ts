import type { Clock } from '../../clock.ts';
import { conflict, unavailable } from '../../domain/problem.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { every } from '../../supervision/every.ts';
import { type Holding, underLease } from '../../supervision/underLease.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, Builds, dropUnheld, leaseOf, newest, unbegun } from './builds.ts';
import { countPersonal } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { Leader } from './leader.ts';
import { LogPages } from './logPages.ts';
import { Progress } from './progress.ts';
import { ReadBuilds } from './readBuilds.ts';
import { builtByLeader, type RebuildOptions } from './rebuild.ts';
import { statusOf } from './status.ts';

/** How often a node looks for what others did or requested. */
const LOOK_MILLISECONDS = 2_000;
/** The same while a rebuild is waited for. */
const REBUILD_LOOK_MILLISECONDS = 500;
/** Retired documents are dropped after ten seconds, so a node that has not looked for this long must not serve documents that may be dropped. */
const UNSEEN_MILLISECONDS = 6_000;
/** How long words of deleted and replaced documents may stay in files. Removing them rewrites the files. */
const FORMER_WORDS_MILLISECONDS = 600_000;
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
  readonly #progress: Progress;
  readonly #read: ReadBuilds;
  /** Ends `start` or `observe`; `null` before. */
  #signal: AbortSignal | null = null;
  #tasks: Promise<void>[] = [];

  constructor(deps: EngineDeps, builds: Builds) {
    this.#deps = deps;
    this.#builds = builds;
    this.#lease = leaseOf(deps.projections);
    this.#pages = new LogPages(deps.log);
    this.#progress = new Progress(deps);
    const onLook = (records: readonly Build[]) => {
      this.#progress.leader?.refresh(records);
      this.#progress.changes.notify();
    };
    this.#read = new ReadBuilds({ ...deps, builds, onLook });
  }

  /** Brings the projections to the head of the log, on one node at a time, and keeps them there until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { leases, clock, logger } = this.#deps;
    await this.observe(signal);
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'read models interrupted; retrying');
    this.#tasks.push(underLease((held) => this.#lead(held), { leases, name: this.#lease, clock, signal, onFailure }));
    const onWordsKept = (error: unknown) => logger.warn({ err: error }, 'removing former words from the read models failed; retrying');
    const purging = { clock, signal, milliseconds: FORMER_WORDS_MILLISECONDS, onFailure: onWordsKept };
    this.#tasks.push(every(() => this.forgetFormerWords(), purging));
  }

  /** Alternative to `start` for a node that builds nothing: serves what other nodes build and follows their progress. */
  async observe(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#progress.changes.notify(), { once: true });
    await this.look();
    this.#tasks = [every(() => this.look(), { clock: this.#deps.clock, milliseconds: LOOK_MILLISECONDS, signal })];
  }

  /** Resolves when everything started by `start` or `observe` has ended. */
  async finished(): Promise<void> {
    await Promise.all(this.#tasks);
  }

  async #lead({ epoch, signal }: Holding): Promise<void> {
    const onProgress = () => this.#progress.changes.notify();
    const look = () => this.look().catch(() => undefined);
    const own = { builds: this.#builds, pages: this.#pages, lease: this.#lease };
    const leader = new Leader({ ...this.#deps, ...own, epoch, signal, onProgress, look });
    await leader.begin();
    this.#progress.leader = leader;
    try {
      await leader.run();
    } finally {
      this.#progress.leader = null;
      onProgress();
    }
  }

  /** Reads the records of all builds: which of them are served, and what is requested. */
  look(): Promise<void> {
    return this.#read.look();
  }

  /** See `ReadBuilds.ready`. */
  ready(): boolean {
    return this.#read.ready();
  }

  /** Resolves when `ready`; rejects with the signal's reason. A build that stops at an event waits until the event is skipped: see `status`. */
  async whenReady(signal?: AbortSignal): Promise<void> {
    while (!this.ready()) {
      signal?.throwIfAborted();
      await this.#progress.changes.wait({ signal });
    }
  }

  /** One row per projection, plus one for each rebuild in progress. Works without `start`. */
  async status(): Promise<ProjectionStatus[]> {
    await this.look();
    const head = await this.#deps.log.head();
    const rows = this.#deps.projections.map(async (projection) => {
      const own = this.#read.own(projection);
      const builds = [newest(own, 'active'), newest(own, 'building')].filter((build) => build !== null);
      return Promise.all((builds.length === 0 ? [unbegun(projection)] : builds).map((build) => this.#statusOf(build, head)));
    });
    return (await Promise.all(rows)).flat();
  }

  async #statusOf(build: Build, head: Position | null): Promise<ProjectionStatus> {
    return statusOf(this.#deps, build, await this.#progress.positionOf(build), this.#progress.led(build), head);
  }

  /**
   * Has the leader rebuild the read model, or `all`, from zero into a new collection. Resolves when it is served. Rejects with a `Problem`: 404 for an
   * unknown name, 409 while a build is in progress or when an event makes the projection throw.
   */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<void> {
    const projections = name === 'all' ? this.#deps.projections : [this.#read.projection(name)];
    await this.look();
    const begun = await Promise.all(projections.map((projection) => this.#request(projection)));
    options.onBegun?.();
    const deps = {
      find: (collection: string) => this.#read.records.find((build) => build.collection === collection),
      statusOf: async (build: Build) => this.#statusOf(build, await this.#deps.log.head()),
      nextLook: () => this.#nextLook(),
    };
    await Promise.all(begun.map((collection) => builtByLeader(deps, collection, options)));
  }

  async #nextLook(): Promise<void> {
    const before = this.#read.records;
    const until = () => this.#read.records !== before;
    await this.#progress.changes.wait({ milliseconds: REBUILD_LOOK_MILLISECONDS, until });
    if (!this.#progress.leader) await this.look();
  }

  /** Resolves with the collection of the new build, or of the first one, if that is still under way. */
  async #request(projection: AnyProjection): Promise<string> {
    const isRunning = newest(this.#read.own(projection), 'building') !== null;
    const asked = isRunning ? null : await this.#builds.begin(projection, this.#lease, this.#read.records);
    await this.look();
    const own = this.#read.own(projection);
    const first = newest(own, 'active') ? null : newest(own, 'building');
    const collection = asked ?? first?.collection;
    if (collection === undefined) throw conflict(`A rebuild of the read model ${projection.name} is already running.`);
    return collection;
  }

  /** Skips the event at which the projection stopped. 404 for an unknown name, 409 if it did not stop at that position. */
  async skip(name: string, position: string): Promise<void> {
    const projection = this.#read.projection(name);
    await this.look();
    const build = this.#read.own(projection).find((one) => one.phase !== 'retired' && one.stopped?.position === position);
    if (!build) throw conflict(`The projection ${name} is not stopped at this position.`);
    await this.#builds.save({ ...build, stopped: null, skipped: [...build.skipped, position] });
    await this.look();
  }

  /** Drops all builds that no process maintains or serves, and returns their names. 404 for an unknown projection. Default: all projections. */
  async dropOld(name?: string): Promise<string[]> {
    const projections = name === undefined ? this.#deps.projections : [this.#read.projection(name)];
    await this.look();
    const dropped: string[] = [];
    for (const projection of projections) {
      const used = [this.#read.read(projection.name), newest(this.#read.own(projection), 'building')];
      for (const build of this.#read.ofAnyVersion(projection))
        if (!used.includes(build) && (await dropUnheld(this.#builds, this.#deps.leases, build))) dropped.push(build.collection);
    }
    return dropped;
  }

  /** Number of served documents with personal data of a subject. */
  async countPersonal(subject: string): Promise<number> {
    const counts = this.#deps.projections.map(async (projection) => {
      const build = this.#read.current(projection.name);
      return build ? countPersonal(this.#deps.documents, build.collection, projection, subject) : 0;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Removes words of deleted and replaced documents from the files. For the process that writes them; others do nothing. */
  async forgetFormerWords(): Promise<void> {
    const builds = this.#progress.leader?.withFormerWords() ?? [];
    if (builds.length === 0) return;
    for (const build of builds) build.keepsFormerWords = false;
    try {
      await this.#deps.documents.purge();
    } catch (error) {
      for (const build of builds) build.keepsFormerWords = true;
      throw error;
    }
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
      const own = await Promise.all(this.#read.own(projection).map((build) => this.#progress.positionOf(build)));
      const isClean = this.#read.current(projection.name) && own.every((one) => one !== null && one >= position);
      return isClean ? [] : [projection.name];
    });
    return (await Promise.all(behind)).flat();
  }

  /** `ReadModels.waitFor` for one projection. */
  async waitFor(name: string, position: Position, milliseconds: number): Promise<boolean> {
    const deadline = this.#deps.clock.monotonic() + milliseconds;
    const build = () => this.#read.current(name);
    // Without `start` nothing is built here, and an older build may be served for long.
    const neverComes = () =>
      this.#signal?.aborted === true || (build() === null && (this.#signal === null || this.#read.read(name) !== undefined));
    return this.#progress.reached(position, deadline, build, neverComes);
  }

  /** `ReadModels.keepUp` for one projection. */
  keepsUp(name: string): boolean {
    const build = this.#read.current(name);
    if (!build || build.stopped) return false;
    const led = this.#progress.led(build);
    return !led || (led.live && led.trouble === null);
  }

  /** Throws a `Problem` (503) while no build is served. */
  served(name: string): Served {
    const projection = this.#read.projection(name);
    const build = this.#read.read(name);
    if (!build) throw unavailable('The read models are being built. Try again in a moment.');
    const unseen = this.#signal && !this.#progress.leader ? this.#deps.clock.monotonic() - this.#read.looked : 0;
    if (unseen > UNSEEN_MILLISECONDS) throw unavailable('The store of the read models is unavailable. Try again.');
    return { projection, collection: build.collection, current: build.version === projection.version };
  }
}
