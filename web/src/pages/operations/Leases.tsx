import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { count } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { type LeaseRow, useLeases } from './operations.ts';

/** Kinds of work, by the prefix of the lease's name. */
const KINDS = [
  ['delivery/', 'Webhook delivery, by partition'],
  ['consumer/', 'Policies'],
  ['projection/', 'Read models'],
  ['run/', 'Runs of processors'],
  ['', 'Other'],
] as const;

interface Work {
  readonly kind: string;
  readonly holder: string;
  readonly names: readonly string[];
}

/** The work of each node, from the leases that it holds. */
export const Leases = () => (
  <Card title="Work by node" class="flush headed">
    <Loaded resource={useLeases()}>
      {(leases) =>
        leases.length === 0 ? (
          <Empty title="No node holds a lease." />
        ) : (
          <DataTable label="Work by node" columns={COLUMNS} rows={workOf(leases)} keyOf={({ kind, holder }) => `${kind} ${holder}`} />
        )
      }
    </Loaded>
  </Card>
);

const kindOf = (name: string) => KINDS.find(([prefix]) => name.startsWith(prefix)) ?? ['', 'Other'];

/** A row for each kind of work and node. */
const workOf = (leases: readonly LeaseRow[]): readonly Work[] => {
  const rows = new Map<string, { kind: string; holder: string; names: string[] }>();
  for (const { name, holder } of leases) {
    const [prefix, kind] = kindOf(name);
    const key = `${prefix} ${holder}`;
    const row = rows.get(key) ?? { kind, holder, names: [] };
    row.names.push(name.slice(prefix.length));
    rows.set(key, row);
  }
  const place = ({ kind }: Work) => KINDS.findIndex(([, title]) => title === kind);
  return [...rows.values()].sort((a, b) => place(a) - place(b) || a.holder.localeCompare(b.holder));
};

const IN_ORDER = new Intl.Collator('en', { numeric: true });

const COLUMNS: readonly Column<Work>[] = [
  { header: 'Work', cell: ({ kind }) => kind },
  { header: 'Node', cell: ({ holder }) => <span class="whole">{holder}</span> },
  { header: 'Leases', numeric: true, cell: ({ names }) => count(names.length) },
  { header: 'Names', cell: ({ names }) => <span class="quiet anywhere">{[...names].sort(IN_ORDER.compare).join(', ')}</span> },
];
