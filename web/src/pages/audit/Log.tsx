import { useState } from 'preact/hooks';
import { shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Download } from '../../parts/Download.tsx';
import { CheckField } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { ActorName } from './ActorName.tsx';
import {
  type Actor,
  askedOf,
  EVENTS,
  eventStreamHref,
  FILTERS,
  type LogEvent,
  type LogPage,
  NDJSON,
  SEALS,
  told,
  useLog,
} from './audit.ts';
import { EraseButton } from './EraseButton.tsx';
import { HiddenKinds } from './HiddenKinds.tsx';
import { LogFilters } from './LogFilters.tsx';
import { useLiveEvents } from './useLiveEvents.ts';
import { VerifyButton } from './Verify.tsx';

/** The event log, newest first. Filters are in the address. */
export const Log = ({ query }: { readonly query: URLSearchParams }) => {
  const log = useLog(query);
  return (
    <PageFrame
      title="Audit"
      lead="The event log: every change ever made. Your reads are recorded in it too."
      actions={
        <>
          <Download
            label="Export log"
            path={EVENTS}
            // Only the whole log in its stored form can be verified elsewhere.
            query={{ ...askedOf(query), exclude: null, order: 'asc', form: FILTERS.some((name) => query.has(name)) ? null : 'stored' }}
            accept={NDJSON}
            fileName="log.ndjson"
            whenEmpty="No event matches."
          />
          <Download label="Export seals" path={SEALS} fileName="seals.ndjson" whenEmpty="No seal yet." />
          {isAdmin.value && <EraseButton />}
          <VerifyButton eventStream={null} />
        </>
      }
    >
      <LogFilters query={query} />
      <HiddenKinds query={query} />
      <div class="card flush">
        <Loaded resource={log}>{(page) => <Events page={page} query={query} reload={log.reload} />}</Loaded>
      </div>
    </PageFrame>
  );
};

interface EventsProps {
  readonly page: LogPage;
  readonly query: URLSearchParams;
  readonly reload: () => void;
}

const Events = ({ page: { content, next, actors }, query, reload }: EventsProps) => {
  const [isLive, setLive] = useState(false);
  const isNewest = query.get('after') === null;
  const live = useLiveEvents(query, content[0]?.position ?? null, isLive && isNewest, reload);
  const rows = [...live.events, ...content];
  return (
    <>
      {isNewest && (
        <div class="filters in-card">
          <CheckField
            label="Live"
            checked={isLive}
            onChange={setLive}
            hint="New events appear as they are appended. This is recorded as one read."
          />
        </div>
      )}
      {live.error && <ErrorNote error={live.error} />}
      {rows.length === 0 ? (
        <Empty title="No event matches.">
          <a href={href(['audit'])}>Show the whole log</a>
        </Empty>
      ) : (
        <DataTable label="Events" columns={columnsOf(actors)} rows={rows} keyOf={({ id }) => id} />
      )}
      <nav class="pager" aria-label="Parts of the list">
        <button type="button" class="button" disabled={isNewest} onClick={() => refine({ after: null })}>
          <Icon name="back" /> Newest
        </button>
        <button type="button" class="button" disabled={next === null} onClick={() => refine({ after: next })}>
          Older <Icon name="next" />
        </button>
      </nav>
    </>
  );
};

const columnsOf = (actors: readonly Actor[]): readonly Column<LogEvent>[] => [
  { header: 'Event', cell: ({ id, type }) => <a href={href(['audit', 'events', id])}>{type}</a> },
  { header: 'Time', cell: (event) => <Time at={told(event, 'time')} exact /> },
  { header: 'Event stream', cell: ({ eventStream }) => <a href={eventStreamHref(eventStream)}>{shortened(eventStream)}</a> },
  { header: 'Revision', wide: true, numeric: true, cell: ({ revision }) => revision },
  { header: 'By', cell: (event) => <ActorName event={event} actors={actors} /> },
];

/** A name with the beginning of its id: "stream-1f0c9a2b". */
const shortened = (name: string): string => {
  const dash = name.indexOf('-');
  return dash < 0 ? name : `${name.slice(0, dash)}-${shortId(name.slice(dash + 1))}`;
};
