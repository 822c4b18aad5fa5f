import type { Documents } from '../../stores/documents.ts';

const COLLECTION = 'runs';
const PAGE = 500;

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

  /** All of them. To be asked before anything writes here: pages would shift. */
  async all(): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const page = await this.#documents.find(COLLECTION, { skip: ids.length, limit: PAGE });
      ids.push(...page.map(({ id }) => id));
      if (page.length < PAGE) return ids;
    }
  }
}
