import { LRUCache } from 'lru-cache';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../stores/documents.ts';

/** The last documents written, since the next events often touch them again: mostly more than the streams of a burst between their upload and their end. */
const REMEMBERED_DOCUMENTS = 512;

const NONE: ReadonlySet<string> = new Set();

interface Batch {
  readonly collection: string;
  readonly writes: readonly DocumentWrite[];
  readonly checkpoint: Checkpoint;
}

/**
 * The documents of one build, as seen by the holder of its lease. No one else writes them, so documents that are being written, or were written
 * last, need not be read. Only one batch is written at a time.
 */
export class BuildDocuments {
  readonly #documents: Documents;
  readonly #remembered = new LRUCache<string, StoredDocument>({ max: REMEMBERED_DOCUMENTS });
  /** By id; `null` for one that is being removed. */
  #underWay: ReadonlyMap<string, StoredDocument | null> = new Map();
  #settled: Promise<void> = Promise.resolve();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The existing documents among `ids`; those of `begun` are not looked for. Rejects with `StoreUnavailable`. */
  async getMany(collection: string, ids: readonly string[], begun: ReadonlySet<string> = NONE): Promise<StoredDocument[]> {
    const found: StoredDocument[] = [];
    const unknown: string[] = [];
    for (const id of ids) {
      const document = this.#underWay.has(id) ? this.#underWay.get(id) : this.#remembered.get(id);
      if (document) found.push(document);
      // `null`: being removed.
      else if (document === undefined && !begun.has(id)) unknown.push(id);
    }
    if (unknown.length > 0) found.push(...(await this.#documents.getMany(collection, unknown)));
    return found;
  }

  /**
   * Starts a batch once the previous one is written; rejects with the error of the previous one. `written` is called when this batch is written, with
   * whether its checkpoint is too; `settled` reports its failure.
   */
  async begin({ written, ...batch }: Batch & { readonly written: (checkpoint: boolean) => void }): Promise<void> {
    await this.settled();
    this.#underWay = new Map(batch.writes.map(({ id, position, body }) => [id, body && { id, position, body }]));
    this.#settled = this.#write(batch, written);
    // The next caller gets the error.
    this.#settled.catch(() => undefined);
  }

  /** Resolves when no batch is being written. Rejects once with the error of the last one: `StaleEpoch`, `StoreUnavailable`. */
  async settled(): Promise<void> {
    const settled = this.#settled;
    try {
      await settled;
    } finally {
      if (this.#settled === settled) this.#settled = Promise.resolve();
    }
  }

  /** Forgets cached documents: another holder may have changed them. */
  forget(): void {
    this.#remembered.clear();
  }

  async #write({ collection, writes, checkpoint }: Batch, written: (checkpoint: boolean) => void): Promise<void> {
    try {
      const saved = await this.#documents.writeBatch(collection, writes, checkpoint, { checkpointLater: true });
      for (const [id, document] of this.#underWay) {
        if (document) this.#remembered.set(id, document);
        else this.#remembered.delete(id);
      }
      written(saved);
    } catch (error) {
      // It is unknown whether the batch was written.
      this.#remembered.clear();
      throw error;
    } finally {
      this.#underWay = new Map();
    }
  }
}
