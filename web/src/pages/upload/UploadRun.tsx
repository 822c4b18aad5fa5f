import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/errors.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import { bytes } from '../../parts/format.ts';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { go } from '../../shell/place.ts';
import { type Job, STOPPED, sendJob, titleOf } from './job.ts';

type Sending =
  | { readonly state: 'going'; readonly sent: number; readonly total: number }
  | { readonly state: 'failed'; readonly error: ApiError };

/** Sends one file or link, shows its progress, and opens the page of its stream when all bytes are stored. */
export const UploadRun = ({ job, onAgain }: { readonly job: Job; readonly onAgain: () => void }) => {
  const { sending, cancel } = useSending(job);
  return (
    <Card title={titleOf(job)}>
      <Progress job={job} sending={sending} />
      <div class="actions run-actions">
        {sending.state === 'going' ? (
          <button type="button" class="button danger" onClick={cancel}>
            Stop the upload
          </button>
        ) : (
          <button type="button" class="button" onClick={onAgain}>
            Back to the form
          </button>
        )}
      </div>
    </Card>
  );
};

const useSending = (job: Job) => {
  const total = job.source.kind === 'file' ? job.source.file.size : 0;
  const [sending, setSending] = useState<Sending>({ state: 'going', sent: 0, total });
  const [stop] = useState(() => new AbortController());
  const isHere = useRef(true);
  // Runs once per job. It continues while the user looks at another page, and then leaves them there.
  useEffect(() => {
    sendJob(job, stop.signal, (sent, all) => setSending({ state: 'going', sent, total: all })).then(
      ({ streamId }) => isHere.current && go(['streams', streamId]),
      (error: unknown) => setSending({ state: 'failed', error: apiErrorOf(error) }),
    );
    return () => {
      isHere.current = false;
    };
  }, []);
  return { sending, cancel: () => stop.abort(STOPPED) };
};

interface ProgressProps {
  readonly job: Job;
  readonly sending: Sending;
}

const Progress = ({ job, sending }: ProgressProps) => {
  if (sending.state === 'failed')
    return sending.error === STOPPED ? (
      <Note>You stopped the upload. Nothing of it is processed.</Note>
    ) : (
      <ErrorNote error={sending.error} />
    );
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
