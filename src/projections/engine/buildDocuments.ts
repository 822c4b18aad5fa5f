import { LRUCache } from 'lru-cache';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../stores/documents.ts';

/** The last documents written, since the next events often touch them again: mostly more than the streams of a burst between their upload and their end. */
const REMEMBERED_DOCUMENTS = 512;

const NONE: ReadonlySet<string> = new Set();

/** The documents of one build, as seen by the holder of its lease. No one else writes them, so those written last need not be read. */
export class BuildDocuments {
  readonly #documents: Documents;
  readonly #remembered = new LRUCache<string, StoredDocument>({ max: REMEMBERED_DOCUMENTS });

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The existing documents among `ids`; those of `begun` are not looked for. Rejects with `StoreUnavailable`. */
  async getMany(collection: string, ids: readonly string[], begun: ReadonlySet<string> = NONE): Promise<StoredDocument[]> {
    const found: StoredDocument[] = [];
    const unknown: string[] = [];
    for (const id of ids) {
      const document = this.#remembered.get(id);
      if (document) found.push(document);
      else if (!begun.has(id)) unknown.push(id);
    }
    if (unknown.length > 0) found.push(...(await this.#documents.getMany(collection, unknown)));
    return found;
  }

  /** Whether the checkpoint is stored too, or comes with a later write. Rejects with `StaleEpoch` and `StoreUnavailable`. */
  async write(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint): Promise<boolean> {
    try {
      const saved = await this.#documents.writeBatch(collection, writes, checkpoint, { checkpointLater: true });
      for (const { id, position, body } of writes) {
        if (body) this.#remembered.set(id, { id, position, body });
        else this.#remembered.delete(id);
      }
      return saved;
    } catch (error) {
      // It is unknown whether the batch was written.
      this.#remembered.clear();
      throw error;
    }
  }

  /** Forgets cached documents: another holder may have changed them. */
  forget(): void {
    this.#remembered.clear();
  }
}
