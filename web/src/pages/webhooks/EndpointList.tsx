import { useState } from 'preact/hooks';
import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { SelectField } from '../../parts/Field.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { OwnerFilter } from '../../parts/OwnerFilter.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { go, href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { isFailing } from './deliveries.ts';
import { EndpointDialog } from './EndpointDialog.tsx';
import { chosenOwner, useEndpoints, type WebhookEndpoint } from './webhooks.ts';

const FILTERS = [
  ['', 'All endpoints'],
  ['failing', 'Failing'],
  ['held', 'Held'],
  ['healthy', 'Healthy'],
  ['unknown', 'No attempt yet'],
  ['disabled', 'Disabled'],
] as const;

const EVERYBODY = '*';

/** The endpoints of the caller, or of the owner in the address (`*`: all owners), with their health. A user has at most twenty, so there are no pages. */
export const EndpointList = ({ query }: { readonly query: URLSearchParams }) => {
  const [isCreating, setCreating] = useState(false);
  const wanted = query.get('health') ?? '';
  const endpoints = useEndpoints(wanted);
  const ofAll = chosenOwner().subject === EVERYBODY;
  return (
    <PageFrame
      title="Webhooks"
      lead="Every change of a stream is posted to your endpoints, signed."
      actions={
        !ofAll && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            New endpoint
          </button>
        )
      }
    >
      {isAdmin.value && <OwnerFilter query={query} label="Filter endpoints" whose="you; *: all owners" />}
      <div class="card flush">
        <div class="filters in-card">
          <SelectField label="Health" value={wanted} options={FILTERS} onChange={(state) => refine({ health: state })} />
        </div>
        <Loaded resource={endpoints}>
          {(rows) =>
            rows.length > 0 ? (
              <DataTable label="Webhook endpoints" columns={ofAll ? [OWNER, ...COLUMNS] : COLUMNS} rows={rows} keyOf={({ id }) => id} />
            ) : wanted === '' ? (
              <NoEndpoint />
            ) : (
              <Empty title="No endpoint matches.">Choose another health above.</Empty>
            )
          }
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

const HealthCell = ({ health }: WebhookEndpoint) => {
  const { state, since, lastSuccess, reason } = health;
  return (
    <>
      <StateBadge state={state} />
      <span class="cell-note quiet small">
        {isFailing(health) && (
          <>
            {since && (
              <>
                since <Time at={since} />,{' '}
              </>
            )}
            {reason && `${reason}, `}
          </>
        )}
        {lastSuccess ? (
          <>
            last success <Time at={lastSuccess} />
          </>
        ) : (
          isFailing(health) && 'never succeeded'
        )}
      </span>
    </>
  );
};

const OWNER: Column<WebhookEndpoint> = {
  header: 'Owner',
  cell: ({ subject }) => subject && <a href={href(['webhooks'], { subject })}>{shortId(subject)}</a>,
};

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    header: 'Address',
    cell: ({ id, subject, url }) => <a href={href(['webhooks', id], subject ? { subject } : chosenOwner())}>{url}</a>,
  },
  { header: 'Health', cell: HealthCell },
  { header: 'Events', cell: ({ events }) => events.map((event) => (event === '*' ? 'Everything' : event)).join(', ') },
  { header: 'Description', cell: ({ description }) => description ?? <span class="quiet">–</span> },
];
