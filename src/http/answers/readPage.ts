import type { ReadModel, ReadModels } from '../../projections/readModels.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { PageRequest } from './page.ts';

export interface ListedBy {
  readonly where: NonNullable<FindOptions['where']>;
  /** The member that holds when a document came to be: the newest come first. */
  readonly newestBy: string;
}

/**
 * The documents of one page, and how many there are in all. A page that is not full gives the number by itself. A counted number is never lower
 * than what the page shows, although others write meanwhile.
 */
export const readPage = async <Document extends object>(
  readModels: ReadModels,
  readModel: ReadModel<Document>,
  { where, newestBy }: ListedBy,
  { page, size }: PageRequest,
): Promise<{ documents: Document[]; total: number }> => {
  const skip = page * size;
  const orderBy = [{ member: newestBy, direction: 'desc' }] as const;
  const documents = await readModels.find(readModel, { where, orderBy, skip, limit: size });
  const upToHere = skip + documents.length;
  const isLast = documents.length < size && (documents.length > 0 || page === 0);
  return { documents, total: isLast ? upToHere : Math.max(await readModels.count(readModel, where), documents.length > 0 ? upToHere : 0) };
};
