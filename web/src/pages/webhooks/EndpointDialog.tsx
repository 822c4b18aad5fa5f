import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { save, useSupportedEvents, type WebhookEndpoint } from './webhooks.ts';

interface EndpointDialogProps {
  /** The one to be changed; none: a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly onSaved: (endpoint: WebhookEndpoint) => void;
  readonly onClose: () => void;
}

const EVERYTHING = '*';

/** Address, events and description of an endpoint. */
export const EndpointDialog = ({ endpoint, onSaved, onClose }: EndpointDialogProps) => {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? [EVERYTHING]);
  const { busy, error, run } = useAction(async () =>
    onSaved(
      await save({
        ...(endpoint && { id: endpoint.id, enabled: endpoint.enabled }),
        url: url.trim(),
        events,
        description: description.trim() || null,
      }),
    ),
  );
  return (
    <Dialog title={endpoint ? 'Edit endpoint' : 'New endpoint'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField
          label="Address"
          type="url"
          value={url}
          onInput={setUrl}
          required
          placeholder="https://"
          hint="https or http, not on a local network."
        />
        <TextField label="Description" value={description} onInput={setDescription} hint="For you. May be empty." />
        <EventChoice events={events} onChange={setEvents} />
        {error && <ErrorNote error={error} />}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="button primary" disabled={busy || events.length === 0}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
};

interface EventChoiceProps {
  readonly events: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}

/** Everything, all of a resource, or single types. */
const EventChoice = ({ events, onChange }: EventChoiceProps) => {
  const toggle = (event: string) => (isOn: boolean) => onChange(isOn ? [...events, event] : events.filter((one) => one !== event));
  const covered = (event: string) => events.includes(EVERYTHING) || events.includes(`${event.split('.')[0]}.*`);
  return (
    <fieldset class="event-choice">
      <legend>Events</legend>
      <CheckField
        label="Everything, also what is new in later versions"
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
