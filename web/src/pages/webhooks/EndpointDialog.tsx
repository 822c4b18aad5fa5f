import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { CheckField, SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
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

/** Address, description, payload and events of an endpoint. */
export const EndpointDialog = ({ endpoint, onSaved, onClose }: EndpointDialogProps) => {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [payload, setPayload] = useState<PayloadForm>(endpoint?.payload ?? 'full');
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? [EVERYTHING]);
  const { busy, error, run } = useAction(async () =>
    onSaved(
      await save({
        ...(endpoint && { id: endpoint.id, enabled: endpoint.enabled }),
        url: url.trim(),
        events,
        description: description.trim() || null,
        payload,
      }),
    ),
  );
  return (
    <FormDialog
      title={endpoint ? 'Edit endpoint' : 'New endpoint'}
      submit="Save"
      disabled={busy || events.length === 0}
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
      <EventChoice events={events} onChange={setEvents} />
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
      {!events.includes(EVERYTHING) && (
        <Loaded resource={useSupportedEvents()}>
          {(types) =>
            [...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((resource) => (
              <div key={resource} class="event-group">
                <CheckField label={`All of ${resource}`} checked={events.includes(`${resource}.*`)} onChange={toggle(`${resource}.*`)} />
                {types
                  .filter((type) => type.startsWith(`${resource}.`) && !covered(type))
                  .map((type) => (
                    <CheckField key={type} label={type} checked={events.includes(type)} onChange={toggle(type)} />
                  ))}
              </div>
            ))
          }
        </Loaded>
      )}
    </fieldset>
  );
};
