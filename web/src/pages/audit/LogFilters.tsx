import { useEffect, useState } from 'preact/hooks';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { refine } from '../../shell/place.ts';
import { type EventKind, FILTERS, useKinds } from './audit.ts';

const IDS = [
  ['eventStream', 'Event stream', 'stream-<id>'],
  ['subject', 'Owner', 'Owner id'],
  ['correlationId', 'Request', 'Correlation id'],
] as const;

const TIMES = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

/** The filters of the events, which are in the address. */
export const LogFilters = ({ query }: { readonly query: URLSearchParams }) => {
  const inAddress = (): Readonly<Record<string, string>> => Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const [given, give] = useState(inAddress);
  const { data: kinds = [] } = useKinds();
  // A link may have changed the address.
  useEffect(() => give(inAddress()), [JSON.stringify(inAddress())]);
  const set = (name: string) => (value: string) => give((before) => ({ ...before, [name]: value }));
  const [category = '', type = ''] = [given.category, given.type];
  return (
    <form
      class="filters wide"
      role="search"
      aria-label="Filter events"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()])), after: null });
      }}
    >
      <SelectField
        label="Kind"
        value={category}
        options={[
          ['', 'All kinds'],
          ...withChosen(
            category,
            kinds.map((kind) => kind.category),
          ),
        ]}
        onChange={(chosen) => refine({ category: chosen, type: null, after: null })}
      />
      <SelectField
        label="Type"
        value={type}
        options={[['', 'All types'], ...withChosen(type, typesOf(kinds, category))]}
        onChange={(chosen) => refine({ type: chosen, after: null })}
      />
      {IDS.map(([name, label, placeholder]) => (
        <TextField key={name} label={label} type="search" value={given[name] ?? ''} onInput={set(name)} placeholder={placeholder} />
      ))}
      {TIMES.map(([name, label]) => (
        <TextField key={name} label={label} type="datetime-local" value={given[name] ?? ''} onInput={set(name)} />
      ))}
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
};

const typesOf = (kinds: readonly EventKind[], category: string): readonly string[] =>
  kinds
    .filter((kind) => category === '' || kind.category === category)
    .flatMap(({ types }) => types)
    .sort();

/** A link may name a type that the server does not list. */
const withChosen = (chosen: string, listed: readonly string[]) =>
  [...new Set(chosen === '' ? listed : [chosen, ...listed])].map((one) => [one, one] as const);
