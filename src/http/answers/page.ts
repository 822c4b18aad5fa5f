import type { QueryParameters } from '../route/route.ts';

export interface PageRequest {
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export const PAGE_PARAMETERS = {
  page: { schema: { type: 'integer', minimum: 0, maximum: 2_147_483_647, default: 0 }, description: 'Page number, from 0.' },
  size: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 }, description: 'Items per page.' },
} as const satisfies QueryParameters;

/** The parameters of a list, whose one order can be asked for by name, as clients of such pages do. */
export const listParameters = <const Order extends string>(order: Order) => {
  const title = `Sort${order.replaceAll(/(?:^|,)(.)/g, (_, letter: string) => letter.toUpperCase())}`;
  const schema = { title, type: 'string', enum: [order] } as const;
  return { ...PAGE_PARAMETERS, sort: { schema, description: 'The one order of this list. It has it without the parameter too.' } } as const;
};

/** The page of every list, as the public interface shows it. */
export type Page<Item> = ReturnType<typeof pageOf<Item>>;

/** A page around all its items, out of `totalElements` in all. */
export const pageOf = <Item>(content: Item[], totalElements: number, request: PageRequest) =>
  pageAround(content, { totalElements, numberOfElements: content.length }, request);

/** A page around items, or around items that are loaded when they are written. Lists are always sorted. */
export const pageAround = <Content>(
  content: Content,
  { totalElements, numberOfElements }: { totalElements: number; numberOfElements: number },
  { page, size }: PageRequest,
) => {
  const totalPages = Math.ceil(totalElements / size);
  const sort = { unsorted: false, sorted: true, empty: false };
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
