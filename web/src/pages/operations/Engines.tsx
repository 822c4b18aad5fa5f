import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { type EngineRow, useEngines } from './operations.ts';

/** Speech engines and language models of the node that answers. */
export const Engines = () => (
  <Card title="Engines and models" class="flush headed">
    <Loaded resource={useEngines()}>
      {(engines) => (
        <DataTable label="Engines and models" columns={COLUMNS} rows={engines} keyOf={({ name, model }) => `${name} ${model}`} />
      )}
    </Loaded>
  </Card>
);

const STATES: Readonly<Record<EngineRow['state'], readonly [tone: string, word: string]>> = {
  ready: ['good', 'Ready'],
  away: ['bad', 'Does not answer'],
  missing: ['warn', 'Not installed'],
};

const COLUMNS: readonly Column<EngineRow>[] = [
  { header: 'Engine', cell: ({ name }) => name },
  { header: 'State', cell: ({ state }) => <span class={`badge ${STATES[state][0]}`}>{STATES[state][1]}</span> },
  { header: 'Kind', cell: ({ kind, place }) => `${kind}, ${place}` },
  { header: 'Model', cell: ({ model }) => (model === null ? <span class="quiet">–</span> : <code>{model}</code>) },
  { header: 'Detail', cell: ({ detail }) => <span class="quiet">{detail}</span> },
];
