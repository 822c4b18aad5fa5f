import { Problem, unavailable } from '../../domain/problem.ts';
import type { EventLog } from '../../stores/eventLog.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { ProjectionStatus } from '../projection.ts';
import { type Build, leaseOf } from './builds.ts';
import { countPersonal } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { lagOf, shareOf } from './lag.ts';
import type { RebuildOptions, Served } from './projectionEngine.ts';
import { Runner, type RunnerDeps } from './runner.ts';
import { statusOf } from './status.ts';

/** How long the old documents stay after a rebuild, for nodes that have not seen it yet (they look every second). */
const GRACE_MILLISECONDS = 10_000;
const PROGRESS_MILLISECONDS = 500;

export interface KeeperDeps extends RunnerDeps {
  readonly log: EventLog;
  readonly serveStale: boolean;
}

const newest = (builds: readonly Build[]): Build | null =>
  builds.reduce<Build | null>((best, build) => {
    if (!best || build.version > best.version) return build;
    return build.version === best.version && build.generation > best.generation ? build : best;
  }, null);

/**
 * Keeps the builds of one projection: which one is served, which one is being built, when the one takes over from the other, and when
 * old ones are dropped. Builds of other versions stay: nodes of that version may be serving them.
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
  /** Of `start`; `null` before. */
  #signal: AbortSignal | null = null;

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
    this.#building ??= this.#serving ? null : this.#runnerOf(await this.#begin(builds, []));
    for (const runner of [this.#serving, this.#building]) {
      if (!runner) continue;
      await this.#deps.documents.ensureCollection({ name: runner.build.collection, indexes: this.projection.indexes });
      this.#run(runner);
    }
    const building = this.#building;
    if (building) this.#inBackground(this.#built(building, signal).then((whole) => (whole ? this.#switchTo(building) : undefined)));
    const served = this.#serving?.build.collection;
    const left = this.#own(builds).filter(({ phase, collection }) => phase === 'retired' || (served && collection !== served));
    for (const build of left) await this.#dropUnheld(build);
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
    await Promise.all(this.#background);
  }

  /** What other nodes have done, from the records of all builds. */
  refresh(builds: readonly Build[]): void {
    for (const runner of [this.#serving, this.#building]) {
      const record = builds.find(({ collection }) => collection === runner?.build.collection);
      if (record) runner?.refresh(record);
    }
    const active = newest(this.#own(builds).filter(({ phase }) => phase === 'active'));
    if (!active || !this.#serving || active.generation <= this.#serving.build.generation) return;
    if (this.#building?.build.collection === active.collection) return;
    const runner = this.#runnerOf(active);
    this.#run(runner);
    this.#inBackground(this.#switchTo(runner));
  }

  /** See `ProjectionEngine.rebuild`. */
  async rebuild({ signal, onBegun, onProgress }: RebuildOptions): Promise<void> {
    if (this.#building && (this.#signal || !(await this.#dropUnheld(this.#building.build)))) {
      throw new Problem('GENERAL_CONFLICT_ERROR', `The read model ${this.projection.name} is being built already.`);
    }
    const build = await this.#begin(await this.#deps.builds.list(), this.#serving?.build.skipped ?? []);
    const runner = this.#runnerOf(build);
    this.#building = runner;
    this.#run(runner);
    onBegun?.();
    const reported = new AbortController();
    const reporting = this.#report(runner, onProgress, reported.signal);
    try {
      if (!(await this.#built(runner, signal, true))) throw this.#notBuilt(runner);
      await this.#switchTo(runner);
      if (!this.#signal) await this.#stop(runner);
    } catch (error) {
      this.#building = null;
      await this.#stop(runner);
      await this.#deps.builds.drop(runner.build);
      throw error;
    } finally {
      reported.abort();
      await reporting;
    }
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
      if (outcome !== 'ended' || runner === this.#serving) return outcome === 'reached';
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
    run?.stop.abort();
    await run?.ended;
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

  #notBuilt(runner: Runner): Error {
    const { stopped } = runner.build;
    if (!stopped) return unavailable('The rebuild was ended before it was done.');
    return new Problem(
      'GENERAL_CONFLICT_ERROR',
      `The rebuild of ${this.projection.name} stopped at position ${stopped.position} (${stopped.eventType}): ${stopped.reason}. The old documents are still served.`,
    );
  }

  /** One step for readers, and never back in time: the new build has handled what the old one has. */
  async #switchTo(runner: Runner): Promise<void> {
    const old = this.#serving;
    while (old?.handled && (old.state === 'live' || old.state === 'catching-up') && !(runner.handled && runner.handled >= old.handled)) {
      const reached = await runner.reached(old.handled, this.#deps.clock.monotonic() + PROGRESS_MILLISECONDS);
      if (reached === 'stopped' || reached === 'ended') break;
    }
    this.#serving = runner;
    if (this.#building === runner) this.#building = null;
    this.#stale = null;
    this.#onChange();
    if (!old) return;
    await this.#stop(old);
    if (!this.#signal) return this.#deps.builds.drop(old.build);
    this.#inBackground(this.#dropLater(old.build, this.#signal));
  }

  async #dropLater(build: Build, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(GRACE_MILLISECONDS, signal).catch(() => undefined);
    // Left to the next start otherwise.
    if (!signal.aborted) await this.#dropUnheld(build);
  }

  /** `false` when another node is at work on it. */
  async #dropUnheld(build: Build): Promise<boolean> {
    const lease = await this.#deps.leases.tryAcquire(leaseOf(build));
    if (!lease) return false;
    await this.#deps.builds.drop(build);
    await lease.release();
    return true;
  }

  async #report(runner: Runner, onProgress: RebuildOptions['onProgress'], signal: AbortSignal): Promise<void> {
    if (!onProgress) return;
    const { clock, log } = this.#deps;
    const began = clock.monotonic();
    const report = async () => {
      const share = shareOf(null, runner.handled, await log.head());
      const seconds = (clock.monotonic() - began) / 1_000;
      const secondsLeft = share ? (seconds / share) * (1 - share) : null;
      onProgress({ name: this.projection.name, events: runner.rate.total, eventsPerSecond: runner.rate.perSecond(), secondsLeft });
    };
    while (!signal.aborted) {
      await clock.sleep(PROGRESS_MILLISECONDS, signal).catch(() => undefined);
      await report().catch(() => undefined);
    }
  }
}
