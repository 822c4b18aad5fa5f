import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';

const COLLECTION = 'runs';
const MOST = 1_000_000;

/** Ids of the streams that are not known to have ended: so that a restart finds them without reading the log from its start. */
export class OpenRuns {
  readonly #documents: Documents;
  readonly #clock: Clock;

  constructor(documents: Documents, clock: Clock) {
    this.#documents = documents;
    this.#clock = clock;
  }

  ensure(): Promise<void> {
    return this.#documents.ensureCollection({ name: COLLECTION, indexes: [['since']] });
  }

  async opened(streamIds: Iterable<string>): Promise<void> {
    const since = this.#clock.now();
    await Promise.all([...streamIds].map((streamId) => this.#documents.create(COLLECTION, streamId, { since })));
  }

  async ended(streamIds: Iterable<string>): Promise<void> {
    await Promise.all([...streamIds].map((streamId) => this.#documents.remove(COLLECTION, streamId)));
  }

  /** All of them, the oldest first, in one reading: pages would shift under what other nodes write. */
  async all(): Promise<string[]> {
    const orderBy = [{ member: 'since', direction: 'asc' }] as const;
    return (await this.#documents.find(COLLECTION, { orderBy, limit: MOST })).map(({ id }) => id);
  }
}
