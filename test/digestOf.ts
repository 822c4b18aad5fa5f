import { createHash } from 'node:crypto';
import { canonicalJson } from '../src/stores/canonicalJson.ts';
import type { Documents } from '../src/stores/documents.ts';
import { documentPages } from '../src/stores/pages.ts';

/** Large, because a store may scan the whole collection for each page. */
const PAGE = 20_000;

/** Hex SHA-256 over all documents of a collection in order of id, each as canonical JSON (RFC 8785). Equal read models have equal digests. */
export const digestOf = async (documents: Documents, collection: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const page of documentPages(documents, collection, {}, PAGE))
    for (const { id, body } of page) hash.update(`${canonicalJson([id, body])}\n`);
  return hash.digest('hex');
};
