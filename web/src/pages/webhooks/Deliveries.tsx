import { useAction } from '../../api/useAction.ts';
import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { counted } from '../../parts/format.ts';
import { isoTime } from '../../parts/localTime.ts';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { href, refine } from '../../shell/place.ts';
import { Attempts } from './Attempts.tsx';
import { DELIVERY_FILTERS, DeliverySearch } from './DeliverySearch.tsx';
import type { Delivery, EndpointHealth } from './deliveries.ts';
import { Health } from './Health.tsx';
import { PayloadButton } from './PayloadButton.tsx';
import { RecoverButton } from './RecoverButton.tsx';
import { type DeliveryQuery, ping, resend, sendNow, useDeliveries, type WebhookEndpoint } from './webhooks.ts';

const SIZE = 20;

const searchOf = (query: URLSearchParams): DeliveryQuery => ({
  ...Object.fromEntries(DELIVERY_FILTERS.map((name) => [name, query.get(name) ?? ''])),
  since: isoTime(query.get('since')) ?? '',
  until: isoTime(query.get('until')) ?? '',
  page: Number(query.get('page') ?? 0),
  size: SIZE,
});

interface DeliveriesProps {
  readonly endpoint: WebhookEndpoint;
  readonly query: URLSearchParams;
  readonly onSent: () => void;
}

/** An endpoint's deliveries, with test, resend, "send now" and recovery. */
export const Deliveries = ({ endpoint, query, onSent }: DeliveriesProps) => {
  const { id, health } = endpoint;
  const deliveries = useDeliveries(id, searchOf(query));
  const sent = () => {
    deliveries.reload();
    onSent();
  };
  const test = useAction(async () => {
    await ping(id);
    announce('Ping scheduled. Its delivery shows the answer.');
    sent();
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
                  columns={columnsOf(id, health, sent)}
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

const columnsOf = (id: string, health: EndpointHealth, onSent: () => void): readonly Column<Delivery>[] => [
  { header: 'Event', cell: ({ type }) => <span class="whole">{type}</span> },
  { header: 'About', cell: AboutCell },
  {
    header: 'State',
    cell: ({ state, attempts }) => (
      <>
        <StateBadge state={state} />
        {state === 'exhausted' && <span class="quiet small"> after {counted(attempts.length, 'attempt')}</span>}
        {state === 'pending' && health.state === 'held' && <WhyHeld health={health} />}
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
        <SendButton id={id} delivery={delivery} onSent={onSent} />
      </div>
    ),
  },
];

const AboutCell = ({ streamId, groupId }: Delivery) => {
  if (streamId !== null) return <a href={href(['streams', streamId])}>stream {shortId(streamId)}</a>;
  return groupId === null ? <span class="quiet">–</span> : <a href={href(['streams'], { group: groupId })}>group {shortId(groupId)}</a>;
};

const WhyHeld = ({ health: { reason, nextProbe } }: { readonly health: EndpointHealth }) => (
  <span class="cell-note quiet small">
    held{reason && ` (${reason})`}
    {nextProbe && (
      <>
        , next attempt to this endpoint <Time at={nextProbe} />
      </>
    )}
  </span>
);

interface SendButtonProps {
  readonly id: string;
  readonly delivery: Delivery;
  readonly onSent: () => void;
}

/** Makes the next attempt of a pending delivery at once, or one more of an ended one. */
const SendButton = ({ id, delivery: { deliveryId, state, type }, onSent }: SendButtonProps) => {
  const isPending = state === 'pending';
  const { busy, error, run } = useAction(async () => {
    await (isPending ? sendNow : resend)(id, deliveryId);
    announce(isPending ? 'Attempt scheduled' : 'Resend scheduled');
    onSent();
  });
  if (type === 'ping') return null;
  return (
    <>
      <button type="button" class="button" disabled={busy} onClick={() => void run()}>
        {isPending ? 'Send now' : 'Resend'}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};
