import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { type NodeRow, useNodes } from './operations.ts';

/** The processes that share the stores. */
export const Nodes = () => (
  <Card title="Nodes" class="flush headed">
    <Loaded resource={useNodes()}>{(nodes) => <DataTable label="Nodes" columns={COLUMNS} rows={nodes} keyOf={({ id }) => id} />}</Loaded>
  </Card>
);

const COLUMNS: readonly Column<NodeRow>[] = [
  {
    header: 'Node',
    cell: ({ id, host, self }) => (
      <>
        {host} <span class="quiet">{/^[0-9a-f]{8}-/.test(id) ? shortId(id) : id}</span>
        {self && <span class="quiet"> (answers you)</span>}
      </>
    ),
  },
  { header: 'State', cell: ({ alive }) => <span class={`badge ${alive ? 'good' : 'bad'}`}>{alive ? 'Alive' : 'Gone'}</span> },
  { header: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { header: 'Joined', cell: ({ joinedTimestamp }) => <Time at={joinedTimestamp} /> },
];
