import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/errors.ts';
import { getJson } from '../../api/request.ts';
import type { Json, Stream, Template } from '../../api/types.ts';
import { sendUpload } from '../../api/upload.ts';
import { apiErrorOf, useResource } from '../../api/useResource.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { bytes } from '../../parts/format.ts';
import { Empty, ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, messageSinks, resultsOf, type SinkSource } from '../../results/results.ts';
import { useMessages } from '../../results/useMessages.ts';
import { href } from '../../shell/place.ts';

/** An upload that was asked for. */
export interface Job {
  readonly streamId: string;
  readonly template: Template;
  readonly file: File;
  readonly query: Readonly<Record<string, string | boolean>>;
  readonly patches: Readonly<Record<string, Json>>;
  readonly webhooks: Readonly<Record<string, readonly string[]>>;
}

type Sending =
  | { readonly state: 'going'; readonly sent: number; readonly total: number }
  | { readonly state: 'done'; readonly stream: Stream }
  | { readonly state: 'failed'; readonly error: ApiError };

const POLL_MILLISECONDS = 1_000;

/** Sends it, and shows how far it is and what comes out. */
export const UploadRun = ({ job, onAgain }: { readonly job: Job; readonly onAgain: () => void }) => {
  const { sending, cancel } = useSending(job);
  const stream = useEnd(sending);
  const sources = job.template.processors.map(sinkSourceOf(job.template));
  const isGoing = sending.state !== 'failed';
  const { messages, ended } = useMessages(isGoing ? { streamId: job.streamId, sinks: messageSinks(sources).map(({ id }) => id) } : null);
  const results = resultsOf(sources, messages);
  return (
    <div class="stack">
      <Card title={job.file.name} actions={stream && <StateBadge state={stream.state} />}>
        <Progress sending={sending} stream={stream} />
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
      {isGoing && <ResultsView results={results} live={!ended} />}
      {isGoing && isEmpty(results) && messageSinks(sources).length > 0 && (
        <Card title="Results">
          <Empty title={ended ? 'No results.' : 'No results yet.'}>
            {ended ? 'Open the stream to see why.' : 'Results appear here while the processors work.'}
          </Empty>
        </Card>
      )}
    </div>
  );
};

/** A leaf of the chain is a sink, whatever its template says. */
const sinkSourceOf =
  ({ processors }: Template) =>
  ({ id, egress, processorDeclaration }: Template['processors'][number]): SinkSource => ({
    id,
    egress: { ...egress, sink: egress.sink || !processors.some(({ previousProcessorId }) => previousProcessorId === id) },
    destination: { messageSchema: processorDeclaration.outputSchema },
  });

const useSending = ({ streamId, template, file, query, patches, webhooks }: Job) => {
  const [sending, setSending] = useState<Sending>({ state: 'going', sent: 0, total: file.size });
  const [stop] = useState(() => new AbortController());
  // Runs once per job. It continues while the user looks at another page.
  useEffect(() => {
    sendUpload({
      query: { ...query, id: streamId, streamConfigurationTemplateId: template.id },
      patches,
      webhooks,
      content: file,
      signal: stop.signal,
      onProgress: (sent, total) => setSending({ state: 'going', sent, total }),
    }).then(
      (stream) => setSending({ state: 'done', stream }),
      (error: unknown) => setSending({ state: 'failed', error: apiErrorOf(error) }),
    );
  }, []);
  return { sending, cancel: () => stop.abort(new ApiError(0, 'The upload was stopped.')) };
};

const Progress = ({ sending, stream }: { readonly sending: Sending; readonly stream: Stream | null }) => {
  if (sending.state === 'failed') return <ErrorNote error={sending.error} />;
  if (sending.state === 'done') return <Outcome stream={stream ?? sending.stream} />;
  const { sent, total } = sending;
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

const Outcome = ({ stream }: { readonly stream: Stream }) => {
  if (stream.state === 'FAILED') return <FailureNote stream={stream} />;
  if (stream.state === 'READY')
    return <Note tone="good">Uploaded. All bytes are stored. Processing continues if you close this page.</Note>;
  return <Note tone="good">Uploaded and processed.</Note>;
};

/** The stream of a finished upload as it is now, polled until it has ended. */
const useEnd = (sending: Sending): Stream | null => {
  const uploaded = sending.state === 'done' ? sending.stream : null;
  const { data } = useResource<Stream | null>({
    key: uploaded?.streamId ?? '',
    load: async (signal) => uploaded && getJson<Stream>(`/stream-service/api/v1/streams/${uploaded.streamId}`, { signal }),
    every: (stream) => (stream && stream.state === 'READY' ? POLL_MILLISECONDS : null),
  });
  return data ?? uploaded;
};
