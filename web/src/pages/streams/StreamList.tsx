import { getJson } from '../../api/request.ts';
import { nameOf, useTemplates } from '../../api/templates.ts';
import type { PageOf, Stream, Template } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { duration } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { useDraft } from '../../parts/useDraft.ts';
import { href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';

const SIZE = 20;
// While something is being processed the list is read often; else now and then, for streams that are uploaded elsewhere.
const BUSY_MILLISECONDS = 2_000;
const IDLE_MILLISECONDS = 5_000;

const FILTERS = ['state', 'nameContains', 'streamConfigurationTemplateId', 'since', 'until', 'group', 'subject'] as const;

/** The caller's streams, newest first; what is filtered stands in the address. */
export const StreamList = ({ query }: { readonly query: URLSearchParams }) => {
  const templates = useTemplates();
  const wanted = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])),
    since: dayEdge(query.get('since'), '00:00:00.000'),
    until: dayEdge(query.get('until'), '23:59:59.999'),
    page: Number(query.get('page') ?? 0),
    size: SIZE,
  };
  const streams = useResource({
    key: JSON.stringify(wanted),
    load: (signal) => getJson<PageOf<Stream>>('/stream-service/api/v1/streams', { query: wanted, signal }),
    every: (page) => (page?.content.some(({ state }) => state === 'READY') ? BUSY_MILLISECONDS : IDLE_MILLISECONDS),
  });
  const isFiltered = FILTERS.some((name) => query.get(name));
  return (
    <PageFrame
      title="Streams"
      lead="All uploads with their state and results."
      actions={
        <a class="button primary" href={href(['upload'])}>
          <Icon name="upload" /> Upload
        </a>
      }
    >
      <Filters query={query} templates={templates.data ?? []} />
      <div class="card flush">
        <Loaded resource={streams}>
          {(page) =>
            page.content.length === 0 ? (
              <NoStreams isFiltered={isFiltered} />
            ) : (
              <>
                <DataTable label="Streams" columns={columnsOf(templates.data)} rows={page.content} keyOf={({ streamId }) => streamId} />
                <Pager page={page} onPage={(number) => refine({ page: number || null })} />
              </>
            )
          }
        </Loaded>
      </div>
    </PageFrame>
  );
};

const STATES = [
  ['', 'All states'],
  ['READY', 'Processing'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['EXPIRED', 'Expired'],
] as const;

/** The edge of a day of the reader's own time zone, ISO 8601; `null` without a day. */
const dayEdge = (day: string | null, time: string): string | null => {
  const edge = new Date(`${day}T${time}`);
  return Number.isNaN(edge.getTime()) ? null : edge.toISOString();
};

const Filters = ({ query, templates }: { readonly query: URLSearchParams; readonly templates: readonly Template[] }) => {
  const [name, setName] = useDraft(query.get('nameContains') ?? '');
  const [group, setGroup] = useDraft(query.get('group') ?? '');
  const [subject, setSubject] = useDraft(query.get('subject') ?? '');
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter streams"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ nameContains: name.trim(), group: group.trim(), subject: subject.trim(), page: null });
      }}
    >
      <SelectField label="State" value={query.get('state') ?? ''} options={STATES} onChange={(state) => refine({ state, page: null })} />
      <TextField label="Name" type="search" value={name} onInput={setName} placeholder="Part of the name" />
      <SelectField
        label="Template"
        value={query.get('streamConfigurationTemplateId') ?? ''}
        options={[['', 'All templates'], ...templates.map(({ id, name: shown }) => [id, shown] as const)]}
        onChange={(id) => refine({ streamConfigurationTemplateId: id, page: null })}
      />
      <TextField label="From" type="date" value={query.get('since') ?? ''} onInput={(since) => refine({ since, page: null })} />
      <TextField label="To" type="date" value={query.get('until') ?? ''} onInput={(until) => refine({ until, page: null })} />
      <TextField label="Group" type="search" value={group} onInput={setGroup} placeholder="Group id" />
      {isAdmin.value && (
        <TextField label="Owner" type="search" value={subject} onInput={setSubject} placeholder="Owner id (default: you)" />
      )}
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
};

const NoStreams = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No stream matches.">
      Names match by any part, ids only as a whole. <a href={href(['streams'])}>Show all streams</a>
    </Empty>
  ) : (
    <Empty title="No streams yet.">
      <a href={href(['upload'])}>Upload a recording or a text</a> to make the first one.
    </Empty>
  );

const columnsOf = (templates: readonly Template[] | undefined): readonly Column<Stream>[] => [
  { header: 'Name', cell: ({ streamId, name }) => <a href={href(['streams', streamId])}>{name ?? shortId(streamId)}</a> },
  {
    header: 'State',
    cell: ({ state, stateDescription }) => (
      <>
        <StateBadge state={state} />
        {state === 'FAILED' && stateDescription && <span class="cell-note quiet small">{stateDescription}</span>}
      </>
    ),
  },
  { header: 'Template', cell: ({ configuration }) => nameOf(templates, configuration.streamConfigurationTemplateId) },
  { header: 'Created', cell: ({ createdTimestamp }) => <Time at={createdTimestamp} /> },
  { header: 'Took', numeric: true, cell: tookOf },
  {
    header: 'Group',
    cell: ({ groupId, streamId }) =>
      groupId === streamId ? <span class="quiet">–</span> : <CopyText text={groupId} label="group id" shown={shortId(groupId)} />,
  },
];

const tookOf = ({ createdTimestamp, finalizedTimestamp }: Stream) =>
  finalizedTimestamp ? duration(Date.parse(finalizedTimestamp) - Date.parse(createdTimestamp)) : <span class="quiet">…</span>;
