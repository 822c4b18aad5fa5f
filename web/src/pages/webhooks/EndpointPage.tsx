import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { duration } from '../../parts/format.ts';
import { ErrorNote, Loaded, Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { go, href } from '../../shell/place.ts';
import { Deliveries } from './Deliveries.tsx';
import { type EndpointHealth, isFailing } from './deliveries.ts';
import { EndpointDialog } from './EndpointDialog.tsx';
import { Secret } from './Secret.tsx';
import { chosenOwner, remove, setEnabled, useEndpoint, type WebhookEndpoint } from './webhooks.ts';

/** One endpoint: its events, its secret and its deliveries. */
export const EndpointPage = ({ id, query }: { readonly id: string; readonly query: URLSearchParams }) => {
  const endpoint = useEndpoint(id);
  const { data } = endpoint;
  return (
    <PageFrame
      title={data?.url ?? 'Endpoint'}
      above={<a href={href(['webhooks'], chosenOwner())}>Webhooks</a>}
      badge={data && <StateBadge state={data.health.state} />}
      lead={data?.description}
      actions={data && <Changes endpoint={data} onChanged={endpoint.reload} />}
    >
      <Loaded resource={endpoint}>
        {(found) => (
          <div class="stack">
            {!found.enabled && <WhyDisabled endpoint={found} />}
            {isFailing(found.health) && <WhyFailing health={found.health} />}
            <div class="halves">
              <Card title="Events">
                <ul class="plain">
                  {found.events.map((event) => (
                    <li key={event}>{event === '*' ? 'Everything' : <code>{event}</code>}</li>
                  ))}
                </ul>
                <p class="quiet small">
                  {found.payload === 'slim' ? 'Slim payload: ids and links.' : 'Full payload.'} Retried for{' '}
                  {duration(found.retryWindow * 1_000)}.
                </p>
                {Object.keys(found.headers).length > 0 && (
                  <p class="quiet small">Headers of your own: {Object.keys(found.headers).join(', ')}.</p>
                )}
                {found.filter && (
                  <p class="quiet small">
                    Only events that fit <code>{JSON.stringify(found.filter)}</code>.
                  </p>
                )}
              </Card>
              <Secret id={id} />
            </div>
            <Deliveries endpoint={found} query={query} onSent={endpoint.reload} />
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
};

const WhyFailing = ({ health: { state, since, lastSuccess, reason, nextProbe } }: { readonly health: EndpointHealth }) => (
  <Note tone="bad">
    <p>
      Every attempt has failed
      {since && (
        <>
          {' '}
          since <Time at={since} exact />
        </>
      )}
      {reason && <>, the last one with: {reason}</>}
      {lastSuccess && (
        <>
          ; the last success was <Time at={lastSuccess} />
        </>
      )}
      . The attempts below show what your receiver answered. After you have fixed it, recover the events that it missed.
    </p>
    {state === 'held' && (
      <p>
        Its deliveries are held: after so many failures, one attempt is made at a time, with a pause after each, until one succeeds.{' '}
        {nextProbe ? (
          <>
            The next attempt: <Time at={nextProbe} />.
          </>
        ) : (
          'Nothing is pending.'
        )}{' '}
        A test, and each delivery that you send now, goes at once.
      </p>
    )}
  </Note>
);

const WhyDisabled = ({ endpoint: { disabledReason, disabledTimestamp } }: { readonly endpoint: WebhookEndpoint }) => (
  <Note tone="warn">
    <p>
      Disabled
      {disabledTimestamp && (
        <>
          {' '}
          <Time at={disabledTimestamp} />
        </>
      )}
      {disabledReason && <>: {disabledReason}</>}. It receives no events. After you enable it, you can recover the events it has missed.
    </p>
  </Note>
);

interface ChangesProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
}

const Changes = ({ endpoint, onChanged }: ChangesProps) => {
  const [isEditing, setEditing] = useState(false);
  const { id, enabled } = endpoint;
  const toggle = useAction(async () => {
    await setEnabled(id, !enabled);
    announce(enabled ? 'Endpoint disabled' : 'Endpoint enabled');
    onChanged();
  });
  return (
    <>
      {toggle.error && <ErrorNote error={toggle.error} />}
      <button type="button" class="button" onClick={() => setEditing(true)}>
        Edit
      </button>
      <button type="button" class="button" disabled={toggle.busy} onClick={() => void toggle.run()}>
        {enabled ? 'Disable' : 'Enable'}
      </button>
      <ConfirmButton
        label="Delete"
        danger
        onConfirm={async () => {
          await remove(id);
          announce('Endpoint deleted');
          go(['webhooks'], chosenOwner());
        }}
      >
        Deletes the endpoint and drops its pending deliveries. This cannot be undone.
      </ConfirmButton>
      {isEditing && (
        <EndpointDialog
          endpoint={endpoint}
          onSaved={() => {
            setEditing(false);
            onChanged();
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
};
