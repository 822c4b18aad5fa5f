import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { aborted } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';
import { type Build, type Builds, buildsOf, newest } from './builds.ts';
import { SUBJECT_ERASED } from './erasure.ts';
import type { AnyProjection } from './fold.ts';
import { FoldedBuild } from './foldedBuild.ts';
import type { FollowerDeps } from './follower.ts';
import type { LogPages } from './logPages.ts';
import { LoneBuild } from './loneBuild.ts';
import type { Rate } from './rate.ts';
import { ServedGroup } from './servedGroup.ts';

/** How long retired documents stay, for nodes that have not noticed yet: they look every two seconds and serve for six after their last look. */
const GRACE_MILLISECONDS = 10_000;

export interface LeaderDeps extends FollowerDeps {
  readonly log: EventLog;
  readonly projections: readonly AnyProjection[];
  readonly builds: Builds;
  readonly pages: LogPages;
  readonly lease: string;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  /** Reads the records again; they come back to `Leader.refresh`. Never rejects: if the store is away, the next look is soon enough. */
  readonly look: () => Promise<void>;
}

/** The leader's progress with a build. */
export interface Led {
  readonly position: Position | null;
  readonly live: boolean;
  readonly trouble: string | null;
  readonly rate: Rate;
}

/** The work of the lease's holder: keeps every build of this version up to date, the served ones as a group. */
export class Leader {
  readonly group: ServedGroup;
  readonly #deps: LeaderDeps;
  readonly #lone = new Map<string, LoneBuild>();
  /** Retired builds, including dropped ones: a look that began before may still show them. */
  readonly #dropping = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();

  constructor(deps: LeaderDeps) {
    this.#deps = deps;
    const types = [...new Set([SUBJECT_ERASED, ...deps.projections.flatMap(({ handles }) => handles)])];
    this.group = new ServedGroup({ ...deps, types, leave: (build, position) => this.#leave(build, position) });
  }

  /** Begins the first builds, and continues after the stored checkpoint. */
  async begin(): Promise<void> {
    const { builds, lease, projections } = this.#deps;
    const records = await builds.list();
    for (const projection of projections) {
      const own = buildsOf(records, projection);
      if (!newest(own, 'active') && !newest(own, 'building')) await builds.begin(projection, lease, records);
    }
    await this.group.resume();
  }

  /** Resolves when the lease is lost and all work has ended. */
  async run(): Promise<void> {
    const { look, signal } = this.#deps;
    await look();
    this.#track(this.group.run(signal));
    await aborted(signal);
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  /** `null` for a build that is not kept up to date here. */
  led({ collection }: Build): Led | null {
    const lone = this.#lone.get(collection);
    const follower = lone ?? (this.#member(collection) ? this.group : null);
    if (!follower) return null;
    const { position, trouble, rate } = follower;
    return { position, trouble, rate, live: !lone && this.group.live };
  }

  /** Builds whose files may have words of deleted or replaced documents. */
  withFormerWords(): FoldedBuild[] {
    const builds = [...this.group.members, ...[...this.#lone.values()].map(({ build }) => build)];
    return builds.filter(({ keepsFormerWords }) => keepsFormerWords);
  }

  /** Does what the records of all builds ask for. */
  refresh(records: readonly Build[]): void {
    if (this.#deps.signal.aborted) return;
    for (const projection of this.#deps.projections) {
      const own = buildsOf(records, projection);
      const served = newest(own, 'active');
      for (const build of own) {
        if (build.phase === 'retired') this.#dropLater(projection, build);
        else if (served && isOver(build, served)) this.#track(this.#retire(build));
        else this.#keep(projection, build);
      }
    }
  }

  #keep(projection: AnyProjection, record: Build): void {
    const lone = this.#lone.get(record.collection);
    lone?.refresh(record);
    if (lone || this.#member(record.collection)) return;
    const build = new FoldedBuild(this.#deps.documents, projection, record);
    if (this.#isOfGroup(record)) this.group.members.add(build);
    else this.#runAlone(this.#alone(build));
  }

  #isOfGroup({ checkpoint }: Build): boolean {
    return checkpoint === this.#deps.lease;
  }

  #member(collection: string): FoldedBuild | undefined {
    return [...this.group.members].find(({ record }) => record.collection === collection);
  }

  #alone(build: FoldedBuild): LoneBuild {
    return new LoneBuild({ ...this.#deps, join: (lone) => this.#join(lone) }, build);
  }

  #runAlone(lone: LoneBuild): void {
    const { collection } = lone.build.record;
    this.#lone.set(collection, lone);
    const forget = () => this.#lone.get(collection) === lone && this.#lone.delete(collection);
    this.#track(lone.run(this.#deps.signal).finally(forget));
  }

  async #leave(build: FoldedBuild, position: Position | null): Promise<void> {
    const lone = this.#alone(build);
    await lone.separate(position);
    this.#runAlone(lone);
  }

  /** Readers switch to the build in one step, never back in time: it has handled everything that the group has. */
  async #join(lone: LoneBuild): Promise<void> {
    const { group } = this;
    const { build } = lone;
    await this.#deps.builds.index(build.record, build.projection);
    await group.between(async () => {
      if (group.waits) await group.beginAt(lone.position);
      else if (!(await lone.catchUp(group.position))) return;
      if (lone.ended || this.#deps.signal.aborted) return;
      const record: Build = { ...build.record, phase: 'active', checkpoint: this.#deps.lease };
      await this.#deps.builds.save(record);
      build.record = record;
      group.members.add(build);
      this.#lone.delete(build.record.collection);
      lone.end();
      await this.#deps.look();
    });
  }

  async #retire(build: Build): Promise<void> {
    const { clock, builds, look, signal } = this.#deps;
    await retrying(() => builds.save({ ...build, phase: 'retired' }), { clock, signal });
    await look();
  }

  /** Other nodes notice within seconds. Until then a build that they serve must not fall behind, nor keep data of erased subjects. */
  #dropLater(projection: AnyProjection, build: Build): void {
    const { collection } = build;
    this.#lone.get(collection)?.end();
    if (this.#dropping.has(collection)) return;
    this.#dropping.add(collection);
    const member = this.#member(collection) ?? new FoldedBuild(this.#deps.documents, projection, build);
    if (this.#isOfGroup(build)) this.group.members.add(member);
    this.#track(this.#drop(member));
  }

  async #drop(member: FoldedBuild): Promise<void> {
    const { clock, builds, signal } = this.#deps;
    if ((await clock.pause(GRACE_MILLISECONDS, signal)) === 'aborted') return;
    await this.group.between(async () => this.group.members.delete(member));
    await retrying(() => builds.drop(member.record), { clock, signal });
  }

  /** `run` waits for it. A failure is that of the signal: all work is repeated until it succeeds. */
  #track(work: Promise<void>): void {
    const task = work.catch(() => undefined).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }
}

/** A newer build is served, or an event has stopped a rebuild. */
const isOver = (build: Build, served: Build): boolean =>
  build.generation < served.generation || (build.phase === 'building' && build.stopped !== null);
