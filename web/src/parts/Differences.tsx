import type { Json } from '../api/types.ts';
import { type Column, DataTable } from './DataTable.tsx';

/** One operation of a JSON Patch. */
export interface Change {
  readonly op: string;
  readonly path: string;
  readonly value?: Json;
}

/** A JSON Patch, a line each. */
export const Differences = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? (
    <p class="quiet">No visible change.</p>
  ) : (
    <DataTable label="Changes" columns={COLUMNS} rows={changes} keyOf={({ op, path }) => `${op} ${path}`} />
  );

const WORDS: Readonly<Record<string, string>> = { add: 'added', remove: 'removed', replace: 'changed to' };

const COLUMNS: readonly Column<Change>[] = [
  { header: 'Member', cell: ({ path }) => <code>{path}</code> },
  { header: 'Change', cell: ({ op }) => WORDS[op] ?? op },
  { header: 'Value', cell: ({ value }) => (value === undefined ? '' : <code>{JSON.stringify(value)}</code>) },
];
