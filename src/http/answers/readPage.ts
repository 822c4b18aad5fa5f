import type { ReadModel, ReadModels } from '../../projections/readModels.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { PageRequest } from './page.ts';

export interface ListedBy {
  readonly where: NonNullable<FindOptions['where']>;
  /** The member with a document's creation time: the newest come first. */
  readonly newestBy: string;
}

/** The documents of one page, and their total number. For small documents: all are held until they are written. */
export const readPage = async <Document extends object>(
  readModels: ReadModels,
  readModel: ReadModel<Document>,
  listedBy: ListedBy,
  request: PageRequest,
): Promise<{ documents: Document[]; total: number }> => {
  const documents = await readModels.find(readModel, optionsOf(listedBy, request));
  return { documents, total: await totalOf(readModels, readModel, listedBy, { ...request, found: documents.length }) };
};

/** The same with only the ids, for documents that may be large: see `loaded`. */
export const readPageIds = async (
  readModels: ReadModels,
  readModel: { readonly name: string },
  listedBy: ListedBy,
  request: PageRequest,
): Promise<{ ids: string[]; total: number }> => {
  const ids = await readModels.findIds(readModel, optionsOf(listedBy, request));
  return { ids, total: await totalOf(readModels, readModel, listedBy, { ...request, found: ids.length }) };
};

const LOADED_AT_ONCE = 10;

/** Items by their ids, loaded a few at a time, as they are taken. Items that were removed meanwhile are left out. */
export async function* loaded<Id, Item>(
  ids: readonly Id[],
  load: (ids: readonly Id[]) => Promise<readonly Item[]>,
  atOnce = LOADED_AT_ONCE,
): AsyncGenerator<Item, void, undefined> {
  for (let at = 0; at < ids.length; at += atOnce) yield* await load(ids.slice(at, at + atOnce));
}

const optionsOf = ({ where, newestBy }: ListedBy, { page, size }: PageRequest): FindOptions => ({
  where,
  orderBy: [{ member: newestBy, direction: 'desc' }],
  skip: page * size,
  limit: size,
});

/**
 * A page that is not full determines the total itself. A counted total is never below the number of items on the page, although others write
 * meanwhile.
 */
const totalOf = async (
  readModels: ReadModels,
  readModel: { readonly name: string },
  { where }: ListedBy,
  { page, size, found }: PageRequest & { readonly found: number },
): Promise<number> => {
  const upToHere = page * size + found;
  if (found < size && (found > 0 || page === 0)) return upToHere;
  return Math.max(await readModels.count(readModel, where), found > 0 ? upToHere : 0);
};
