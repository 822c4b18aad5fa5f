import type { JsonObject } from '../../json.ts';
import type { Documents, StoredDocument } from '../../stores/documents.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import type { AnyProjection } from './fold.ts';

/** Why a projection has stopped. */
interface Stop {
  eventId: string;
  eventType: string;
  position: string;
  reason: string;
}

/**
 * One build of a read model: a collection, its checkpoint and its lease, all under the name of the collection. Written by the holder
 * of that lease, or, while the build is stopped, by whoever skips its event.
 *
 * `building` (catching up for the first time) -> `active` (served; of several of one version, the newest) -> `retired` (to be dropped).
 */
export interface Build {
  collection: string;
  name: string;
  version: number;
  /** Counts the builds of one version, from 0. */
  generation: number;
  phase: 'building' | 'active' | 'retired';
  stopped: Stop | null;
  /** Positions of events that may be left out when they throw. */
  skipped: string[];
}

const COLLECTION = 'projections';

export const checkpointOf = (build: Build): string => `projection/${build.collection}`;
export const leaseOf = (build: Build): string => checkpointOf(build);

/** The build of this phase with the highest version, and of that the highest generation. */
export const newest = (builds: readonly Build[], phase: Build['phase']): Build | null =>
  builds.reduce<Build | null>((best, build) => {
    if (build.phase !== phase) return best;
    if (!best || build.version > best.version) return build;
    return build.version === best.version && build.generation > best.generation ? build : best;
  }, null);

const bodyOf = (build: Build): JsonObject => ({ ...build, stopped: build.stopped && { ...build.stopped } });

// Only `bodyOf` above writes these documents.
const buildOf = (document: StoredDocument): Build => document.body as unknown as Build;

/** The builds of all read models, as documents: they survive restarts, and every node sees them. */
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
   * A fresh build, or the one of that generation that another node has begun. One that nobody reads before it is whole is filled without its indexes:
   * made at the end (`index`), they cost a fraction.
   */
  async begin(projection: AnyProjection, generation: number, skipped: readonly string[], unread: boolean): Promise<Build> {
    const { name, version } = projection;
    const collection = generation === 0 ? `${name}@${version}` : `${name}@${version}.${generation}`;
    const build: Build = { collection, name, version, generation, phase: 'building', stopped: null, skipped: [...skipped] };
    await this.#documents.ensureCollection({ name: collection, indexes: unread ? [] : projection.indexes });
    if (await this.#documents.create(COLLECTION, collection, bodyOf(build))) return build;
    return (await this.get(collection)) ?? build;
  }

  /** Makes the indexes that are missing. */
  async index({ collection }: Build, { indexes }: AnyProjection): Promise<void> {
    await this.#documents.ensureCollection({ name: collection, indexes });
  }

  async save(build: Build): Promise<void> {
    await this.#documents.replace(COLLECTION, build.collection, bodyOf(build));
  }

  /** The record goes last, so that a crash in between is taken up again. */
  async drop(build: Build): Promise<void> {
    await this.save({ ...build, phase: 'retired' });
    await this.#documents.dropCollection(build.collection);
    await this.#documents.deleteCheckpoint(checkpointOf(build));
    await this.#documents.remove(COLLECTION, build.collection);
  }
}

/** Drops a build that nobody is at work on; `false` when another node is. */
export const dropUnheld = async (
  { builds, leases }: { readonly builds: Builds; readonly leases: Leases },
  build: Build,
): Promise<boolean> => {
  const lease = await leases.tryAcquire(leaseOf(build));
  if (!lease) return false;
  try {
    await builds.drop(build);
  } finally {
    // Kept while the store is away, it would keep the build, and what is personal in it, from every later drop.
    await lease.release();
  }
  return true;
};
