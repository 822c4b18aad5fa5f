import type { Stream, StreamProcessor } from '../../api/types.ts';
import { Download } from '../../parts/Download.tsx';
import { Empty, ErrorNote } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, messageSinks, resultsOf } from '../../results/results.ts';
import { useMessages } from '../../results/useMessages.ts';

/** The results of the chain: all that are kept, and new ones while it runs. */
export const StreamResults = ({ stream, audio }: { readonly stream: Stream; readonly audio: HTMLAudioElement | null }) => {
  const { streamId, state, configuration } = stream;
  const sinks = messageSinks(configuration.processors).map(({ id }) => id);
  const isReadable = state !== 'EXPIRED' && sinks.length > 0;
  const { messages, ended, error } = useMessages(isReadable ? { streamId, sinks } : null);
  const results = resultsOf(configuration.processors, messages);
  if (state === 'EXPIRED')
    return (
      <Card title="Results">
        <Empty title="The data have been deleted.">
          {configuration.processors.some(({ egress }) => egress.persist)
            ? 'The retention time of this stream has passed. Export results before then, or ask the operator for a longer retention time.'
            : 'This stream was not kept. Upload with “Keep the results” to keep the data for hours instead of a minute.'}
        </Empty>
      </Card>
    );
  return (
    <>
      {error && <ErrorNote error={error} />}
      <ResultsView results={results} questions={questionsOf(configuration.processors)} audio={audio} live={!ended && state === 'READY'} />
      {isEmpty(results) && !error && (
        <Card title="Results">
          {sinks.length === 0 ? <BytesOnly stream={stream} /> : <NoResults state={state} isOver={ended && state !== 'READY'} />}
        </Card>
      )}
    </>
  );
};

/** Of all processors that were asked something, by the id of the prompt. */
const questionsOf = (processors: readonly StreamProcessor[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    processors.flatMap(({ properties: { askAnything } }) =>
      Object.entries((askAnything ?? {}) as Readonly<Record<string, { content?: string | null; promptId?: string | null }>>).flatMap(
        ([n, { content, promptId }]) => (content ? [[promptId ?? n, content] as const] : []),
      ),
    ),
  );

const NoResults = ({ state, isOver }: { readonly state: Stream['state']; readonly isOver: boolean }) => {
  if (!isOver) return <Empty title="No results yet.">Results appear here while the processors work.</Empty>;
  if (state === 'FAILED')
    return <Empty title="No results.">The stream failed before a stage finished. The reason is at the top of this page.</Empty>;
  return (
    <Empty title="No results.">
      No speech was found, or no result was switched on. Choose a summary, sentiment or a question when you upload.
    </Empty>
  );
};

const BytesOnly = ({ stream: { streamId, configuration } }: { readonly stream: Stream }) => (
  <Empty title="This template returns bytes.">
    <div class="actions centred">
      {configuration.processors
        .filter(({ egress }) => egress.sink)
        .map(({ id }) => (
          <Download
            key={id}
            label={`Output of ${id}`}
            path="/egress-service/api/v1/egress/live"
            query={{ streams: streamId, tags: id, format: 'RAW' }}
            fileName={`${streamId}-${id}.bin`}
            whenEmpty="There are no bytes"
          />
        ))}
    </div>
  </Empty>
);
