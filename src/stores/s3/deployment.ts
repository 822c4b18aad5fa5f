import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { jsonObjectIn } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import type { EventStore } from '../eventStore.ts';
import type { ObjectBucket } from './bucket.ts';
import { BucketRefused } from './bucketErrors.ts';
import { COLLECTION, RECORD } from './usesObjectStorage.ts';

export interface DeploymentDeps {
  readonly bucket: ObjectBucket;
  /** Durable and shared by all nodes. */
  readonly vault: Documents;
  readonly store: Pick<EventStore, 'head'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

/** How long an answer of the bucket is believed. A bucket that has gone away since is noticed before bytes are sent to it. */
const FRESH_MILLISECONDS = 10_000;
/** Key of the marker. */
const MARKER = 'tributary.json';

interface DeploymentRecord {
  readonly id: string;
  /** Whether the marker has been written. From then on a bucket without it is a wrong one. */
  readonly isMarked: boolean;
  /** Since a restore: objects that no topic points at may belong to the log that was replaced. */
  readonly isHeld: boolean;
}

interface Marker {
  readonly deployment: string;
  /** Position of the log's end when the marker was written, empty for an empty log. An older log has been restored. */
  readonly head: string;
}

/** Which deployment a bucket's prefix belongs to. A marker there and a record in the vault must name the same one. */
export class Deployment {
  readonly #deps: DeploymentDeps;
  #checked: Promise<void> | null = null;
  #asked = 0;
  #isKnown = false;

  constructor(deps: DeploymentDeps) {
    this.#deps = deps;
  }

  /**
   * Checks that the prefix belongs to this deployment and that the bucket keeps no versions. An answer is reused for ten seconds. Rejects with
   * `BucketRefused` and `StoreUnavailable`.
   */
  check(): Promise<void> {
    const now = this.#deps.clock.monotonic();
    if (this.#checked && now - this.#asked < FRESH_MILLISECONDS) return this.#checked;
    this.#asked = now;
    const checked = this.#check().catch((error: unknown) => {
      if (this.#checked === checked) this.#checked = null;
      throw error;
    });
    this.#checked = checked;
    return checked;
  }

  /** Whether objects without an owner stay, because a backup was restored. `true` until the first check has succeeded: it recognises a restored log. */
  async isHeld(): Promise<boolean> {
    return !this.#isKnown || (await this.#record()).isHeld;
  }

  /** Notes how far the log has come. Call it now and then: a restored log is recognised by it. */
  async note(): Promise<void> {
    const { id } = await this.#record();
    await this.#mark(id);
  }

  /** Ends the hold: the operator has confirmed that the restored log is the one to keep. */
  async confirm(): Promise<void> {
    await this.check();
    const record = await this.#record();
    await this.#mark(record.id);
    await this.#deps.vault.replace(COLLECTION, RECORD, { ...record, isHeld: false });
  }

  async #check(): Promise<void> {
    const { bucket, vault, store, logger } = this.#deps;
    if (await bucket.keepsVersions())
      throw new BucketRefused(
        'The bucket keeps versions of deleted objects, so erasure could not empty it. Use a bucket without versioning.',
      );
    const record = await this.#record();
    const marker = (await this.#marker()) ?? (record.isMarked ? null : await this.#mark(record.id));
    if (marker === null)
      throw new BucketRefused(
        `The prefix lacks ${MARKER}, the marker of this deployment. Correct the setting, or copy all objects of the earlier prefix there, the marker too.`,
      );
    if (marker.deployment !== record.id)
      throw new BucketRefused('The prefix belongs to another deployment of Tributary. Use another prefix or bucket.');
    if (this.#isKnown) return;
    const isRestored = marker.head > ((await store.head()) ?? '');
    if (isRestored || !record.isMarked)
      await vault.replace(COLLECTION, RECORD, { ...record, isMarked: true, isHeld: record.isHeld || isRestored });
    if (isRestored || record.isHeld)
      logger.warn({}, 'objects without an owner are kept since a restore; to sweep them again, run tributary objects confirm');
    this.#isKnown = true;
  }

  async #record(): Promise<DeploymentRecord> {
    const { vault } = this.#deps;
    if (!this.#isKnown) await vault.ensureCollection({ name: COLLECTION, indexes: [] });
    const made: DeploymentRecord = { id: randomUUID(), isMarked: false, isHeld: false };
    const found =
      (await vault.get(COLLECTION, RECORD)) ??
      ((await vault.create(COLLECTION, RECORD, { ...made })) ? null : await vault.get(COLLECTION, RECORD));
    if (!found) return made;
    const { id, isMarked, isHeld } = found.body;
    return { id: String(id), isMarked: isMarked === true, isHeld: isHeld === true };
  }

  async #marker(): Promise<Marker | null> {
    const text = await this.#deps.bucket.text(MARKER);
    if (text === null) return null;
    const { deployment, head } = jsonObjectIn(text) ?? {};
    return { deployment: String(deployment), head: String(head) };
  }

  async #mark(deployment: string): Promise<Marker> {
    const marker: Marker = { deployment, head: (await this.#deps.store.head()) ?? '' };
    await this.#deps.bucket.putText(MARKER, JSON.stringify({ tributary: 'topics', ...marker }));
    return marker;
  }
}
