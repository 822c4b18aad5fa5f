import { href, membersOf } from '../../../shell/place.ts';

interface LastList {
  readonly query: URLSearchParams;
  /** How far the list was scrolled when it was left, in pixels. */
  readonly scrolled: number;
}

let last: LastList = { query: new URLSearchParams(), scrolled: 0 };

/** Notes which part of the list is left, and where in it the reader was. */
export const noteList = (list: LastList): void => {
  last = list;
};

/** The list as it was left: filters, page and all. */
export const lastListHref = (): string => href(['streams'], membersOf(last.query));

/** How far to scroll when this part of the list is shown again; 0 for any other part. */
export const scrolledIn = (query: URLSearchParams): number => (query.toString() === last.query.toString() ? last.scrolled : 0);
