import type { ComponentChildren } from 'preact';
import type { PageOf } from '../api/types.ts';
import { count } from './format.ts';
import { Icon } from './Icon.tsx';
import { useWidth } from './useWidth.ts';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Explains the header in a tooltip. */
  readonly hint?: string;
  /** Numbers are right-aligned. */
  readonly numeric?: boolean;
  /** The header is for screen readers only: a column of buttons. */
  readonly bare?: boolean;
  /** Left out where there is little room. */
  readonly wide?: boolean;
}

/** Width that a table with this many columns needs, in CSS pixels. */
const roomFor = (columns: number): number => (columns <= 3 ? 400 : columns <= 5 ? 780 : 980);

/** Width that a table with short rows needs. */
const SHORT_ROOM = 420;

interface DataTableProps<Row> {
  /** Description of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Rows stay short: as blocks they have no headers. */
  readonly short?: boolean;
}

/** Rows and columns; in little room each row is a block with its headers before the values. The first column names the row. */
export const DataTable = <Row,>({ label, columns: all, rows, keyOf, short = false }: DataTableProps<Row>) => {
  const { ref, width } = useWidth<HTMLDivElement>(roomFor(all.length));
  const columns = width < roomFor(all.length) ? all.filter(({ wide }) => !wide) : all;
  const isBlocks = width < (short ? SHORT_ROOM : roomFor(columns.length));
  return (
    <div ref={ref} class="table-frame">
      <table class={`table ${isBlocks ? 'blocks' : ''} ${short ? 'short' : ''}`}>
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ header, hint, numeric, bare }) => (
              <th key={header} scope="col" title={hint} class={numeric ? 'numeric' : undefined}>
                {bare ? <span class="visually-hidden">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, n) => (
                <Cell key={column.header} column={column} row={row} isFirst={n === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Cell = <Row,>({ column, row, isFirst }: { readonly column: Column<Row>; readonly row: Row; readonly isFirst: boolean }) => {
  const content = column.cell(row);
  const name = column.numeric ? 'numeric' : undefined;
  if (isFirst)
    return (
      <th scope="row" class={name}>
        {content}
      </th>
    );
  return (
    <td class={name} data-header={column.bare ? undefined : column.header}>
      {content}
    </td>
  );
};

interface PagerProps {
  readonly page: PageOf<unknown>;
  readonly onPage: (number: number) => void;
  /** Lets the reader choose how many rows a page has. */
  readonly onSize?: (size: number) => void;
}

const SIZES = [10, 20, 50, 100];
const FIRST_JUMP_PAGES = 3;

/** Which part of a list is shown, and the way to the others. Nothing if there is nothing to choose. */
export const Pager = ({ page, onPage, onSize }: PagerProps) => {
  const { number, size, totalElements, totalPages, content } = page;
  const hasSizes = onSize !== undefined && totalElements > (SIZES[0] ?? 0);
  if (totalPages <= 1 && !hasSizes) return null;
  const first = number * size + 1;
  return (
    <nav class="pager" aria-label="Parts of the list">
      <span class="quiet">
        {count(first)} to {count(first + content.length - 1)} of {count(totalElements)}
      </span>
      {hasSizes && (
        <label class="pager-field">
          Rows
          <select value={size} onChange={(event) => onSize(Number(event.currentTarget.value))}>
            {SIZES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
      {totalPages >= FIRST_JUMP_PAGES && <Jump key={number} number={number} totalPages={totalPages} onPage={onPage} />}
      {totalPages > 1 && (
        <>
          <button type="button" class="button" disabled={number === 0} onClick={() => onPage(number - 1)}>
            <Icon name="back" /> Newer
          </button>
          <button type="button" class="button" disabled={number >= totalPages - 1} onClick={() => onPage(number + 1)}>
            Older <Icon name="next" />
          </button>
        </>
      )}
    </nav>
  );
};

/** Goes to a page by its number. */
const Jump = ({
  number,
  totalPages,
  onPage,
}: {
  readonly number: number;
  readonly totalPages: number;
  readonly onPage: (number: number) => void;
}) => (
  <form
    class="pager-field"
    onSubmit={(event) => {
      event.preventDefault();
      const wanted = Number(new FormData(event.currentTarget).get('page'));
      if (Number.isInteger(wanted)) onPage(Math.min(Math.max(wanted, 1), totalPages) - 1);
    }}
  >
    <label class="pager-field">
      Page
      <input name="page" type="number" min={1} max={totalPages} defaultValue={String(number + 1)} required />
    </label>
    <span class="quiet">of {count(totalPages)}</span>
    <button type="submit" class="button">
      Go
    </button>
  </form>
);
