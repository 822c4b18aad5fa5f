import type { JsonObject } from '../../json.ts';
import type { Documents, StoredDocument } from '../../stores/documents.ts';
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
 * One build of a read model: a collection, its checkpoint and its lease, all named after the collection. Written by the holder of the lease or,
 * while the build is stopped, by the process that skips its event.
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
}

const COLLECTION = 'projections';

export const checkpointOf = (build: Build): string => `projection/${build.collection}`;
export const leaseOf = (build: Build): string => checkpointOf(build);

/** The build in this phase with the highest version and, within it, the highest generation. */
export const newest = (builds: readonly Build[], phase: Build['phase']): Build | null =>
  builds.reduce<Build | null>((best, build) => {
    if (build.phase !== phase) return best;
    if (!best || build.version > best.version) return build;
    return build.version === best.version && build.generation > best.generation ? build : best;
  }, null);

const bodyOf = (build: Build): JsonObject => ({ ...build, stopped: build.stopped && { ...build.stopped } });

// Safe cast: only `bodyOf` above writes these documents.
const buildOf = (document: StoredDocument): Build => document.body as unknown as Build;

/** The records of all builds, stored as documents: they survive restarts and are visible to every node. */
export class Builds {
  readonly #documents: Documents;

  private constructor(documents: Documents) {
    this.#documents = documents;
  }

  static async open(documents: Documents): Promise<Builds> {
    await documents.ensureCollection({ name: COLLECTION, indexes: [] });
    return new Builds(documents);
  }

  async list(): Promise<Build[]> {
    return (await this.#documents.find(COLLECTION, { limit: 10_000 })).map(buildOf);
  }

  async get(collection: string): Promise<Build | null> {
    const document = await this.#documents.get(COLLECTION, collection);
    return document && buildOf(document);
  }

  /**
   * Creates a build, or returns the one of that generation that another node created. A build that is not read before it is complete is filled
   * without indexes: creating them at the end (`index`) costs a fraction.
   */
  async begin(projection: AnyProjection, generation: number, skipped: readonly string[], unread: boolean): Promise<Build> {
    const { name, version } = projection;
    const collection = generation === 0 ? `${name}@${version}` : `${name}@${version}.${generation}`;
    const build: Build = { collection, name, version, generation, phase: 'building', stopped: null, skipped: [...skipped] };
    await this.#documents.ensureCollection({ name: collection, indexes: unread ? [] : projection.indexes });
    if (await this.#documents.create(COLLECTION, collection, bodyOf(build))) return build;
    return (await this.get(collection)) ?? build;
  }

  /** Creates missing indexes. */
  async index({ collection }: Build, { indexes }: AnyProjection): Promise<void> {
    await this.#documents.ensureCollection({ name: collection, indexes });
  }

  async save(build: Build): Promise<void> {
    await this.#documents.replace(COLLECTION, build.collection, bodyOf(build));
  }

  /** Deletes the record last, so that a crash in between is resumed. */
  async drop(build: Build): Promise<void> {
    await this.save({ ...build, phase: 'retired' });
    // Before and after: a late writer finds its checkpoint gone, and what it writes between the two is not left behind.
    await this.#documents.deleteCheckpoint(checkpointOf(build));
    await this.#documents.dropCollection(build.collection);
    await this.#documents.deleteCheckpoint(checkpointOf(build));
    await this.#documents.remove(COLLECTION, build.collection);
  }
}

/** Drops a build unless another node is working on it; returns `false` then. */
export const dropUnheld = async (
  { builds, leases }: { readonly builds: Builds; readonly leases: Leases },
  build: Build,
): Promise<boolean> => {
  const lease = await leases.tryAcquire(leaseOf(build));
  if (!lease) return false;
  try {
    await builds.drop(build);
  } finally {
    // Holding the lease while the store is away would keep the build, and the personal data in it, from every later drop.
    await lease.release();
  }
  return true;
};
