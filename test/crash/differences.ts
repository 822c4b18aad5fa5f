import { isDeepStrictEqual } from 'node:util';
import type { Documents, StoredDocument } from '../../src/stores/documents.ts';

/** A limit above the size of every collection. */
const ALL = 100_000_000;

/**
 * In what the documents of a read model, in any order, differ from those of its rebuild: a line for each member that differs, and for each document
 * that only one of them has. Each stored document is read once and looked up by its id, so that a store need not sort.
 */
export const differences = async (
  stored: AsyncIterable<StoredDocument>,
  rebuild: Pick<Documents, 'get' | 'findIds'>,
  collection: string,
): Promise<string[]> => {
  const found: string[] = [];
  const seen = new Set<string>();
  for await (const { id, body } of stored) {
    if (seen.has(id)) found.push(`${id}: stored twice`);
    seen.add(id);
    const rebuilt = (await rebuild.get(collection, id))?.body;
    if (!rebuilt) found.push(`${id}: stored, but not in the rebuild`);
    else
      for (const member of new Set([...Object.keys(body), ...Object.keys(rebuilt)]))
        if (!isDeepStrictEqual(body[member], rebuilt[member]))
          found.push(`${id}: ${member} is ${JSON.stringify(body[member])}, ${JSON.stringify(rebuilt[member])} in the rebuild`);
  }
  for (const id of await rebuild.findIds(collection, { limit: ALL }))
    if (!seen.has(id)) found.push(`${id}: in the rebuild, but not stored`);
  return found;
};
