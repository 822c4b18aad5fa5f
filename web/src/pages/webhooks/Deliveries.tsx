import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { refine } from '../../shell/place.ts';
import { Attempts } from './Attempts.tsx';
import type { Delivery } from './deliveries.ts';
import { Health } from './Health.tsx';
import { ping, recoverSince, resend, useDeliveries, type WebhookEndpoint } from './webhooks.ts';

const SIZE = 20;

const STATES = [
  ['', 'All states'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['exhausted', 'Gave up'],
] as const;

/** An endpoint's deliveries, with test, resend and recovery. */
export const Deliveries = ({ endpoint, query }: { readonly endpoint: WebhookEndpoint; readonly query: URLSearchParams }) => {
  const { id } = endpoint;
  const deliveries = useDeliveries(id, query.get('state'), Number(query.get('page') ?? 0), SIZE);
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
            <SelectField
              label="State"
              value={query.get('state') ?? ''}
              options={STATES}
              onChange={(state) => refine({ state, page: null })}
            />
            <RecoverButton endpoint={endpoint} onRecovered={deliveries.reload} />
            <button type="button" class="button primary" disabled={test.busy} onClick={() => void test.run()}>
              Send test
            </button>
          </>
        }
      >
        {test.error && <ErrorNote error={test.error} />}
        <Loaded resource={deliveries}>
          {(page) =>
            page.content.length === 0 ? (
              <Empty title="No deliveries.">Send a test event, or upload something.</Empty>
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
  { header: 'Event', cell: ({ type }) => type },
  { header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { header: 'Number', numeric: true, cell: ({ sequence }) => sequence ?? '' },
  { header: 'Attempts', cell: ({ attempts, nextAttempt }) => <Attempts attempts={attempts} nextAttempt={nextAttempt} /> },
  {
    header: 'Last',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? <Time at={last.at} /> : <span class="quiet">no attempt yet</span>;
    },
  },
  { header: 'Changes', bare: true, cell: (delivery) => <ResendButton id={id} delivery={delivery} onSent={reload} /> },
];

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

interface RecoverButtonProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRecovered: () => void;
}

/** Schedules what was missed since a time. */
const RecoverButton = ({ endpoint: { id, enabled }, onRecovered }: RecoverButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const [since, setSince] = useState('');
  const [scheduled, setScheduled] = useState<number | null>(null);
  const { busy, error, run, clear } = useAction(async () => {
    setScheduled((await recoverSince(id, new Date(since).toISOString())).scheduled);
    onRecovered();
  });
  const close = () => {
    clear();
    setScheduled(null);
    setOpen(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={!enabled} onClick={() => setOpen(true)}>
        Recover
      </button>
      {isOpen && (
        <Dialog title="Recover" onClose={close}>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void run();
            }}
          >
            <p class="quiet">Sends every event the endpoint has missed since this time. Repeating it sends nothing twice.</p>
            <TextField label="Since" type="datetime-local" value={since} onInput={setSince} required />
            {error && <ErrorNote error={error} />}
            {scheduled !== null && <p role="status">{counted(scheduled, 'delivery', 'deliveries')} scheduled.</p>}
            <div class="actions">
              <button type="button" class="button" onClick={close}>
                Close
              </button>
              <button type="submit" class="button primary" disabled={busy || since === ''}>
                Recover
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
};
