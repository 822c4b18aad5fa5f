import type { JsonObject } from '../../json.ts';
import type { CollectionSpec, Documents, StoredDocument } from '../../stores/documents.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { AnyProjection } from './fold.ts';

/** Why a projection stopped. */
interface Stop {
  eventId: string;
  eventType: string;
  position: string;
  reason: string;
}

/**
 * One build of a read model: a collection and its progress. Written by the leader or, while the build is stopped, by the process that skips its
 * event. Another process requests a rebuild by creating the record, and withdraws it with the phase `retired`.
 *
 * `building` (catching up for the first time) -> `active` (served; the newest of a version) -> `retired` (to be dropped).
 */
export interface Build {
  collection: string;
  name: string;
  version: number;
  /** Number of the build within its version, from 0. */
  generation: number;
  phase: 'building' | 'active' | 'retired';
  stopped: Stop | null;
  /** Positions of events that may be skipped when they throw. */
  skipped: string[];
  /** Its holder is the leader, which writes the build. */
  lease: string;
  /** `ownCheckpoint`, or the name of the lease while the build is folded together with the other served ones. */
  checkpoint: string;
}

/** How the collection of a build is declared. */
export const specOf = ({ indexes, fullText }: AnyProjection, name: string): CollectionSpec => ({
  name,
  indexes,
  ...(fullText && { fullText }),
});

/** The collection of the records. */
export const BUILDS = 'projections';

/** One for each set of versions: during an update, each version of the program builds and serves its own read models. */
export const leaseOf = (projections: readonly AnyProjection[]): string =>
  `projection/${projections
    .map(({ name, version }) => `${name}@${version}`)
    .sort()
    .join('+')}`;

export const ownCheckpoint = (lease: string, collection: string): string => `${lease}:${collection}`;

const isNewer = (one: Build, other: Build): boolean =>
  one.version === other.version ? one.generation > other.generation : one.version > other.version;

/** The build in this phase with the highest version and, within it, the highest generation. */
export const newest = (builds: readonly Build[], phase: Build['phase']): Build | null =>
  builds.reduce<Build | null>((best, build) => (build.phase === phase && (!best || isNewer(build, best)) ? build : best), null);

/** The builds of this version of a projection. */
export const buildsOf = (builds: readonly Build[], { name, version }: AnyProjection): Build[] =>
  builds.filter((build) => build.name === name && build.version === version);

/** Stands for the first build before the leader has begun it. */
export const unbegun = ({ name, version }: AnyProjection): Build => {
  const collection = `${name}@${version}`;
  const none = { phase: 'building', generation: 0, stopped: null, lease: '', checkpoint: '' } as const;
  return { ...none, collection, name, version, skipped: [] };
};

const bodyOf = (build: Build): JsonObject => ({ ...build, stopped: build.stopped && { ...build.stopped } });

/** Earlier versions had a lease and a checkpoint for each build. Safe cast: only `bodyOf` above writes these documents. */
const buildOf = ({ id, body }: StoredDocument): Build => {
  const earlier = `projection/${id}`;
  return { lease: earlier, checkpoint: earlier, ...body } as unknown as Build;
};

/** The records of all builds, stored as documents: they survive restarts and are visible to every node. */
export class Builds {
  readonly #documents: Documents;

  private constructor(documents: Documents) {
    this.#documents = documents;
  }

  static async open(documents: Documents): Promise<Builds> {
    await documents.ensureCollection({ name: BUILDS, indexes: [] });
    return new Builds(documents);
  }

  async list(): Promise<Build[]> {
    return (await this.#documents.find(BUILDS, { limit: 10_000 })).map(buildOf);
  }

  /**
   * Begins the next build of a projection; `builds` are those that exist. Resolves with its collection, or `null` if another process was first. A
   * build that is not read before it is complete is filled without indexes: creating them at the end (`index`) costs a fraction.
   */
  async begin(projection: AnyProjection, lease: string, builds: readonly Build[]): Promise<string | null> {
    const { name, version } = projection;
    const earlier = buildsOf(builds, projection);
    const served = newest(earlier, 'active');
    const generation = Math.max(-1, ...earlier.map((build) => build.generation)) + 1;
    const collection = generation === 0 ? `${name}@${version}` : `${name}@${version}.${generation}`;
    const checkpoint = ownCheckpoint(lease, collection);
    const build = { ...unbegun(projection), collection, generation, skipped: served?.skipped ?? [], lease, checkpoint };
    await this.#documents.ensureCollection({ ...specOf(projection, collection), ...(served && { indexes: [] }) });
    return (await this.#documents.create(BUILDS, collection, bodyOf(build))) ? collection : null;
  }

  /** Creates missing indexes. */
  async index({ collection }: Build, projection: AnyProjection): Promise<void> {
    await this.#documents.ensureCollection(specOf(projection, collection));
  }

  async save(build: Build): Promise<void> {
    await this.#documents.replace(BUILDS, build.collection, bodyOf(build));
  }

  /** Deletes the record last, so that a crash in between is resumed. */
  async drop(build: Build): Promise<void> {
    const { collection, lease } = build;
    await this.save({ ...build, phase: 'retired' });
    await this.#documents.dropCollection(collection);
    for (const name of [`projection/${collection}`, ownCheckpoint(lease, collection)]) await this.#documents.deleteCheckpoint(name);
    await this.#documents.remove(BUILDS, collection);
  }
}

/** Drops a build unless a process maintains it; resolves with `false` then. */
export const dropUnheld = async (builds: Builds, leases: Leases, build: Build): Promise<boolean> => {
  const lease = await leases.tryAcquire(build.lease);
  if (!lease) return false;
  try {
    await builds.drop(build);
  } finally {
    // Holding the lease while the store is away would keep the build, and the personal data in it, from every later drop.
    await lease.release();
  }
  return true;
};
