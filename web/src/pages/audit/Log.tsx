import { useEffect, useState } from 'preact/hooks';
import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { TextField } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { href, refine } from '../../shell/place.ts';
import { eventStreamHref, FILTERS, type LogEvent, told, useLog } from './audit.ts';
import { VerifyButton } from './Verify.tsx';

/** The whole event log, newest first; what is filtered stands in the address. */
export const Log = ({ query }: { readonly query: URLSearchParams }) => {
  const log = useLog(query);
  return (
    <PageFrame
      title="Audit"
      lead="The event log: everything that ever changed. What you read here is recorded in it too."
      actions={<VerifyButton eventStream={null} />}
    >
      <Filters query={query} />
      <div class="card flush">
        <Loaded resource={log}>
          {({ content, next }) =>
            content.length === 0 ? (
              <Empty title="No event matches.">
                <a href={href(['audit'])}>Show the whole log</a>
              </Empty>
            ) : (
              <>
                <DataTable label="Events" columns={COLUMNS} rows={content} keyOf={({ id }) => id} />
                <nav class="pager" aria-label="Parts of the list">
                  <button type="button" class="button" disabled={query.get('after') === null} onClick={() => refine({ after: null })}>
                    <Icon name="back" /> Newest
                  </button>
                  <button type="button" class="button" disabled={next === null} onClick={() => refine({ after: next })}>
                    Older <Icon name="next" />
                  </button>
                </nav>
              </>
            )
          }
        </Loaded>
      </div>
    </PageFrame>
  );
};

const FIELDS = [
  ['category', 'Kind', 'stream, group, templates'],
  ['type', 'Type', 'StreamCreated'],
  ['eventStream', 'Event stream', 'stream-<id>'],
  ['subject', 'Owner', 'Subject id'],
  ['correlationId', 'Request', 'Correlation id'],
] as const;

const TIMES = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

const Filters = ({ query }: { readonly query: URLSearchParams }) => {
  const inAddress = (): Readonly<Record<string, string>> => Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const [given, give] = useState(inAddress);
  // A link may have changed what is asked for.
  useEffect(() => give(inAddress()), [JSON.stringify(inAddress())]);
  const set = (name: string) => (value: string) => give((before) => ({ ...before, [name]: value }));
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
      {FIELDS.map(([name, label, placeholder]) => (
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

const COLUMNS: readonly Column<LogEvent>[] = [
  { header: 'Event', cell: ({ id, type }) => <a href={href(['audit', 'events', id])}>{type}</a> },
  { header: 'Time', cell: (event) => <Time at={told(event, 'time')} exact /> },
  { header: 'Event stream', cell: ({ eventStream }) => <a href={eventStreamHref(eventStream)}>{shortened(eventStream)}</a> },
  { header: 'Revision', numeric: true, cell: ({ revision }) => revision },
  { header: 'By', cell: (event) => <span title={told(event, 'actor')}>{shortActor(told(event, 'actor'))}</span> },
];

/** A name with the beginning of its id: "stream-1f0c9a2b". */
const shortened = (name: string): string => {
  const dash = name.indexOf('-');
  return dash < 0 ? name : `${name.slice(0, dash)}-${shortId(name.slice(dash + 1))}`;
};

const shortActor = (actor: string): string => (/^[0-9a-f]{8}-/.test(actor) ? shortId(actor) : actor);
