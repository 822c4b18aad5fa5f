import type { ReadModel, ReadModels } from '../../projections/readModels.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { PageRequest } from './page.ts';

export interface ListedBy {
  readonly where: NonNullable<FindOptions['where']>;
  /** The member with a document's creation time: the newest come first. */
  readonly newestBy: string;
}

/**
 * The documents of one page and the total number. A page that is not full gives the total without counting. The total is never less than what the page
 * shows, even while others write.
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
