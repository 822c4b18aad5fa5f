import { PAGE_BYTES } from '../pages.ts';
import type { Range } from './logReader.ts';

/** Rows per step: a page may exceed its bytes by one step. */
const STEP_EVENTS = 20;

interface Row {
  readonly rowid: number;
  /** Length of its text. */
  readonly bytes: number;
}

export interface LoggedPage<R extends Row> {
  readonly rows: readonly R[];
  /** The range has no further rows. Otherwise the page ended because it was full. */
  readonly isLast: boolean;
}

/** Reads the rows of a range in steps, until its limit or 1 MiB of text. */
export const loggedPage = <R extends Row>(
  range: Range,
  read: (step: Range) => readonly R[],
  keyOf: (row: R) => number = ({ rowid }) => rowid,
): LoggedPage<R> => {
  const rows: R[] = [];
  let bytes = 0;
  let { from, to } = range;
  while (rows.length < range.limit && bytes < PAGE_BYTES) {
    const limit = Math.min(STEP_EVENTS, range.limit - rows.length);
    const step = read({ ...range, from, to, limit });
    for (const row of step) {
      rows.push(row);
      bytes += row.bytes;
    }
    const last = step[limit - 1];
    if (!last) return { rows, isLast: true };
    if (range.direction === 'forwards') from = keyOf(last) + 1;
    else to = keyOf(last) - 1;
  }
  return { rows, isLast: false };
};
