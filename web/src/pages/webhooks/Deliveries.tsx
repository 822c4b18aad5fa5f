import { useAction } from '../../api/useAction.ts';
import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { counted } from '../../parts/format.ts';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { href, refine } from '../../shell/place.ts';
import { Attempts } from './Attempts.tsx';
import { DeliverySearch } from './DeliverySearch.tsx';
import type { Delivery } from './deliveries.ts';
import { Health } from './Health.tsx';
import { PayloadButton } from './PayloadButton.tsx';
import { RecoverButton } from './RecoverButton.tsx';
import { type DeliveryQuery, ping, resend, useDeliveries, type WebhookEndpoint } from './webhooks.ts';

const SIZE = 20;

const searchOf = (query: URLSearchParams): DeliveryQuery => ({
  state: query.get('state') ?? '',
  type: query.get('type') ?? '',
  streamId: query.get('streamId') ?? '',
  eventId: query.get('eventId') ?? '',
  page: Number(query.get('page') ?? 0),
  size: SIZE,
});

/** An endpoint's deliveries, with test, resend and recovery. */
export const Deliveries = ({ endpoint, query }: { readonly endpoint: WebhookEndpoint; readonly query: URLSearchParams }) => {
  const { id } = endpoint;
  const deliveries = useDeliveries(id, searchOf(query));
  const test = useAction(async () => {
    await ping(id);
    announce('Ping scheduled. Its delivery shows the answer.');
    deliveries.reload();
  });
  return (
    <>
      <Health id={id} />
      <Card
        title="Deliveries"
        class="flush headed"
        actions={
          <>
            <RecoverButton endpoint={endpoint} onRecovered={deliveries.reload} />
            <button type="button" class="button primary" disabled={test.busy} onClick={() => void test.run()}>
              Send test
            </button>
          </>
        }
      >
        {test.error && <ErrorNote error={test.error} />}
        <DeliverySearch query={query} />
        <Loaded resource={deliveries}>
          {(page) =>
            page.content.length === 0 ? (
              <Empty title="No deliveries.">Send a test event, upload something, or clear the search.</Empty>
            ) : (
              <>
                <DataTable
                  label="Deliveries"
                  columns={columnsOf(id, deliveries.reload)}
                  rows={page.content}
                  keyOf={({ deliveryId }) => deliveryId}
                />
                <Pager page={page} onPage={(number) => refine({ page: number || null })} />
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
};

const columnsOf = (id: string, reload: () => void): readonly Column<Delivery>[] => [
  { header: 'Event', cell: ({ type }) => <span class="whole">{type}</span> },
  { header: 'About', cell: AboutCell },
  {
    header: 'State',
    cell: ({ state, attempts }) => (
      <>
        <StateBadge state={state} />
        {state === 'exhausted' && <span class="quiet small"> after {counted(attempts.length, 'attempt')}</span>}
      </>
    ),
  },
  { header: 'Status code', numeric: true, cell: ({ attempts }) => attempts.at(-1)?.status ?? <span class="quiet">–</span> },
  { header: 'Attempts', cell: ({ attempts, nextAttempt }) => <Attempts attempts={attempts} nextAttempt={nextAttempt} /> },
  {
    header: 'Last attempt',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? <Time at={last.at} /> : <span class="quiet">no attempt yet</span>;
    },
  },
  {
    header: 'Actions',
    bare: true,
    cell: (delivery) => (
      <div class="actions">
        <PayloadButton id={id} delivery={delivery} />
        <ResendButton id={id} delivery={delivery} onSent={reload} />
      </div>
    ),
  },
];

const AboutCell = ({ streamId, groupId }: Delivery) => {
  if (streamId !== null) return <a href={href(['streams', streamId])}>stream {shortId(streamId)}</a>;
  return groupId === null ? <span class="quiet">–</span> : <a href={href(['streams'], { group: groupId })}>group {shortId(groupId)}</a>;
};

interface ResendButtonProps {
  readonly id: string;
  readonly delivery: Delivery;
  readonly onSent: () => void;
}

const ResendButton = ({ id, delivery: { deliveryId, state, type }, onSent }: ResendButtonProps) => {
  const { busy, error, run } = useAction(async () => {
    await resend(id, deliveryId);
    announce('Resend scheduled');
    onSent();
  });
  if (type === 'ping') return null;
  return (
    <>
      <button type="button" class="button" disabled={busy || state === 'pending'} onClick={() => void run()}>
        Resend
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};
