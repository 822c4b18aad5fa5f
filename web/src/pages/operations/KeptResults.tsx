import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { Empty, Loaded, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { href } from '../../shell/place.ts';
import { type DueRow, type Kept, type KeptRow, useKept } from './operations.ts';

/** Whose results take the disk, and which are deleted next. */
export const KeptResults = () => (
  <Card title="Kept results" class="flush headed">
    <Loaded resource={useKept()}>{(kept) => <Lists kept={kept} />}</Loaded>
  </Card>
);

const Lists = ({ kept }: { readonly kept: Kept }) => {
  if (kept.streams === 0) return <Empty title="No stream is kept." />;
  return (
    <>
      <div class="queue-total">
        <p>
          {counted(kept.users, 'user')} {kept.users === 1 ? 'keeps' : 'keep'} {counted(kept.streams, 'stream')},{' '}
          <strong>{bytes(kept.bytes)}</strong>.
          {kept.limitBytes !== null && ` Each may keep ${bytes(kept.limitBytes)} (KEPT_BYTES_PER_USER).`}
        </p>
        {kept.byUser.some((row) => isFull(row, kept)) && (
          <Note tone="bad">Uploads of users at the limit are refused until they delete streams.</Note>
        )}
      </div>
      <DataTable label="Kept results by user" columns={columnsOf(kept)} rows={kept.byUser} keyOf={({ subject }) => subject} />
      {kept.byUser.length < kept.users && <p class="quiet queue-total">{othersOf(kept)}</p>}
      {kept.due.length > 0 && <DataTable label="Next deletions" columns={DUE_COLUMNS} rows={kept.due} keyOf={({ streamId }) => streamId} />}
    </>
  );
};

const othersOf = ({ users, byUser }: Kept): string => {
  const others = users - byUser.length;
  return `${counted(others, 'more user')} ${others === 1 ? 'keeps' : 'keep'} less.`;
};

const isFull = (row: KeptRow, { limitBytes }: Kept): boolean => limitBytes !== null && row.bytes >= limitBytes;

const columnsOf = (kept: Kept): readonly Column<KeptRow>[] => [
  {
    header: 'User',
    cell: ({ subject, names }) => (
      <>
        {names.length > 0 && `${names.join(', ')} `}
        <CopyText text={subject} label="owner id" shown={shortId(subject)} />
      </>
    ),
  },
  { header: 'Streams', numeric: true, cell: ({ streams }) => count(streams) },
  {
    header: 'Kept',
    numeric: true,
    cell: (row) => (
      <>
        {bytes(row.bytes)} {isFull(row, kept) && <span class="badge bad">At the limit</span>}
      </>
    ),
  },
  {
    header: 'Deleted within a day',
    numeric: true,
    cell: ({ dueStreams, dueBytes }) =>
      dueStreams === 0 ? <span class="quiet">–</span> : `${counted(dueStreams, 'stream')}, ${bytes(dueBytes)}`,
  },
];

const DUE_COLUMNS: readonly Column<DueRow>[] = [
  { header: 'Next deletion', cell: ({ until }) => <Time at={until} /> },
  {
    header: 'Stream',
    cell: ({ streamId }) => (
      <a href={href(['streams', streamId])}>
        <code>{shortId(streamId)}</code>
      </a>
    ),
  },
  { header: 'Owner', cell: ({ subject }) => <CopyText text={subject} label="owner id" shown={shortId(subject)} /> },
  { header: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
];
