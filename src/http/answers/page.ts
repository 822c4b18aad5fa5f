import type { QueryParameters } from '../server/route.ts';

/** The page of every list, as the public interface shows it. */
export interface Page<Item> {
  totalPages: number;
  totalElements: number;
  numberOfElements: number;
  size: number;
  number: number;
  pageable: { paged: boolean; unpaged: boolean; pageNumber: number; pageSize: number; offset: number; sort: Sort };
  sort: Sort;
  content: Item[];
  first: boolean;
  last: boolean;
  empty: boolean;
}

interface Sort {
  unsorted: boolean;
  sorted: boolean;
  empty: boolean;
}

export interface PageRequest {
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export const PAGE_PARAMETERS = {
  page: { schema: { type: 'integer', minimum: 0, maximum: 2_147_483_647, default: 0 }, description: 'Page number, from 0.' },
  size: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 }, description: 'Items per page.' },
} as const satisfies QueryParameters;

/** A page around all its items, out of `totalElements` in all. */
export const pageOf = <Item>(content: Item[], totalElements: number, request: PageRequest): Page<Item> =>
  pageAround(content, { totalElements, numberOfElements: content.length }, request);

/** A page around items, or around the JSON texts of items that are loaded when they are written. Lists are always sorted. */
export const pageAround = <Content>(
  content: Content,
  { totalElements, numberOfElements }: Pick<Page<unknown>, 'totalElements' | 'numberOfElements'>,
  { page, size }: PageRequest,
): Omit<Page<unknown>, 'content'> & { content: Content } => {
  const totalPages = Math.ceil(totalElements / size);
  const sort: Sort = { unsorted: false, sorted: true, empty: false };
  return {
    totalPages,
    totalElements,
    numberOfElements,
    size,
    number: page,
    pageable: { paged: true, unpaged: false, pageNumber: page, pageSize: size, offset: page * size, sort },
    sort,
    content,
    first: page === 0,
    last: page + 1 >= totalPages,
    empty: numberOfElements === 0,
  };
};
