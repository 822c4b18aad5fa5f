import { useState } from 'preact/hooks';
import type { Resource } from '../../api/useResource.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { SelectField } from '../../parts/Field.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { OwnerFilter } from '../../parts/OwnerFilter.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { go, href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import type { RecentHealth } from './deliveries.ts';
import { EndpointDialog } from './EndpointDialog.tsx';
import { chosenOwner, useEndpoints, useHealth, type WebhookEndpoint } from './webhooks.ts';

const FILTERS = [
  ['', 'All endpoints'],
  ['failing', 'Failing'],
  ['healthy', 'Healthy'],
  ['unused', 'Nothing delivered yet'],
  ['disabled', 'Disabled'],
] as const;

/** The endpoints of the caller, or of the owner in the address, with their health. A user has at most twenty, so there are no pages. */
export const EndpointList = ({ query }: { readonly query: URLSearchParams }) => {
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
      {isAdmin.value && <OwnerFilter query={query} label="Filter endpoints" whose="you" />}
      <div class="card flush">
        <Loaded resource={endpoints}>
          {(rows) => (rows.length === 0 ? <NoEndpoint /> : <Endpoints endpoints={rows} wanted={query.get('health') ?? ''} />)}
        </Loaded>
      </div>
      {isCreating && <EndpointDialog onSaved={({ id }) => go(['webhooks', id], chosenOwner())} onClose={() => setCreating(false)} />}
    </PageFrame>
  );
};

const NoEndpoint = () =>
  chosenOwner().subject === null ? (
    <Empty title="No endpoint yet.">Create one with the URL of your program.</Empty>
  ) : (
    <Empty title="This owner has no endpoints.">
      Create one for them, or <a href={href(['webhooks'])}>show your own</a>.
    </Empty>
  );

const Endpoints = ({ endpoints, wanted }: { readonly endpoints: readonly WebhookEndpoint[]; readonly wanted: string }) => {
  const health = useHealth(endpoints);
  return (
    <>
      <div class="filters in-card">
        <SelectField label="Health" value={wanted} options={FILTERS} onChange={(state) => refine({ health: state })} />
      </div>
      {wanted === '' ? (
        <>
          {health.error && <ErrorNote error={health.error} retry={health.reload} />}
          <Table rows={endpoints} health={health} />
        </>
      ) : (
        <Loaded resource={health}>
          {(known) => <Table rows={endpoints.filter(({ id }) => known.get(id)?.state === wanted)} health={health} />}
        </Loaded>
      )}
    </>
  );
};

type Health = Resource<ReadonlyMap<string, RecentHealth>>;

const Table = ({ rows, health }: { readonly rows: readonly WebhookEndpoint[]; readonly health: Health }) =>
  rows.length === 0 ? (
    <Empty title="No endpoint matches.">Choose another health above.</Empty>
  ) : (
    <DataTable label="Webhook endpoints" columns={columnsOf(health)} rows={rows} keyOf={({ id }) => id} />
  );

const columnsOf = ({ data, error }: Health): readonly Column<WebhookEndpoint>[] => [
  { header: 'Address', cell: ({ id, url }) => <a href={href(['webhooks', id], chosenOwner())}>{url}</a> },
  { header: 'Health', cell: ({ id, enabled }) => <HealthNote health={data?.get(id)} enabled={enabled} isUnknown={error !== undefined} /> },
  { header: 'Events', cell: ({ events }) => events.map((event) => (event === '*' ? 'Everything' : event)).join(', ') },
  { header: 'Description', cell: ({ description }) => description ?? <span class="quiet">–</span> },
];

interface HealthNoteProps {
  readonly health: RecentHealth | undefined;
  readonly enabled: boolean;
  readonly isUnknown: boolean;
}

const HealthNote = ({ health, enabled, isUnknown }: HealthNoteProps) => {
  if (!health && !enabled) return <StateBadge state="disabled" />;
  if (!health) return <span class="quiet">{isUnknown ? 'Unknown' : 'Loading'}</span>;
  const { state, failingSince, lastSuccess } = health;
  return (
    <>
      <StateBadge state={state === 'unused' ? 'Nothing delivered yet' : state} />
      <span class="cell-note quiet small">
        {state === 'failing' && failingSince && (
          <>
            since <Time at={failingSince} />,{' '}
          </>
        )}
        {lastSuccess ? (
          <>
            last success <Time at={lastSuccess} />
          </>
        ) : (
          state === 'failing' && 'never succeeded'
        )}
      </span>
    </>
  );
};
