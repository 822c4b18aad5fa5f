import { LRUCache } from 'lru-cache';
import type { DocumentWrite } from '../documents.ts';

/** In each collection. */
const REMEMBERED = 5_000;

/**
 * The positions of documents as this process last saw them, so that a batch need not read again. They are hints: every write that uses one has a
 * condition.
 */
export class KnownPositions {
  /** `null`: the document does not exist. */
  readonly #collections = new Map<string, LRUCache<string, { readonly position: string | null }>>();

  /** `null` unless all are known. */
  of(collection: string, writes: readonly DocumentWrite[]): ReadonlyMap<string, string | null> | null {
    const known = this.#collections.get(collection);
    const positions = new Map<string, string | null>();
    for (const { id, isNew } of writes) {
      const hint = known?.get(id);
      if (!hint && !isNew) return null;
      positions.set(id, hint?.position ?? null);
    }
    return positions;
  }

  read(collection: string, ids: readonly string[], records: readonly { readonly _id: string; readonly position: string }[]): void {
    const found = new Map(records.map(({ _id, position }) => [_id, position]));
    const known = this.#in(collection);
    for (const id of ids) known.set(id, { position: found.get(id) ?? null });
  }

  /** `before`: the previous positions; a newer position stays. */
  wrote(collection: string, writes: readonly DocumentWrite[], before: ReadonlyMap<string, string | null>): void {
    const known = this.#in(collection);
    for (const { id, position } of writes) {
      const earlier = before.get(id) ?? null;
      known.set(id, { position: earlier !== null && earlier > position ? earlier : position });
    }
  }

  forget(collection: string): void {
    this.#collections.delete(collection);
  }

  #in(collection: string): LRUCache<string, { readonly position: string | null }> {
    const known = this.#collections.get(collection) ?? new LRUCache<string, { readonly position: string | null }>({ max: REMEMBERED });
    this.#collections.set(collection, known);
    return known;
  }
}
