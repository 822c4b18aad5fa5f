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

const ANSWERS = [
  ['', 'All answers'],
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['none', 'No answer'],
] as const;

/** The filters of the deliveries, by their names in the address and in the API. */
export const DELIVERY_FILTERS = ['state', 'type', 'statusClass', 'since', 'until', 'streamId', 'eventId'] as const;

/** The filters of the deliveries, which are in the address. */
export const DeliverySearch = ({ query }: { readonly query: URLSearchParams }) => {
  const given = (name: string) => query.get(name) ?? '';
  const [streamId, setStreamId] = useDraft(given('streamId'));
  const [eventId, setEventId] = useDraft(given('eventId'));
  const [isTouched, setTouched] = useState(false);
  const { data: types = [] } = useSupportedEvents();
  const isSearching = DELIVERY_FILTERS.some((name) => query.has(name));
  const choose = (name: string) => (value: string) => refine({ [name]: value, page: null });
  const typed = (set: (text: string) => void) => (text: string) => {
    setTouched(true);
    set(text);
  };
  return (
    <form
      class="filters wide in-card"
      role="search"
      aria-label="Search deliveries"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ streamId: streamId.trim(), eventId: eventId.trim(), page: null });
      }}
    >
      <SelectField label="State" value={given('state')} options={STATES} onChange={choose('state')} />
      <SelectField
        label="Event"
        value={given('type')}
        options={[['', 'All events'], ...types.map((type) => [type, type] as const)]}
        onChange={choose('type')}
      />
      <SelectField label="Answer" value={given('statusClass')} options={ANSWERS} onChange={choose('statusClass')} />
      <TextField label="From" type="datetime-local" value={given('since')} onInput={choose('since')} />
      <TextField label="To" type="datetime-local" value={given('until')} onInput={choose('until')} />
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
            refine({ ...Object.fromEntries(DELIVERY_FILTERS.map((name) => [name, null])), page: null });
          }}
        >
          Clear
        </button>
      )}
    </form>
  );
};
