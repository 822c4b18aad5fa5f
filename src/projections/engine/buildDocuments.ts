import { LRUCache } from 'lru-cache';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../stores/documents.ts';

/** Documents just written that are kept: what an event touches, the next ones touch too. */
const REMEMBERED_DOCUMENTS = 256;

/**
 * The documents of one build as the holder of its lease sees them: nobody else writes them, so that what is being written and what was written last
 * need not be read. One batch is under way at a time.
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

  /** Those of `ids` that there are. Rejects with `StoreUnavailable`. */
  async getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]> {
    const found: StoredDocument[] = [];
    const unknown: string[] = [];
    for (const id of ids) {
      const document = this.#underWay.has(id) ? this.#underWay.get(id) : this.#remembered.get(id);
      if (document) found.push(document);
      // `null`: it is being removed.
      else if (document === undefined) unknown.push(id);
    }
    if (unknown.length > 0) found.push(...(await this.#documents.getMany(collection, unknown)));
    return found;
  }

  /**
   * Begins a batch when the one before is written, and rejects with what that one failed with. `written` is called when this one is; `settled` tells
   * of its failure.
   */
  async begin(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint, written: () => void): Promise<void> {
    await this.settled();
    this.#underWay = new Map(writes.map(({ id, position, body }) => [id, body && { id, position, body }]));
    this.#settled = this.#write(collection, writes, checkpoint, written);
    // Whoever comes next hears of it.
    this.#settled.catch(() => undefined);
  }

  /** Resolves when no batch is under way; rejects, once, with what the last one failed with: `StaleEpoch`, `StoreUnavailable`. */
  async settled(): Promise<void> {
    const settled = this.#settled;
    try {
      await settled;
    } finally {
      if (this.#settled === settled) this.#settled = Promise.resolve();
    }
  }

  /** What is stored may be another's by now. */
  forget(): void {
    this.#remembered.clear();
  }

  async #write(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint, written: () => void): Promise<void> {
    try {
      await this.#documents.writeBatch(collection, writes, checkpoint);
      for (const [id, document] of this.#underWay) {
        if (document) this.#remembered.set(id, document);
        else this.#remembered.delete(id);
      }
      written();
    } catch (error) {
      // Whether it was written is not known.
      this.#remembered.clear();
      throw error;
    } finally {
      this.#underWay = new Map();
    }
  }
}
