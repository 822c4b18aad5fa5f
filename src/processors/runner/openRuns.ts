import type { Documents } from '../../stores/documents.ts';

const COLLECTION = 'runs';
const MOST = 1_000_000;

/** Ids of the streams that are not known to have ended: so that a restart finds them without reading the log from its start. */
export class OpenRuns {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  ensure(): Promise<void> {
    return this.#documents.ensureCollection({ name: COLLECTION, indexes: [] });
  }

  async opened(streamIds: Iterable<string>): Promise<void> {
    await Promise.all([...streamIds].map((streamId) => this.#documents.create(COLLECTION, streamId, {})));
  }

  async ended(streamIds: Iterable<string>): Promise<void> {
    await Promise.all([...streamIds].map((streamId) => this.#documents.remove(COLLECTION, streamId)));
  }

  /** All of them, in one reading: pages would shift under what other nodes write. */
  async all(): Promise<string[]> {
    return (await this.#documents.find(COLLECTION, { limit: MOST })).map(({ id }) => id);
  }
}
