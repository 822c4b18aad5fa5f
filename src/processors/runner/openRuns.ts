import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';

const COLLECTION = 'runs';
const MOST = 1_000_000;

interface OpenRunsDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  /** No other node runs streams. */
  readonly alone?: boolean | undefined;
}

/**
 * Ids of the streams that are not known to have ended, so that a restart finds them without reading the log from its start. They become documents when the
 * runner's checkpoint is saved (`store`): a stream that lives for a moment costs none.
 */
export class OpenRuns {
  readonly #documents: Documents;
  readonly #clock: Clock;
  /** Open streams without a document, and since when. */
  readonly #unstored = new Map<string, number>();
  /** Open streams whose document is being stored; on a lone node also those that have one. Other nodes remove documents while they have the lease. */
  readonly #stored = new Set<string>();
  readonly #alone: boolean;

  constructor({ documents, clock, alone = false }: OpenRunsDeps) {
    this.#documents = documents;
    this.#clock = clock;
    this.#alone = alone;
  }

  ensure(): Promise<void> {
    return this.#documents.ensureCollection({ name: COLLECTION, indexes: [['since']] });
  }

  opened(streamIds: Iterable<string>): void {
    const since = this.#clock.now();
    for (const streamId of streamIds) if (!this.#stored.has(streamId) && !this.#unstored.has(streamId)) this.#unstored.set(streamId, since);
  }

  /** Another node has kept the documents meanwhile. */
  forget(): void {
    this.#unstored.clear();
  }

  async ended(streamIds: Iterable<string>): Promise<void> {
    await Promise.all([...streamIds].map((streamId) => this.#remove(streamId)));
  }

  /** Every open stream has its document when it resolves. */
  async store(): Promise<void> {
    await Promise.all([...this.#unstored].map(([streamId, since]) => this.#store(streamId, since)));
  }

  /** All of them, oldest first, in one read: pages would shift under other nodes' writes. */
  async all(): Promise<string[]> {
    const orderBy = [{ member: 'since', direction: 'asc' }] as const;
    const ids = (await this.#documents.find(COLLECTION, { orderBy, limit: MOST })).map(({ id }) => id);
    if (this.#alone) for (const id of ids) this.#stored.add(id);
    return ids;
  }

  async #store(streamId: string, since: number): Promise<void> {
    this.#unstored.delete(streamId);
    this.#stored.add(streamId);
    try {
      await this.#documents.create(COLLECTION, streamId, { since });
      if (!this.#alone) this.#stored.delete(streamId);
    } catch (error) {
      if (this.#stored.delete(streamId)) this.#unstored.set(streamId, since);
      throw error;
    }
  }

  /** Only this node writes these documents while it has the runner's lease: documents it has not stored do not exist. */
  async #remove(streamId: string): Promise<void> {
    if (this.#unstored.delete(streamId)) return;
    this.#stored.delete(streamId);
    await this.#documents.remove(COLLECTION, streamId);
  }
}
