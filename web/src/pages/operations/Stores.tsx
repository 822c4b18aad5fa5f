import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { type StoreRow, useStores } from './operations.ts';

export const Stores = () => (
  <Card title="Stores" class="flush headed">
    <Loaded resource={useStores()}>
      {(stores) => <DataTable label="Stores" columns={COLUMNS} rows={stores} keyOf={({ name }) => name} />}
    </Loaded>
  </Card>
);

const COLUMNS: readonly Column<StoreRow>[] = [
  { header: 'Store', cell: ({ name }) => name },
  { header: 'Health', cell: ({ ok }) => <span class={`badge ${ok ? 'good' : 'bad'}`}>{ok ? 'Answers' : 'Away'}</span> },
  { header: 'Detail', cell: ({ detail }) => <span class="quiet">{detail}</span> },
];
