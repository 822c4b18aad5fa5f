import { useEffect, useState } from 'preact/hooks';
import { type ApiError, adviceOf } from '../../api/errors.ts';
import type { Stream } from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { FailureInList } from '../../parts/FailureNote.tsx';
import { hasFailed } from '../../parts/failure.ts';
import { bytes, counted } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { href } from '../../shell/place.ts';
import { type Job, STOPPED, titleOf } from './job.ts';
import { type BatchState, useBatch } from './useBatch.ts';
import { useStream } from './useStream.ts';

interface Row {
  readonly job: Job;
  readonly sending: BatchState;
  readonly onEnded: (streamId: string) => void;
}

/** Sends several files, a few at once, with a state for each. */
export const UploadBatch = ({ jobs, onAgain }: { readonly jobs: readonly Job[]; readonly onAgain: () => void }) => {
  const { states, stop, retry } = useBatch(jobs);
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  const onEnded = (streamId: string) => setEnded((before) => new Set(before).add(streamId));
  const rows = jobs.map((job, n): Row => ({ job, sending: states[n] ?? { state: 'waiting', because: null }, onEnded }));
  const open = rows.filter(({ sending: { state } }) => state === 'waiting' || state === 'going').length;
  const failed = rows.filter(({ sending }) => sending.state === 'failed').length;
  const isProcessed = ({ sending }: Row): boolean => sending.state === 'done' && ended.has(sending.stream.streamId);
  return (
    <Card title={counted(jobs.length, 'file')}>
      <p role="status">
        {open > 0
          ? `${counted(jobs.length - open, 'file')} of ${jobs.length} done. Keep this page open until all are uploaded.`
          : failed > 0
            ? `${counted(failed, 'upload')} failed.`
            : `All files are uploaded. ${rows.every(isProcessed) ? 'You can close this page.' : 'Processing continues if you close this page.'}`}
      </p>
      <DataTable label="Uploads" columns={COLUMNS} rows={rows} keyOf={({ job }) => job.streamId} />
      <div class="actions run-actions">
        {open > 0 && (
          <button type="button" class="button danger" onClick={stop}>
            Stop the uploads
          </button>
        )}
        {open === 0 && failed > 0 && (
          <button type="button" class="button" onClick={retry}>
            Upload the failed files again
          </button>
        )}
        {open === 0 && (
          <button type="button" class="button" onClick={onAgain}>
            Upload others
          </button>
        )}
        <a class="button" href={href(['streams'])}>
          Show all streams
        </a>
      </div>
    </Card>
  );
};

const COLUMNS: readonly Column<Row>[] = [
  { header: 'File', cell: ({ job }) => titleOf(job) },
  { header: 'Size', numeric: true, cell: ({ job: { source } }) => (source.kind === 'file' ? bytes(source.file.size) : '') },
  { header: 'State', cell: (row) => <Sending {...row} /> },
  {
    header: 'Stream',
    cell: ({ sending }) =>
      sending.state === 'done' ? <a href={href(['streams', sending.stream.streamId])}>Open the stream</a> : <span class="quiet">–</span>,
  },
];

const Sending = ({ sending, onEnded }: Row) => {
  if (sending.state === 'waiting') return <span class="quiet">{sending.because ?? 'Waiting'}</span>;
  if (sending.state === 'failed') return <Failed error={sending.error} />;
  if (sending.state === 'done') return <Processed stream={sending.stream} onEnded={onEnded} />;
  const { sent, total } = sending;
  return (
    <span class="progress">
      <progress value={sent} max={total || 1} aria-label="Progress of the upload" />
    </span>
  );
};

const Failed = ({ error }: { readonly error: ApiError }) => (
  <>
    <span class="badge bad">Not uploaded</span>
    <span class="cell-note quiet small">
      {error.message} {error.problem?.nestedErrors.map(({ message }) => message).join(' ')} {error !== STOPPED && adviceOf(error)}
    </span>
  </>
);

const Processed = ({ stream: uploaded, onEnded }: { readonly stream: Stream } & Pick<Row, 'onEnded'>) => {
  const { stream, advice } = useStream(uploaded) ?? { stream: uploaded, advice: null };
  const isRunning = stream.state === 'READY';
  useEffect(() => {
    if (!isRunning) onEnded(stream.streamId);
  }, [isRunning]);
  return (
    <>
      <StateBadge state={stream.state} />
      {hasFailed(stream) && <FailureInList stream={stream} advice={advice} />}
    </>
  );
};
