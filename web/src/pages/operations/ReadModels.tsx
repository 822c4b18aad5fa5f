import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { count, duration } from '../../parts/format.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { type ProjectionRow, rebuild, useProjections } from './operations.ts';

/** Each read model with its lag, and a button to rebuild it. */
export const ReadModels = () => {
  const projections = useProjections();
  const begin = async (name: string): Promise<void> => {
    await rebuild(name);
    announce(`Rebuild of ${name} started`);
    projections.reload();
  };
  return (
    <Card
      title="Read models"
      class="flush headed"
      actions={
        <ConfirmButton label="Rebuild all" onConfirm={() => begin('all')}>
          Builds every read model from the log while the present one is served. The new one takes over when it has caught up. No webhook is
          sent and no processor runs again.
        </ConfirmButton>
      }
    >
      <Loaded resource={projections}>
        {(rows) => (
          <DataTable
            label="Read models"
            columns={columnsOf(begin)}
            rows={rows}
            keyOf={({ name, version, state }) => `${name}@${version} ${state === 'rebuilding'}`}
          />
        )}
      </Loaded>
    </Card>
  );
};

const columnsOf = (begin: (name: string) => Promise<void>): readonly Column<ProjectionRow>[] => [
  {
    header: 'Read model',
    cell: ({ name, version }) => (
      <>
        {name} <span class="quiet">version {version}</span>
      </>
    ),
  },
  { header: 'State', cell: StateOf },
  {
    header: 'Events behind',
    numeric: true,
    cell: ({ lagEvents }) =>
      lagEvents === 0 ? <span class="quiet">0</span> : `${lagEvents > 20 ? 'about ' : ''}${count(lagEvents)} events`,
  },
  {
    header: 'Time behind',
    numeric: true,
    cell: ({ lagSeconds }) => (lagSeconds === 0 ? <span class="quiet">0 s</span> : duration(lagSeconds * 1_000)),
  },
  { header: 'Rate', numeric: true, cell: ({ rate }) => `${count(Math.round(rate))}/s` },
  {
    header: 'Changes',
    bare: true,
    cell: ({ name, state }) => (
      <ConfirmButton label="Rebuild" disabled={state === 'rebuilding'} onConfirm={() => begin(name)}>
        Builds {name} from the log while the present one is served. The new one takes over when it has caught up.
      </ConfirmButton>
    ),
  },
];

/** Names the event that stopped a read model, and what to do. */
const StateOf = ({ name, position, state, error }: ProjectionRow) => (
  <>
    <StateBadge state={state} />
    {error !== null && (
      <p class="small">
        {error}{' '}
        <span class="quiet">
          Fix the cause and restart the server, or skip the event:{' '}
          <code>
            tributary projections skip {name} {position ?? '<position>'}
          </code>
        </span>
      </p>
    )}
  </>
);
