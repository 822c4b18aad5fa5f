import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Checkpoint, Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { aborted } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';
import { type Build, type Builds, buildsOf, newest } from './builds.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { FoldedBuild } from './foldedBuild.ts';
import type { LogPages } from './logPages.ts';
import { LoneBuild } from './loneBuild.ts';
import { ServedGroup } from './servedGroup.ts';

/** How long retired documents stay, for nodes that have not noticed yet: they look every two seconds and serve for six after their last look. */
const GRACE_MILLISECONDS = 10_000;

export interface LeaderDeps {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly AnyProjection[];
  readonly builds: Builds;
  readonly pages: LogPages;
  readonly lease: string;
  /** Wakes those that wait for progress. */
  readonly onProgress: () => void;
  /** Reads the records again; they come back to `Leader.refresh`. */
  readonly look: () => Promise<void>;
}

/** How far the leader is with a build. */
export interface Led {
  readonly position: Position | null;
  readonly live: boolean;
  readonly trouble: string | null;
  readonly perSecond: number;
}

/** What the holder of the lease does: it keeps every build of this version up to date, the served ones as a group. */
export class Leader {
  readonly group: ServedGroup;
  readonly #deps: LeaderDeps;
  readonly #epoch: number;
  readonly #lone = new Map<string, { readonly build: LoneBuild; readonly stop: AbortController; readonly ended: Promise<void> }>();
  /** Retired builds, those that have been dropped too: a look that began before may still show them. */
  readonly #dropping = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #ending: AbortSignal;
  readonly #failed = new AbortController();

  private constructor(deps: LeaderDeps, { epoch, signal }: { epoch: number; signal: AbortSignal }, served: Checkpoint) {
    this.#deps = deps;
    this.#epoch = epoch;
    this.#ending = AbortSignal.any([signal, this.#failed.signal]);
    this.group = new ServedGroup({
      ...deps,
      types: [...new Set([SUBJECT_ERASED, ...deps.projections.flatMap(({ handles }) => handles)])],
      checkpoint: served,
      leave: (build, position) => this.#leave(build, position),
      onFailure: (error) => deps.logger.warn({ err: error }, 'updating the read models was interrupted; retrying'),
    });
  }

  /** Starts from the stored state: another holder may have made progress since. */
  static async begin(deps: LeaderDeps, held: { epoch: number; signal: AbortSignal }): Promise<Leader> {
    const { builds, documents, lease, projections } = deps;
    const records = await builds.list();
    for (const projection of projections) {
      const own = buildsOf(records, projection);
      if (!newest(own, 'active') && !newest(own, 'building')) await builds.begin(projection, lease, records);
    }
    const position = (await documents.readCheckpoint(lease))?.position ?? null;
    return new Leader(deps, held, { name: lease, epoch: held.epoch, position });
  }

  /** Resolves when the signal of `begin` aborts; rejects with the failure of a build that cannot continue. */
  async run(): Promise<void> {
    const { look } = this.#deps;
    await look();
    void this.#run(() => this.group.run(this.#ending));
    await aborted(this.#ending);
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
  }

  /** `null` for a build that is not kept up to date here. */
  led({ collection }: Build): Led | null {
    const { group } = this;
    const lone = this.#lone.get(collection)?.build;
    if (lone) return { position: lone.position, live: false, trouble: lone.trouble, perSecond: lone.rate.perSecond() };
    const { position, live, trouble, rate } = group;
    return this.#member(collection) ? { position, live, trouble, perSecond: rate.perSecond() } : null;
  }

  /** Does what the records of all builds ask for. */
  refresh(records: readonly Build[]): void {
    if (this.#ending.aborted) return;
    for (const projection of this.#deps.projections) {
      const own = buildsOf(records, projection);
      const served = newest(own, 'active');
      for (const build of own) {
        if (build.phase === 'retired') this.#dropLater(projection, build);
        else if (served && isOver(build, served)) this.#inBackground(() => this.#retire(build));
        else this.#keep(projection, build);
      }
    }
  }

  #keep(projection: AnyProjection, record: Build): void {
    const { collection } = record;
    const lone = this.#lone.get(collection)?.build;
    lone?.refresh(record);
    if (lone || this.#member(collection)) return;
    const build = new FoldedBuild(this.#deps.documents, projection, record);
    if (this.#isOfGroup(record)) this.group.members.add(build);
    else this.#runAlone(this.#alone(build));
  }

  #isOfGroup({ checkpoint }: Build): boolean {
    return checkpoint === this.#deps.lease;
  }

  #member(collection: string): FoldedBuild | null {
    for (const build of this.group.members) if (build.record.collection === collection) return build;
    return null;
  }

  #alone(build: FoldedBuild): LoneBuild {
    const join = (lone: LoneBuild, signal: AbortSignal) => this.#join(lone, signal);
    return new LoneBuild({ ...this.#deps, epoch: this.#epoch, join }, build);
  }

  #runAlone(build: LoneBuild): void {
    const { collection } = build.build.record;
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      try {
        await build.run(AbortSignal.any([this.#ending, stop.signal]));
      } finally {
        this.#lone.delete(collection);
      }
    };
    const ended = this.#run(run);
    this.#lone.set(collection, { build, stop, ended });
  }

  async #leave(build: FoldedBuild, position: Position | null): Promise<void> {
    const lone = this.#alone(build);
    await lone.separate(position);
    this.#runAlone(lone);
  }

  /** Readers switch to the build in one step, never back in time: it has handled everything that the group has. */
  #join(lone: LoneBuild, signal: AbortSignal): Promise<boolean> {
    const { builds, lease, look } = this.#deps;
    return this.group.between(async () => {
      if (!this.group.begun) await this.group.beginAt(lone.position);
      else if (!(await lone.catchUp(this.group.position))) return false;
      signal.throwIfAborted();
      const record: Build = { ...lone.build.record, phase: 'active', checkpoint: lease };
      await builds.save(record);
      lone.build.record = record;
      this.group.members.add(lone.build);
      this.#lone.delete(record.collection);
      await look();
      return true;
    });
  }

  async #retire(build: Build): Promise<void> {
    await this.#deps.builds.save({ ...build, phase: 'retired' });
    await this.#deps.look();
  }

  /** Other nodes notice within seconds. Until then a build that they serve must not fall behind, nor keep data of erased subjects. */
  #dropLater(projection: AnyProjection, build: Build): void {
    const { collection } = build;
    const { documents, clock, builds } = this.#deps;
    const lone = this.#lone.get(collection);
    lone?.stop.abort();
    if (this.#dropping.has(collection)) return;
    this.#dropping.add(collection);
    const member = this.#member(collection) ?? new FoldedBuild(documents, projection, build);
    if (this.#isOfGroup(build)) this.group.members.add(member);
    this.#inBackground(async () => {
      if ((await clock.pause(GRACE_MILLISECONDS, this.#ending)) === 'aborted') return;
      await lone?.ended;
      await this.group.between(async () => this.group.members.delete(member));
      await retrying(() => builds.drop(build), { clock, signal: this.#ending });
    });
  }

  /** A failure ends the work of the leader, which then begins again. */
  #run(work: () => Promise<void>): Promise<void> {
    const task = work()
      .catch((error: unknown) => this.#failed.abort(error))
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
    return task;
  }

  /** A failure waits for the next look at the records. */
  #inBackground(work: () => Promise<void>): void {
    void this.#run(() =>
      work().catch((error: unknown) => {
        if (!this.#ending.aborted) this.#deps.logger.warn({ err: error }, 'retiring or dropping old documents failed; retrying');
      }),
    );
  }
}

/** A newer build is served, or an event has stopped a rebuild. */
const isOver = (build: Build, served: Build): boolean =>
  build.generation < served.generation || (build.phase === 'building' && build.stopped !== null);
