import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../../../api/request.ts';
import { useTemplates } from '../../../api/templates.ts';
import type { ListedStream, PageOf, Template } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { DataTable, Pager } from '../../../parts/DataTable.tsx';
import { count } from '../../../parts/format.ts';
import { Icon } from '../../../parts/Icon.tsx';
import { Empty, Loaded } from '../../../parts/Notes.tsx';
import { PageFrame } from '../../../parts/Page.tsx';
import { href, place, refine } from '../../../shell/place.ts';
import { STREAMS } from '../streams.ts';
import { BulkActions } from './BulkActions.tsx';
import { BulkRerunNotes } from './BulkRerunNotes.tsx';
import { useBulkReruns } from './bulkReruns.ts';
import { columnsOf } from './columns.tsx';
import { dayEnd, dayStart } from './dayEdge.ts';
import { FILTERS, Filters } from './Filters.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { Found } from './Found.tsx';
import { Labels } from './Labels.tsx';
import { noteList, scrolledIn } from './lastList.ts';
import { RunManyButton } from './RunManyButton.tsx';
import { SearchBox } from './SearchBox.tsx';
import { SetupBanner } from './SetupBanner.tsx';
import { useSelection } from './useSelection.ts';

const SIZE = 20;
const MAX_SIZE = 100;
// Read often while a stream is being processed; otherwise now and then, to notice streams that are uploaded elsewhere.
const BUSY_MILLISECONDS = 2_000;
const IDLE_MILLISECONDS = 5_000;

// As in src/http/streams/searchNames.ts.
const MOST_SEARCHED = 2_000;

/** The caller's streams, newest first, or those in which something was found. Everything that is chosen is in the address. */
export const StreamList = ({ query }: { readonly query: URLSearchParams }) => {
  const templates = useTemplates();
  const reruns = useBulkReruns();
  const [changes, setChanges] = useState(0);
  const page = wholeNumber(query.get('page')) ?? 0;
  const filters = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])),
    since: dayStart(query.get('since')),
    until: dayEnd(query.get('until')),
    label: query.getAll('label'),
  };
  const q = query.get('q');
  return (
    <PageFrame
      title="Library"
      actions={
        <a class="button primary" href={href(['upload'])}>
          <Icon name="upload" /> Upload
        </a>
      }
    >
      <div class="stack">
        <SetupBanner />
        <SearchBox query={query} />
        <Labels query={query} version={changes} />
        <Filters query={query} templates={templates.data ?? []} />
        <BulkRerunNotes reruns={reruns.data ?? []} onStopped={reruns.reload} />
        {q ? (
          <Found wanted={{ ...filters, q, state: null, nameContains: null }} page={page} />
        ) : (
          <Listed
            wanted={{ ...filters, page, size: Math.min(wholeNumber(query.get('size')) || SIZE, MAX_SIZE) }}
            query={query}
            templates={templates.data}
            onChanged={() => setChanges((before) => before + 1)}
            onRunMany={reruns.reload}
          />
        )}
      </div>
    </PageFrame>
  );
};

interface ListedProps {
  readonly wanted: Readonly<Record<string, string | number | readonly string[] | null>>;
  readonly query: URLSearchParams;
  readonly templates: readonly Template[] | undefined;
  readonly onChanged: () => void;
  readonly onRunMany: () => void;
}

const Listed = ({ wanted, query, templates, onChanged, onRunMany }: ListedProps) => {
  const streams = useResource({
    key: JSON.stringify(wanted),
    load: (signal) => getJson<PageOf<ListedStream>>(STREAMS, { query: wanted, signal }),
    every: (page) => (page?.content.some(({ state }) => state === 'READY') ? BUSY_MILLISECONDS : IDLE_MILLISECONDS),
  });
  const selection = useSelection(streams.data?.content.map(({ streamId }) => streamId) ?? []);
  useWayBack(query, streams.data !== undefined);
  const isFiltered = [...FILTERS, 'label'].some((name) => query.get(name));
  return (
    <>
      {query.get('nameContains') && (
        <p class="quiet small">
          Only the newest {count(MOST_SEARCHED)} streams that match the other filters are searched by name. To find older ones, set From and
          To, or use the search.
        </p>
      )}
      {streams.data && !isFiltered && query.get('page') === null && <FirstSteps hasStreams={streams.data.totalElements > 0} />}
      <div class="card flush">
        <Loaded resource={streams}>
          {(page) =>
            page.content.length === 0 ? (
              <NoStreams isFiltered={isFiltered || page.number > 0} />
            ) : (
              <>
                <BulkActions
                  streams={page.content}
                  selection={selection}
                  onDone={() => {
                    streams.reload();
                    onChanged();
                  }}
                >
                  <RunManyButton query={query} templates={templates ?? []} onStarted={onRunMany} />
                </BulkActions>
                <DataTable
                  short
                  label="Streams"
                  columns={columnsOf(templates, selection)}
                  rows={page.content}
                  keyOf={({ streamId }) => streamId}
                />
                <Pager
                  page={page}
                  onPage={(number) => refine({ page: number || null })}
                  onSize={(size) => refine({ size: size === SIZE ? null : size, page: null })}
                />
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
};

/** Scrolls to where the reader left this part of the list, once its rows are there. */
const useWayBack = (query: URLSearchParams, isRead: boolean): void => {
  useEffect(() => {
    if (isRead) scrollTo(0, scrolledIn(query));
  }, [isRead]);
  useEffect(() => {
    // Before the rows are there, the page has another height.
    if (!isRead) return;
    // The page that follows is shorter, which scrolls this one before it is gone.
    const note = () => place.value.query === query && noteList({ query, scrolled: scrollY });
    note();
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, [query, isRead]);
};

/** `null` for anything else. */
const wholeNumber = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);

const NoStreams = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No stream matches.">
      <a href={href(['streams'])}>Show all streams</a>
    </Empty>
  ) : (
    <Empty title="No streams yet.">What you upload appears here.</Empty>
  );
