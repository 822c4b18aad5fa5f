import { conflict, type Problem, unavailable } from '../../domain/problem.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, dropUnheld, newest } from './builds.ts';
import { BuildUpdater, type UpdaterDeps } from './buildUpdater.ts';
import { countPersonal } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { lagOf } from './lag.ts';
import { builtByOthers, givenUp, isBuilt, whole } from './rebuild.ts';
import { type RebuildOptions, reported } from './rebuildProgress.ts';
import { RunningUpdaters } from './runningUpdaters.ts';
import { statusOf } from './status.ts';
import { caughtUp, indexed } from './takeover.ts';

/** How long old documents stay after a rebuild, for nodes that have not noticed it yet (they look every two seconds). */
const GRACE_MILLISECONDS = 10_000;
/** Poll interval of an erasure that waits for documents of an older version to go. */
const TAKEOVER_MILLISECONDS = 500;

export interface ManagedProjectionDeps extends UpdaterDeps {
  readonly log: EventLog;
  readonly serveStale: boolean;
  readonly alone: boolean;
}

/** The collection that serves reads of a projection. */
export interface Served {
  readonly projection: AnyProjection;
  readonly collection: string;
  /** `false` for documents of another version: this version's events must not be folded onto them. */
  readonly current: boolean;
}

/** The role of this process for a projection. `signal` ends it. */
type Role =
  /** Reads the builds as they were at the start. For the command line. */
  | { readonly kind: 'idle'; readonly signal: null }
  /** Serves builds made by other nodes. */
  | { readonly kind: 'observing'; readonly signal: AbortSignal }
  /** Also builds, each build under its lease. */
  | { readonly kind: 'running'; readonly signal: AbortSignal };

/**
 * The builds of one projection. Builds of other versions are kept, because nodes of those versions may serve them.
 *
 * Role, chosen once: `idle` until `observe` or `start` is called, then `observing` or `running`.
 *
 * Served: nothing, or `#stale` (built by an older version), then `#serving` (built by this version), which newer builds replace.
 *
 * A new build takes three steps. If it stops, or its record is dropped, the served build stays.
 * 1. `#beginning`: its record is created, here or by another node. A record in phase `building` is a request, which any `running` node may take.
 * 2. `#building`: it reads the log up to the head.
 * 3. `#coming`: it is complete, gets its indexes and catches up with the served build. Then it is served, and the old build is retired and dropped.
 */
export class ManagedProjection {
  readonly projection: AnyProjection;
  readonly #deps: ManagedProjectionDeps;
  readonly #onChange: () => void;
  readonly #runs = new RunningUpdaters();
  readonly #background = new Set<Promise<void>>();
  #serving: BuildUpdater | null = null;
  #building: BuildUpdater | null = null;
  #stale: Build | null = null;
  #role: Role = { kind: 'idle', signal: null };
  /** Replacing the served build. */
  #coming: BuildUpdater | null = null;
  /** A build is being started here, so its record is not mistaken for a request. */
  #beginning = false;

  /** `builds` lists every build. `onChange` is called when the served build changes. */
  constructor(deps: ManagedProjectionDeps, projection: AnyProjection, builds: readonly Build[], onChange: () => void) {
    this.#deps = deps;
    this.projection = projection;
    this.#onChange = onChange;
    const own = this.#own(builds);
    const active = newest(own, 'active');
    const building = newest(own, 'building');
    if (active) this.#serving = this.#updaterOf(active);
    else if (building) this.#building = this.#updaterOf(building);
    const ofAnyVersion = builds.filter(({ name }) => name === projection.name);
    if (!active && deps.serveStale) this.#stale = newest(ofAnyVersion, 'active');
  }

  get ready(): boolean {
    return this.#serving !== null || this.#stale !== null;
  }

  /** The served build of this version; `null` while only another version's exists. */
  get #current(): BuildUpdater | null {
    return this.#serving ?? (this.#stale ? null : this.#building);
  }

  served(): Served {
    const { projection } = this;
    const current = this.#current;
    if (current) return { projection, collection: current.build.collection, current: true };
    if (this.#stale) return { projection, collection: this.#stale.collection, current: false };
    throw unavailable('The read models are being built. Try again in a moment.');
  }

  async start(signal: AbortSignal, builds: readonly Build[]): Promise<void> {
    this.#role = { kind: 'running', signal };
    this.#building ??= this.#serving ? null : this.#updaterOf(await this.#begin(builds, []));
    for (const updater of [this.#serving, this.#building]) {
      if (!updater) continue;
      await this.#deps.documents.ensureCollection({ name: updater.build.collection, indexes: this.projection.indexes });
      this.#run(updater);
    }
    if (this.#building) this.#track(this.#building, signal);
    await this.#declareStale();
    for (const build of this.#own(builds).filter((one) => this.#isLeftOver(one))) await dropUnheld(this.#deps, build);
  }

  /** Indexed members of this version. Older documents may lack them, so queries by them would miss those documents. */
  async #declareStale(): Promise<void> {
    if (this.#stale && this.#deps.alone)
      await this.#deps.documents.ensureCollection({ name: this.#stale.collection, indexes: this.projection.indexes });
  }

  async observe(signal: AbortSignal, builds: readonly Build[]): Promise<void> {
    this.#role = { kind: 'observing', signal };
    await this.#declareStale();
    if (this.#building) this.#track(this.#building, signal);
    this.refresh(builds);
  }

  /** Removes what a dead process left, except builds that others may have requested or may still serve. */
  #isLeftOver({ phase, collection, generation }: Build): boolean {
    const served = this.#serving?.build;
    if (phase === 'retired') return true;
    return served !== undefined && collection !== served.collection && (this.#deps.alone || generation < served.generation);
  }

  async finished(): Promise<void> {
    await this.#runs.ended();
    await Promise.all(this.#background);
  }

  /** Reads what other nodes did or requested from the records of all builds. */
  refresh(builds: readonly Build[]): void {
    const signal = this.#role.signal;
    if (!signal || signal.aborted) return;
    for (const updater of [this.#serving, this.#building, this.#coming]) {
      const record = builds.find(({ collection }) => collection === updater?.build.collection);
      if (record) updater?.refresh(record);
    }
    this.#giveUpDropped(builds);
    const served = this.#serving?.build.generation ?? -1;
    const newer = this.#own(builds).filter(({ generation }) => generation > served);
    const active = newest(newer, 'active');
    if (active && !this.#knows(active)) this.#inBackground(this.#switchTo(this.#kept(this.#updaterOf(active))));
    const asked = newest(newer, 'building');
    if (!asked || this.#building || this.#beginning || this.#knows(asked)) return;
    this.#building = this.#kept(this.#updaterOf(asked));
    this.#track(this.#building, signal);
  }

  #knows({ collection }: Build): boolean {
    return [this.#building, this.#coming].some((updater) => updater?.build.collection === collection);
  }

  /** The request was withdrawn. */
  #giveUpDropped(builds: readonly Build[]): void {
    const building = this.#building;
    if (!building || this.#beginning) return;
    const record = builds.find(({ collection }) => collection === building.build.collection);
    if (record && record.phase !== 'retired') return;
    this.#building = null;
    this.#inBackground(this.#runs.stop(building).then(async () => void (record && (await dropUnheld(this.#deps, record)))));
  }

  /** Kept up to date here if this node's role is `running`. */
  #kept(updater: BuildUpdater): BuildUpdater {
    if (this.#role.kind === 'running') this.#run(updater);
    return updater;
  }

  /** Serves the build once it is complete. */
  #track(building: BuildUpdater, signal: AbortSignal): void {
    this.#inBackground(isBuilt(building, signal).then((built) => (built ? this.#switchTo(building) : undefined)));
  }

  /** See `ProjectionEngine.rebuild`. */
  async rebuild(options: RebuildOptions): Promise<void> {
    if (this.#deps.alone || this.#role.kind === 'running') await this.#rebuildHere(options);
    else await this.#askForRebuild(options);
  }

  async #rebuildHere({ signal, onBegun, onProgress }: RebuildOptions): Promise<void> {
    if (this.#beginning) throw this.#underWay();
    this.#beginning = true;
    let updater: BuildUpdater;
    try {
      updater = await this.#begunHere();
      this.#building = updater;
    } finally {
      this.#beginning = false;
    }
    this.#run(updater);
    onBegun?.();
    await reported(this.#deps, updater, onProgress, () => this.#seenThrough(updater, signal));
  }

  async #begunHere(): Promise<BuildUpdater> {
    if (this.#building && (this.#role.kind === 'running' || !(await dropUnheld(this.#deps, this.#building.build)))) throw this.#underWay();
    return this.#updaterOf(await this.#begin(await this.#deps.builds.list(), this.#serving?.build.skipped ?? []));
  }

  /** Resolves when the build is served. */
  async #seenThrough(updater: BuildUpdater, signal: AbortSignal | undefined): Promise<void> {
    try {
      await whole(updater, signal);
    } catch (error) {
      if (this.#building === updater) this.#building = null;
      await givenUp(this.#deps, updater, this.#runs);
      throw error;
    }
    await this.#switchTo(updater);
    if (this.#role.kind !== 'running') await this.#runs.stop(updater);
  }

  /** Records a request for another node and waits for its outcome. */
  async #askForRebuild(options: RebuildOptions): Promise<void> {
    const builds = await this.#deps.builds.list();
    const own = this.#own(builds);
    const active = newest(own, 'active');
    if (own.some(({ phase, generation }) => phase === 'building' && generation > (active?.generation ?? -1))) throw this.#underWay();
    const updater = this.#updaterOf(await this.#begin(builds, active?.skipped ?? []));
    options.onBegun?.();
    await builtByOthers(this.#deps, updater, { runs: this.#runs, stopping: this.#role.signal }, options);
  }

  #underWay(): Problem {
    return conflict(`A rebuild of the read model ${this.projection.name} is already running.`);
  }

  async skip(position: string): Promise<void> {
    for (const updater of [this.#serving, this.#building]) {
      const build = updater && (await this.#deps.builds.get(updater.build.collection));
      if (build?.stopped?.position !== position) continue;
      const skipped = { ...build, stopped: null, skipped: [...build.skipped, position] };
      await this.#deps.builds.save(skipped);
      updater?.refresh(skipped);
      return;
    }
    throw conflict(`The projection ${this.projection.name} is not stopped at this position.`);
  }

  async waitFor(position: Position, milliseconds: number): Promise<boolean> {
    const deadline = this.#deps.clock.monotonic() + milliseconds;
    for (;;) {
      const updater = this.#current;
      if (!updater) return false;
      const outcome = await updater.reached(position, deadline);
      // Compare with the build that is read now: another one may have replaced it.
      if (updater === this.#current || outcome === 'late') return outcome === 'reached';
    }
  }

  /** See `ProjectionEngine.keepsUp`. */
  keepsUp(): boolean {
    return this.#current?.keepsUp ?? false;
  }

  async status(head: Position | null): Promise<ProjectionStatus[]> {
    const { name, version } = this.projection;
    const updaters = [this.#serving, this.#building].filter((updater) => updater !== null);
    if (updaters.length > 0) return Promise.all(updaters.map((updater) => statusOf(this.#deps, updater, head)));
    const lag = await lagOf(this.#deps.log, null, head, this.#deps.clock.now());
    return [{ name, version, position: null, head, ...lag, rate: 0, state: 'rebuilding', error: null }];
  }

  /** Number of served documents with personal data of a subject. */
  async countPersonal(subject: string): Promise<number> {
    return this.#serving ? countPersonal(this.#deps.documents, this.#serving.build.collection, this.projection, subject) : 0;
  }

  /** Resolves to `true` when every maintained build has handled `position`, to `false` if one does not in time. */
  async allReached(position: Position, milliseconds: number): Promise<boolean> {
    const deadline = this.#deps.clock.monotonic() + milliseconds;
    const updaters = [this.#serving, this.#building].filter((updater) => updater !== null);
    const outcomes = await Promise.all(updaters.map((updater) => updater.reached(position, deadline)));
    // A served build of an older version holds the data too, until it is replaced.
    while (this.#stale && this.#deps.clock.monotonic() < deadline) await this.#deps.clock.pause(TAKEOVER_MILLISECONDS);
    if (this.#stale) return false;
    return outcomes.every((outcome, index) => outcome === 'reached' || (outcome === 'ended' && updaters[index] !== this.#serving));
  }

  /** Drops builds, of any version, that are neither served nor being built here or elsewhere. Returns their names. */
  async dropOld(): Promise<string[]> {
    const kept = new Set([this.#serving, this.#building].map((updater) => updater?.build.collection));
    const dropped: string[] = [];
    for (const build of await this.#deps.builds.list()) {
      if (build.name !== this.projection.name || kept.has(build.collection)) continue;
      if (this.#stale?.collection === build.collection || !(await dropUnheld(this.#deps, build))) continue;
      dropped.push(build.collection);
    }
    return dropped;
  }

  #own(builds: readonly Build[]): Build[] {
    return builds.filter(({ name, version }) => name === this.projection.name && version === this.projection.version);
  }

  #updaterOf(build: Build): BuildUpdater {
    return new BuildUpdater(this.#deps, this.projection, build);
  }

  #begin(builds: readonly Build[], skipped: readonly string[]): Promise<Build> {
    const generation = Math.max(-1, ...this.#own(builds).map((build) => build.generation)) + 1;
    return this.#deps.builds.begin(this.projection, generation, skipped, this.#serving !== null);
  }

  #run(updater: BuildUpdater): void {
    this.#runs.begin(updater, this.#role.signal);
  }

  #inBackground(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        // The next start resumes interrupted work.
        if (this.#role.signal?.aborted) return;
        this.#deps.logger.error(
          { err: error, projection: this.projection.name },
          'switching to the new read model, or dropping the old one, failed',
        );
      })
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Switches readers in one step, never back in time: the new build has handled everything the old one has. */
  async #switchTo(updater: BuildUpdater): Promise<void> {
    this.#coming = updater;
    try {
      // It was built without its indexes, perhaps by this node, and a store may remember that.
      await indexed(this.#deps, updater, this.#role.signal);
      await caughtUp(this.#deps, updater, this.#serving, this.#role.signal);
    } catch (error) {
      // Its record stays, so the build is resumed when the record is next seen.
      if (this.#building === updater) this.#building = null;
      await this.#runs.stop(updater);
      throw error;
    } finally {
      this.#coming = null;
    }
    const old = this.#serving;
    this.#serving = updater;
    if (this.#building === updater) this.#building = null;
    this.#stale = null;
    this.#onChange();
    if (old) await this.#retire(old);
  }

  /** Other nodes notice the new build within two seconds. Until then the old one must not fall behind. */
  async #retire(old: BuildUpdater): Promise<void> {
    if (this.#deps.alone) {
      await this.#runs.stop(old);
      if (this.#role.kind !== 'running') return this.#deps.builds.drop(old.build);
    }
    if (this.#role.kind === 'running') this.#inBackground(this.#dropLater(old, this.#role.signal));
    else await this.#runs.stop(old);
  }

  async #dropLater(old: BuildUpdater, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.pause(GRACE_MILLISECONDS, signal);
    await this.#runs.stop(old);
    // Otherwise left to the next start.
    if (!signal.aborted) await dropUnheld(this.#deps, old.build);
  }
}
