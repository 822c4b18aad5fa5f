import { useState } from 'preact/hooks';
import type { JsonObject } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { duration } from '../../parts/format.ts';
import { JsonField } from '../../parts/JsonField.tsx';
import { jsonDraft } from '../../parts/jsonDraft.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { type PayloadForm, save, useSupportedEvents, type WebhookEndpoint } from './webhooks.ts';

interface EndpointDialogProps {
  /** The endpoint to change. Without one, the dialog creates an endpoint. */
  readonly endpoint?: WebhookEndpoint;
  readonly onSaved: (endpoint: WebhookEndpoint) => void;
  readonly onClose: () => void;
}

const EVERYTHING = '*';

const PAYLOADS = [
  ['full', 'Full: the whole stream or group'],
  ['slim', 'Slim: ids and links only'],
] as const;

const UNCHANGED = '';
const OF_SERVER = 'server';
const HOUR = 3_600;

/** How long deliveries may be retried, in seconds. The API returns the window in effect, not whether it was chosen. */
const windowsOf = (endpoint: WebhookEndpoint | undefined): readonly (readonly [string, string])[] => [
  [UNCHANGED, endpoint ? `As now: ${duration(endpoint.retryWindow * 1_000)}` : 'As the server is set'],
  ...(endpoint ? [[OF_SERVER, 'As the server is set'] as const] : []),
  ...[HOUR, 6 * HOUR, 24 * HOUR, 72 * HOUR, 168 * HOUR].map((seconds) => [String(seconds), duration(seconds * 1_000)] as const),
];

/** Types that no wildcard includes. */
const isByName = (type: string): boolean => type.startsWith('endpoint.') || type.startsWith('audit.');

const shownJson = (value: JsonObject | null | undefined): string =>
  value && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : '';

/** Settings of an endpoint. */
export const EndpointDialog = ({ endpoint, onSaved, onClose }: EndpointDialogProps) => {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [payload, setPayload] = useState<PayloadForm>(endpoint?.payload ?? 'full');
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? [EVERYTHING]);
  const [headers, setHeaders] = useState(shownJson(endpoint?.headers));
  const [filter, setFilter] = useState(shownJson(endpoint?.filter));
  const [retryWindow, setRetryWindow] = useState(UNCHANGED);
  const drafts = [jsonDraft(headers), jsonDraft(filter)] as const;
  const { busy, error, run } = useAction(async () =>
    onSaved(
      await save({
        ...(endpoint && { id: endpoint.id, enabled: endpoint.enabled }),
        url: url.trim(),
        events,
        description: description.trim() || null,
        payload,
        headers: drafts[0].value ?? null,
        filter: drafts[1].value ?? null,
        ...(retryWindow !== UNCHANGED && { retryWindow: retryWindow === OF_SERVER ? null : Number(retryWindow) }),
      }),
    ),
  );
  return (
    <FormDialog
      title={endpoint ? 'Edit endpoint' : 'New endpoint'}
      submit="Save"
      disabled={busy || events.length === 0 || drafts.some(({ problem }) => problem !== null)}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        value={url}
        onInput={setUrl}
        required
        placeholder="https://"
        hint="https or http. Addresses in private networks need WEBHOOK_ALLOW_CIDRS."
      />
      <TextField label="Description" value={description} onInput={setDescription} hint="Optional. Shown in the list." />
      <SelectField
        label="Payload"
        value={payload}
        options={PAYLOADS}
        onChange={(chosen) => setPayload(chosen === 'slim' ? 'slim' : 'full')}
        hint="Slim bodies have a few hundred bytes. Your program reads the rest with its own credential."
      />
      <SelectField
        label="Retry for"
        value={retryWindow}
        options={windowsOf(endpoint)}
        onChange={setRetryWindow}
        hint="A delivery that fails is retried this long, then given up. A change applies to new deliveries."
      />
      <EventChoice events={events} onChange={setEvents} />
      <details class="options">
        <summary>Headers and filter</summary>
        <div class="options-body">
          <JsonField
            label="Headers"
            rows={3}
            value={headers}
            onInput={setHeaders}
            hint='A JSON object, such as {"Authorization": "Bearer abc"}. Values are secret: leave *** to keep one.'
          />
          <JsonField
            label="Filter"
            rows={3}
            value={filter}
            onInput={setFilter}
            hint='Only events that fit, such as {"payload.stream.name": {"prefix": "call-"}}.'
          />
        </div>
      </details>
    </FormDialog>
  );
};

interface EventChoiceProps {
  readonly events: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}

/** Events to send: everything, all of a resource, or single types. */
const EventChoice = ({ events, onChange }: EventChoiceProps) => {
  const toggle = (event: string) => (isOn: boolean) => onChange(isOn ? [...events, event] : events.filter((one) => one !== event));
  const covered = (event: string) => events.includes(EVERYTHING) || events.includes(`${event.split('.')[0]}.*`);
  return (
    <fieldset class="event-choice">
      <legend>Events</legend>
      <p class="hint">
        The documentation shows{' '}
        <a href="/docs/webhook-events" target="_blank" rel="noopener">
          every event with its body
        </a>
        .
      </p>
      <CheckField
        label="Everything, including events of later versions"
        checked={events.includes(EVERYTHING)}
        onChange={toggle(EVERYTHING)}
      />
      <Loaded resource={useSupportedEvents()}>
        {(types) =>
          [...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((resource) => {
            const own = types.filter((type) => type.startsWith(`${resource}.`));
            const byName = own.every(isByName);
            if (!byName && events.includes(EVERYTHING)) return null;
            return (
              <div key={resource} class="event-group">
                {byName ? (
                  <p class="hint">{resource === 'endpoint' ? 'Alerts about your other endpoints' : 'Seals of the event log'}</p>
                ) : (
                  <CheckField label={`All of ${resource}`} checked={events.includes(`${resource}.*`)} onChange={toggle(`${resource}.*`)} />
                )}
                {own
                  .filter((type) => byName || !covered(type))
                  .map((type) => (
                    <CheckField key={type} label={type} checked={events.includes(type)} onChange={toggle(type)} />
                  ))}
              </div>
            );
          })
        }
      </Loaded>
    </fieldset>
  );
};
