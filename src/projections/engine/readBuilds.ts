import type { Clock } from '../../clock.ts';
import { notFound } from '../../domain/problem.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import { Serial } from '../../stores/serial.ts';
import { type Build, type Builds, buildsOf, newest } from './builds.ts';
import type { AnyProjection } from './fold.ts';

export interface ReadBuildsDeps {
  readonly clock: Clock;
  readonly leases: Leases;
  readonly projections: readonly AnyProjection[];
  readonly builds: Builds;
  /** Serve the read models of an older version of the code until this version's are built. */
  readonly serveStale?: boolean;
  readonly onLook: (records: readonly Build[]) => void;
}

/** The records of all builds as of the last look, and the builds that this process reads. */
export class ReadBuilds {
  readonly #deps: ReadBuildsDeps;
  readonly #serial = new Serial();
  readonly #read = new Map<string, Build>();
  #records: readonly Build[] = [];
  #looked = 0;

  constructor(deps: ReadBuildsDeps) {
    this.#deps = deps;
  }

  /** Of every version. */
  get records(): readonly Build[] {
    return this.#records;
  }

  /** Monotonic time of the last look. */
  get looked(): number {
    return this.#looked;
  }

  /** Reads the records of all builds. Rejects with `StoreUnavailable`. */
  look(): Promise<void> {
    return this.#serial.run('', async () => {
      const looked = this.#deps.clock.monotonic();
      this.#records = await this.#deps.builds.list();
      for (const projection of this.#deps.projections) await this.#choose(projection);
      this.#looked = looked;
      this.#deps.onLook(this.#records);
    });
  }

  /** A build may have been filled without its indexes, and a store may remember that. */
  async #choose(projection: AnyProjection): Promise<void> {
    const { name } = projection;
    const own = this.own(projection);
    const stale = this.#deps.serveStale ? newest(this.ofAnyVersion(projection), 'active') : null;
    const build = newest(own, 'active') ?? stale ?? newest(own, 'building');
    if (!build) return void this.#read.delete(name);
    const isNew = this.#read.get(name)?.collection !== build.collection;
    // Older documents get the indexes of this version's queries, unless a process of their version needs others.
    if (isNew && build.phase === 'active' && (own.includes(build) || (await this.#deps.leases.isFree(build.lease))))
      await this.#deps.builds.index(build, projection);
    this.#read.set(name, build);
  }

  /**
   * Whether every projection can be served: with a complete build of this version (or of an older one, with `serveStale`). Those that read more than the log
   * take long to build, and are served meanwhile with what they have.
   */
  ready(): boolean {
    return this.#deps.projections.every(({ name, complete }) => complete !== undefined || this.read(name)?.phase === 'active');
  }

  /** The build that is read: of this version, or the older one that is served meanwhile. `undefined` before the first one. */
  read(name: string): Build | undefined {
    return this.#read.get(name);
  }

  /** The build of this version that is read; `null` while there is none. */
  current(name: string): Build | null {
    const build = this.#read.get(name);
    return build && build.version === this.projection(name).version ? build : null;
  }

  /** The builds of this version. */
  own(projection: AnyProjection): Build[] {
    return buildsOf(this.#records, projection);
  }

  ofAnyVersion({ name }: AnyProjection): Build[] {
    return this.#records.filter((build) => build.name === name);
  }

  /** Throws a `Problem` (404) for an unknown name. */
  projection(name: string): AnyProjection {
    const projection = this.#deps.projections.find((one) => one.name === name);
    if (!projection) throw notFound('projection');
    return projection;
  }
}
