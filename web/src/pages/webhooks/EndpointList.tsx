import { useState } from 'preact/hooks';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { go, href } from '../../shell/place.ts';
import { EndpointDialog } from './EndpointDialog.tsx';
import { useEndpoints, type WebhookEndpoint } from './webhooks.ts';

/** The caller's endpoints: at most twenty, so there are no pages. */
export const EndpointList = () => {
  const [isCreating, setCreating] = useState(false);
  const endpoints = useEndpoints();
  return (
    <PageFrame
      title="Webhooks"
      lead="Every change of a stream is posted to your endpoints, signed."
      actions={
        <button type="button" class="button primary" onClick={() => setCreating(true)}>
          New endpoint
        </button>
      }
    >
      <div class="card flush">
        <Loaded resource={endpoints}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title="No endpoint yet.">Create one with the URL of your program.</Empty>
            ) : (
              <DataTable label="Webhook endpoints" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      </div>
      {isCreating && <EndpointDialog onSaved={({ id }) => go(['webhooks', id])} onClose={() => setCreating(false)} />}
    </PageFrame>
  );
};

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { header: 'Address', cell: ({ id, url }) => <a href={href(['webhooks', id])}>{url}</a> },
  { header: 'State', cell: ({ enabled }) => <StateBadge state={enabled ? 'enabled' : 'disabled'} /> },
  { header: 'Events', cell: ({ events }) => events.map((event) => (event === '*' ? 'Everything' : event)).join(', ') },
  { header: 'Description', cell: ({ description }) => description ?? <span class="quiet">none</span> },
];
