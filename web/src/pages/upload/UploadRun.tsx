import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/errors.ts';
import { getJson } from '../../api/request.ts';
import type { Json, Stream, Template } from '../../api/types.ts';
import { sendUpload } from '../../api/upload.ts';
import { apiErrorOf, useResource } from '../../api/useResource.ts';
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
  const sources = job.template.processors.map(sinkSourceOf(job.template));
  const isGoing = sending.state !== 'failed';
  const { messages, ended } = useMessages(isGoing ? { streamId: job.streamId, sinks: messageSinks(sources).map(({ id }) => id) } : null);
  const results = resultsOf(sources, messages);
  return (
    <div class="stack">
      <Card title={job.file.name} actions={sending.state === 'done' && <StreamState streamId={job.streamId} />}>
        <Progress sending={sending} />
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
          <Empty title={ended ? 'The chain has given nothing to read.' : 'Nothing yet.'}>
            {ended ? 'Open the stream to see why.' : 'Results appear here as soon as a processor gives them.'}
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
  // Once for a job. It goes on while another page is looked at; closing the tab ends it.
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

const Progress = ({ sending }: { readonly sending: Sending }) => {
  if (sending.state === 'failed') return <ErrorNote error={sending.error} />;
  if (sending.state === 'done')
    return sending.stream.state === 'FAILED' ? (
      <Note tone="warn">The stream has failed: {sending.stream.stateDescription ?? 'open it to see why.'}</Note>
    ) : (
      <Note tone="good">Uploaded: every byte is stored. The chain goes on without this page.</Note>
    );
  const { sent, total } = sending;
  return (
    <div class="progress">
      <progress value={sent} max={total || 1} aria-label="Progress of the upload" />
      <span class="quiet">
        {bytes(sent)} of {bytes(total)}
        {sent >= total && total > 0 && ', being stored'}
      </span>
    </div>
  );
};

const StreamState = ({ streamId }: { readonly streamId: string }) => {
  const { data } = useResource({
    key: streamId,
    load: (signal) => getJson<Stream>(`/stream-service/api/v1/streams/${streamId}`, { signal }),
    every: (stream) => (stream && stream.state !== 'READY' ? null : POLL_MILLISECONDS),
  });
  return data ? <StateBadge state={data.state} /> : null;
};
