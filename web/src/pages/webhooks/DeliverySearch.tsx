import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { useDraft } from '../../parts/useDraft.ts';
import { refine } from '../../shell/place.ts';
import { useSupportedEvents } from './webhooks.ts';

const STATES = [
  ['', 'All states'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['exhausted', 'Gave up'],
] as const;

/** The filters of the deliveries, which are in the address. */
export const DeliverySearch = ({ query }: { readonly query: URLSearchParams }) => {
  const [streamId, setStreamId] = useDraft(query.get('streamId') ?? '');
  const [eventId, setEventId] = useDraft(query.get('eventId') ?? '');
  const [isTouched, setTouched] = useState(false);
  const { data: types = [] } = useSupportedEvents();
  const isSearching = ['state', 'type', 'streamId', 'eventId'].some((name) => query.has(name));
  const typed = (set: (text: string) => void) => (text: string) => {
    setTouched(true);
    set(text);
  };
  return (
    <form
      class="filters in-card"
      role="search"
      aria-label="Search deliveries"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ streamId: streamId.trim(), eventId: eventId.trim(), page: null });
      }}
    >
      <SelectField label="State" value={query.get('state') ?? ''} options={STATES} onChange={(state) => refine({ state, page: null })} />
      <SelectField
        label="Event"
        value={query.get('type') ?? ''}
        options={[['', 'All events'], ...types.map((type) => [type, type] as const)]}
        onChange={(type) => refine({ type, page: null })}
      />
      <TextField label="Stream id" type="search" value={streamId} onInput={typed(setStreamId)} />
      <TextField label="Event id (webhook-id)" type="search" value={eventId} onInput={typed(setEventId)} />
      <button type="submit" class="button">
        Search
      </button>
      {(isSearching || isTouched) && (
        <button
          type="button"
          class="button"
          onClick={() => {
            setTouched(false);
            setStreamId('');
            setEventId('');
            refine({ state: null, type: null, streamId: null, eventId: null, page: null });
          }}
        >
          Clear
        </button>
      )}
    </form>
  );
};
