import { Problem, unavailable } from '../../domain/problem.ts';
import type { EventLog } from '../../stores/eventLog.ts';
import { type Position, StoreUnavailable } from '../../stores/eventStore.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, leaseOf } from './builds.ts';
import { countPersonal } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { lagOf } from './lag.ts';
import type { RebuildOptions, Served } from './projectionEngine.ts';
import { builtElsewhere, isTakenUp, notBuilt, reported } from './rebuild.ts';
import { Runner, type RunnerDeps } from './runner.ts';
import { statusOf } from './status.ts';

/** How long the old documents stay after a rebuild, for nodes that have not seen it yet (they look every second). */
const GRACE_MILLISECONDS = 10_000;
const PROGRESS_MILLISECONDS = 500;

export interface KeeperDeps extends RunnerDeps {
  readonly log: EventLog;
  readonly serveStale: boolean;
  readonly alone: boolean;
}

const newest = (builds: readonly Build[]): Build | null =>
  builds.reduce<Build | null>((best, build) => {
    if (!best || build.version > best.version) return build;
    return build.version === best.version && build.generation > best.generation ? build : best;
  }, null);

/**
 * Keeps the builds of one projection: which one is served, which one is being built, when the one takes over from the other, and when
 * old ones are dropped. Builds of other versions stay: nodes of that version may be serving them.
 *
 * `idle` (as the builds were when it was opened; for the command line) -> `observing` (others build, it serves what they have built) or `running`
 * (it builds too, each build under its lease). A record `building` is a request: whoever runs takes it up.
 */
export class Keeper {
  readonly projection: AnyProjection;
  readonly #deps: KeeperDeps;
  readonly #onChange: () => void;
  readonly #runs = new Map<Runner, { stop: AbortController; ended: Promise<void> }>();
  readonly #background = new Set<Promise<void>>();
  #serving: Runner | null = null;
  #building: Runner | null = null;
  #stale: Build | null = null;
  #mode: 'idle' | 'observing' | 'running' = 'idle';
  /** Of `start` or `observe`; `null` before. */
  #signal: AbortSignal | null = null;
  /** Taking over from the one that is served. */
  #coming: Runner | null = null;
  /** A build is being begun here: its record is no request. */
  #beginning = false;

  /** `builds` are all that there are. `onChange` is called when what is served has changed. */
  constructor(deps: KeeperDeps, projection: AnyProjection, builds: readonly Build[], onChange: () => void) {
    this.#deps = deps;
    this.projection = projection;
    this.#onChange = onChange;
    const own = this.#own(builds);
    const active = newest(own.filter(({ phase }) => phase === 'active'));
    const building = newest(own.filter(({ phase }) => phase === 'building'));
    if (active) this.#serving = this.#runnerOf(active);
    else if (building) this.#building = this.#runnerOf(building);
    if (!active && deps.serveStale)
      this.#stale = newest(builds.filter(({ name, phase }) => name === projection.name && phase === 'active'));
  }

  get ready(): boolean {
    return this.#serving !== null || this.#stale !== null;
  }

  served(): Served {
    const { projection } = this;
    const current = this.#serving ?? (this.#stale ? null : this.#building);
    if (current) return { projection, collection: current.build.collection, current: true };
    if (this.#stale) return { projection, collection: this.#stale.collection, current: false };
    throw unavailable('The read models are being built: try again in a moment.');
  }

  async start(signal: AbortSignal, builds: readonly Build[]): Promise<void> {
    this.#signal = signal;
    this.#mode = 'running';
    this.#building ??= this.#serving ? null : this.#runnerOf(await this.#begin(builds, []));
    for (const runner of [this.#serving, this.#building]) {
      if (!runner) continue;
      await this.#deps.documents.ensureCollection({ name: runner.build.collection, indexes: this.projection.indexes });
      this.#run(runner);
    }
    if (this.#building) this.#track(this.#building, signal);
    for (const build of this.#own(builds).filter((one) => this.#isLeftOver(one))) await this.#dropUnheld(build);
  }

  observe(signal: AbortSignal, builds: readonly Build[]): void {
    this.#signal = signal;
    this.#mode = 'observing';
    if (this.#building) this.#track(this.#building, signal);
    this.refresh(builds);
  }

  /** Of a process that has ended; what others may have asked for, or be serving still, is not. */
  #isLeftOver({ phase, collection, generation }: Build): boolean {
    const served = this.#serving?.build;
    if (phase === 'retired') return true;
    return served !== undefined && collection !== served.collection && (this.#deps.alone || generation < served.generation);
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
    await Promise.all(this.#background);
  }

  /** What other nodes have done and asked for, from the records of all builds. */
  refresh(builds: readonly Build[]): void {
    const signal = this.#signal;
    if (!signal || signal.aborted) return;
    for (const runner of [this.#serving, this.#building, this.#coming]) {
      const record = builds.find(({ collection }) => collection === runner?.build.collection);
      if (record) runner?.refresh(record);
    }
    this.#giveUpDropped(builds);
    const served = this.#serving?.build.generation ?? -1;
    const newer = this.#own(builds).filter(({ generation }) => generation > served);
    const active = newest(newer.filter(({ phase }) => phase === 'active'));
    if (active && !this.#knows(active)) this.#inBackground(this.#switchTo(this.#kept(this.#runnerOf(active))));
    const asked = newest(newer.filter(({ phase }) => phase === 'building'));
    if (!asked || this.#building || this.#beginning || this.#knows(asked)) return;
    this.#building = this.#kept(this.#runnerOf(asked));
    this.#track(this.#building, signal);
  }

  #knows({ collection }: Build): boolean {
    return [this.#building, this.#coming].some((runner) => runner?.build.collection === collection);
  }

  /** Who asked for it does not want it any more. */
  #giveUpDropped(builds: readonly Build[]): void {
    const building = this.#building;
    if (!building || this.#beginning) return;
    const record = builds.find(({ collection }) => collection === building.build.collection);
    if (record && record.phase !== 'retired') return;
    this.#building = null;
    this.#inBackground(this.#stop(building).then(async () => void (record && (await this.#dropUnheld(record)))));
  }

  /** Kept up to date here, where that is the task of this node. */
  #kept(runner: Runner): Runner {
    if (this.#mode === 'running') this.#run(runner);
    return runner;
  }

  /** Takes over when it is whole. */
  #track(building: Runner, signal: AbortSignal): void {
    this.#inBackground(this.#built(building, signal).then((whole) => (whole ? this.#switchTo(building) : undefined)));
  }

  /** See `ProjectionEngine.rebuild`. */
  async rebuild(options: RebuildOptions): Promise<void> {
    if (this.#deps.alone || this.#mode === 'running') await this.#rebuildHere(options);
    else await this.#askForRebuild(options);
  }

  async #rebuildHere({ signal, onBegun, onProgress }: RebuildOptions): Promise<void> {
    if (this.#building && (this.#mode === 'running' || !(await this.#dropUnheld(this.#building.build)))) throw this.#underWay();
    this.#beginning = true;
    const build = await this.#begin(await this.#deps.builds.list(), this.#serving?.build.skipped ?? []).finally(() => {
      this.#beginning = false;
    });
    const runner = this.#runnerOf(build);
    this.#building = runner;
    this.#run(runner);
    onBegun?.();
    await reported(this.#deps, runner, onProgress, () => this.#seenThrough(runner, signal));
  }

  /** Until it serves; one that cannot be built is dropped. */
  async #seenThrough(runner: Runner, signal: AbortSignal | undefined): Promise<void> {
    await this.#whole(runner, signal);
    await this.#switchTo(runner);
    if (this.#mode !== 'running') await this.#stop(runner);
  }

  async #whole(runner: Runner, signal: AbortSignal | undefined): Promise<void> {
    try {
      if (!(await this.#built(runner, signal, true))) throw notBuilt(runner.build);
    } catch (error) {
      if (this.#building === runner) this.#building = null;
      await this.#stop(runner);
      await this.#deps.builds.drop(runner.build);
      throw error;
    }
  }

  /** Makes the record that another node takes up, and waits for its end. */
  async #askForRebuild({ signal, onBegun, onProgress }: RebuildOptions): Promise<void> {
    const builds = await this.#deps.builds.list();
    const own = this.#own(builds);
    const active = newest(own.filter(({ phase }) => phase === 'active'));
    if (own.some(({ phase, generation }) => phase === 'building' && generation > (active?.generation ?? -1))) throw this.#underWay();
    const runner = this.#runnerOf(await this.#begin(builds, active?.skipped ?? []));
    onBegun?.();
    await reported(this.#deps, runner, onProgress, async () => {
      if (await isTakenUp(this.#deps, runner.build, signal)) return builtElsewhere(this.#deps, runner, signal);
      this.#run(runner);
      await this.#whole(runner, signal).finally(() => this.#stop(runner));
    });
  }

  #underWay(): Problem {
    return new Problem('GENERAL_CONFLICT_ERROR', `The read model ${this.projection.name} is being built already.`);
  }

  async skip(position: string): Promise<void> {
    for (const runner of [this.#serving, this.#building]) {
      const build = runner && (await this.#deps.builds.get(runner.build.collection));
      if (build?.stopped?.position !== position) continue;
      const skipped = { ...build, stopped: null, skipped: [...build.skipped, position] };
      await this.#deps.builds.save(skipped);
      runner?.refresh(skipped);
      return;
    }
    throw new Problem('GENERAL_CONFLICT_ERROR', `The projection ${this.projection.name} has not stopped at this position.`);
  }

  async waitFor(position: Position, milliseconds: number): Promise<boolean> {
    const deadline = this.#deps.clock.monotonic() + milliseconds;
    for (;;) {
      const runner = this.#serving ?? (this.#stale ? null : this.#building);
      if (!runner) return false;
      const outcome = await runner.reached(position, deadline);
      // What is read now is what counts: another may have taken over meanwhile.
      if (runner === this.#serving || outcome === 'late' || !(this.#serving || outcome === 'ended')) return outcome === 'reached';
    }
  }

  async status(head: Position | null): Promise<ProjectionStatus[]> {
    const { name, version } = this.projection;
    const runners = [this.#serving, this.#building].filter((runner) => runner !== null);
    if (runners.length > 0) return Promise.all(runners.map((runner) => statusOf(this.#deps, runner, head)));
    const lag = await lagOf(this.#deps.log, null, head, this.#deps.clock.now());
    return [{ name, version, position: null, head, ...lag, rate: 0, state: 'rebuilding', error: null }];
  }

  /** How many documents that are served hold something personal of a subject. */
  async countPersonal(subject: string): Promise<number> {
    return this.#serving ? countPersonal(this.#deps.documents, this.#serving.build.collection, this.projection, subject) : 0;
  }

  /** Until every build that is kept up to date has handled `position`; `false` when one does not in time. */
  async allReached(position: Position, milliseconds: number): Promise<boolean> {
    const deadline = this.#deps.clock.monotonic() + milliseconds;
    const runners = [this.#serving, this.#building].filter((runner) => runner !== null);
    const outcomes = await Promise.all(runners.map((runner) => runner.reached(position, deadline)));
    return outcomes.every((outcome, index) => outcome === 'reached' || (outcome === 'ended' && runners[index] !== this.#serving));
  }

  /** Drops the builds that are neither served nor being built, of other versions too; those that another node works on stay. Answers which. */
  async dropOld(): Promise<string[]> {
    const kept = new Set([this.#serving, this.#building].map((runner) => runner?.build.collection));
    const dropped: string[] = [];
    for (const build of await this.#deps.builds.list()) {
      if (build.name !== this.projection.name || kept.has(build.collection)) continue;
      if (this.#stale?.collection === build.collection || !(await this.#dropUnheld(build))) continue;
      dropped.push(build.collection);
    }
    return dropped;
  }

  #own(builds: readonly Build[]): Build[] {
    return builds.filter(({ name, version }) => name === this.projection.name && version === this.projection.version);
  }

  #runnerOf(build: Build): Runner {
    return new Runner(this.#deps, this.projection, build);
  }

  #begin(builds: readonly Build[], skipped: readonly string[]): Promise<Build> {
    const generation = Math.max(-1, ...this.#own(builds).map((build) => build.generation)) + 1;
    return this.#deps.builds.begin(this.projection, generation, skipped, this.#serving !== null);
  }

  #run(runner: Runner): void {
    const stop = new AbortController();
    const ended = runner.run(this.#signal ? AbortSignal.any([this.#signal, stop.signal]) : stop.signal);
    this.#runs.set(runner, { stop, ended });
  }

  async #stop(runner: Runner): Promise<void> {
    const run = this.#runs.get(runner);
    if (!run) return runner.leave();
    run.stop.abort();
    await run.ended;
    this.#runs.delete(runner);
  }

  #inBackground(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) =>
        this.#deps.logger.error({ err: error, projection: this.projection.name }, 'old documents were not dropped'),
      )
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Until the build has been whole once; `false` when it ends before, or (if asked) stops. */
  async #built(runner: Runner, signal: AbortSignal | undefined, orStopped = false): Promise<boolean> {
    while (runner.build.phase !== 'active') {
      if (runner.state === 'ended' || (orStopped && runner.state === 'stopped')) return false;
      signal?.throwIfAborted();
      await runner.changed(signal);
    }
    return true;
  }

  /** One step for readers, and never back in time: the new build has handled what the old one has. */
  async #switchTo(runner: Runner): Promise<void> {
    this.#coming = runner;
    try {
      // Begun without its indexes, perhaps by this node; a store may remember that.
      await this.#indexed(runner);
      await this.#caughtUp(runner, this.#serving);
    } catch (error) {
      // Its record stays: it is begun with again when that is seen next.
      if (this.#building === runner) this.#building = null;
      await this.#stop(runner);
      throw error;
    } finally {
      this.#coming = null;
    }
    const old = this.#serving;
    this.#serving = runner;
    if (this.#building === runner) this.#building = null;
    this.#stale = null;
    this.#onChange();
    if (old) await this.#retire(old);
  }

  /** A node that serves waits for a store that is away: nobody would take it over to the new build later, and the old one is dropped. */
  async #indexed({ build }: Runner): Promise<void> {
    for (;;) {
      try {
        return await this.#deps.builds.index(build, this.projection);
      } catch (error) {
        const signal = this.#signal;
        if (!(error instanceof StoreUnavailable) || !signal || signal.aborted) throw error;
        await this.#deps.clock.sleep(PROGRESS_MILLISECONDS, signal);
      }
    }
  }

  async #caughtUp(runner: Runner, old: Runner | null): Promise<void> {
    if (!old) return;
    for (let target = await this.#cameTo(old); target && !(runner.handled && runner.handled >= target); target = await this.#cameTo(old)) {
      const reached = await runner.reached(target, this.#deps.clock.monotonic() + PROGRESS_MILLISECONDS);
      if (reached === 'stopped' || reached === 'ended' || this.#signal?.aborted) return;
    }
  }

  /** As far as readers of a build may have seen; `null` for one that nobody keeps up to date. */
  async #cameTo(old: Runner): Promise<Position | null> {
    if (old.state === 'live' || old.state === 'catching-up') return old.handled;
    return old.state === 'standby' && !this.#deps.alone ? old.look() : null;
  }

  /** Other nodes see the new one within a second; until then the old one must not fall behind. */
  async #retire(old: Runner): Promise<void> {
    if (this.#deps.alone) {
      await this.#stop(old);
      if (this.#mode !== 'running') return this.#deps.builds.drop(old.build);
    }
    if (this.#mode === 'running' && this.#signal) this.#inBackground(this.#dropLater(old, this.#signal));
    else await this.#stop(old);
  }

  async #dropLater(old: Runner, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(GRACE_MILLISECONDS, signal).catch(() => undefined);
    await this.#stop(old);
    // Left to the next start otherwise.
    if (!signal.aborted) await this.#dropUnheld(old.build);
  }

  /** `false` when another node is at work on it. */
  async #dropUnheld(build: Build): Promise<boolean> {
    const lease = await this.#deps.leases.tryAcquire(leaseOf(build));
    if (!lease) return false;
    try {
      await this.#deps.builds.drop(build);
    } finally {
      // Kept while the store is away, it would keep the build, and what is personal in it, from every later drop.
      await lease.release();
    }
    return true;
  }
}
