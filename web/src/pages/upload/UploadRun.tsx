import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/errors.ts';
import type { Stream } from '../../api/types.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { hasFailed } from '../../parts/failure.ts';
import { bytes } from '../../parts/format.ts';
import { Empty, ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, messageSinks, resultsOf } from '../../results/results.ts';
import { useMessages } from '../../results/useMessages.ts';
import { href } from '../../shell/place.ts';
import { isResumable, type Job, STOPPED, sendJob, sinkSourcesOf, titleOf } from './job.ts';
import { useStream } from './useStream.ts';

type Sending =
  | { readonly state: 'going'; readonly sent: number; readonly total: number }
  | { readonly state: 'done'; readonly stream: Stream }
  | { readonly state: 'failed'; readonly error: ApiError };

/** Sends one file or link, and shows its progress and its results. */
export const UploadRun = ({ job, onAgain }: { readonly job: Job; readonly onAgain: () => void }) => {
  const { sending, cancel } = useSending(job);
  const seen = useStream(sending.state === 'done' ? sending.stream : null);
  const sources = sinkSourcesOf(job.template);
  const isGoing = sending.state !== 'failed';
  // The stream of a resumable upload does not exist before.
  const isThere = sending.state === 'done' || (isGoing && !isResumable(job));
  const { messages, ended } = useMessages(isThere ? { streamId: job.streamId, sinks: messageSinks(sources).map(({ id }) => id) } : null);
  const results = resultsOf(sources, messages);
  return (
    <div class="stack">
      <Card title={titleOf(job)} actions={seen && <StateBadge state={seen.stream.state} />}>
        <Progress job={job} sending={sending} seen={seen} />
        <div class="actions run-actions">
          {sending.state === 'going' ? (
            <button type="button" class="button danger" onClick={cancel}>
              Stop the upload
            </button>
          ) : (
            <button type="button" class="button" onClick={onAgain}>
              {sending.state === 'failed' ? 'Back to the form' : 'Upload another'}
            </button>
          )}
          {sending.state === 'done' && (
            <a class="button primary" href={href(['streams', job.streamId])}>
              Open the stream
            </a>
          )}
        </div>
      </Card>
      {isThere && <ResultsView results={results} live={!ended} />}
      {isThere && isEmpty(results) && messageSinks(sources).length > 0 && (
        <Card title="Results">
          <Empty title={ended ? 'No results.' : 'No results yet.'}>
            {ended ? 'Open the stream to see why.' : 'Results appear here while the processors work.'}
          </Empty>
        </Card>
      )}
    </div>
  );
};

const useSending = (job: Job) => {
  const total = job.source.kind === 'file' ? job.source.file.size : 0;
  const [sending, setSending] = useState<Sending>({ state: 'going', sent: 0, total });
  const [stop] = useState(() => new AbortController());
  // Runs once per job. It continues while the user looks at another page.
  useEffect(() => {
    sendJob(job, stop.signal, (sent, all) => setSending({ state: 'going', sent, total: all })).then(
      (stream) => setSending({ state: 'done', stream }),
      (error: unknown) => setSending({ state: 'failed', error: apiErrorOf(error) }),
    );
  }, []);
  return { sending, cancel: () => stop.abort(STOPPED) };
};

interface ProgressProps {
  readonly job: Job;
  readonly sending: Sending;
  readonly seen: ReturnType<typeof useStream>;
}

const Progress = ({ job, sending, seen }: ProgressProps) => {
  if (sending.state === 'failed')
    return sending.error === STOPPED ? (
      <Note>You stopped the upload. Nothing of it is processed.</Note>
    ) : (
      <ErrorNote error={sending.error} />
    );
  if (sending.state === 'done') return <Outcome {...(seen ?? { stream: sending.stream, advice: null })} />;
  const { sent, total } = sending;
  if (job.source.kind === 'link')
    return (
      <div class="progress">
        <progress aria-label="Progress of the upload" />
        <span class="quiet">The server fetches the link.</span>
      </div>
    );
  return (
    <div class="progress">
      <progress value={sent} max={total || 1} aria-label="Progress of the upload" />
      <span class="quiet">
        {bytes(sent)} of {bytes(total)}
        {sent >= total && total > 0 && ', storing'}
      </span>
    </div>
  );
};

const Outcome = ({ stream, advice }: NonNullable<ProgressProps['seen']>) => {
  if (hasFailed(stream)) return <FailureNote stream={stream} advice={advice} />;
  if (stream.state === 'READY')
    return <Note tone="good">Uploaded. All bytes are stored. Processing continues if you close this page.</Note>;
  return <Note tone="good">Uploaded and processed.</Note>;
};
