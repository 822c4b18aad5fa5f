import type { ComponentChildren } from 'preact';
import type { PageOf } from '../api/types.ts';
import { count } from './format.ts';
import { Icon } from './Icon.tsx';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand right. */
  readonly numeric?: boolean;
  /** The header is for screen readers only: a column of buttons. */
  readonly bare?: boolean;
}

interface DataTableProps<Row> {
  /** What the table holds; for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** Rows and columns; at a phone's width each row is a block with its headers before the values. The first column names the row. */
export const DataTable = <Row,>({ label, columns, rows, keyOf }: DataTableProps<Row>) => (
  <div class="table-frame">
    <table class="table">
      <caption class="visually-hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ header, numeric, bare }) => (
            <th key={header} scope="col" class={numeric ? 'numeric' : undefined}>
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

/** Which part of a list is shown, and the way to the others. Nothing when all of it is shown. */
export const Pager = ({ page, onPage }: { readonly page: PageOf<unknown>; readonly onPage: (number: number) => void }) => {
  const { number, size, totalElements, totalPages, content } = page;
  if (totalPages <= 1) return null;
  const first = number * size + 1;
  return (
    <nav class="pager" aria-label="Parts of the list">
      <span class="quiet">
        {count(first)} to {count(first + content.length - 1)} of {count(totalElements)}
      </span>
      <button type="button" class="button" disabled={number === 0} onClick={() => onPage(number - 1)}>
        <Icon name="back" /> Newer
      </button>
      <button type="button" class="button" disabled={number >= totalPages - 1} onClick={() => onPage(number + 1)}>
        Older <Icon name="next" />
      </button>
    </nav>
  );
};
