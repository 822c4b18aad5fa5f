import type { Stream, StreamProcessor } from '../../api/types.ts';
import { Download } from '../../parts/Download.tsx';
import { Empty, ErrorNote } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, messageSinks, resultsOf } from '../../results/results.ts';
import { useMessages } from '../../results/useMessages.ts';

/** What the chain has given: all that is kept, and while it runs each result as it comes. */
export const StreamResults = ({ stream, audio }: { readonly stream: Stream; readonly audio: HTMLAudioElement | null }) => {
  const { streamId, state, configuration } = stream;
  const sinks = messageSinks(configuration.processors).map(({ id }) => id);
  const isReadable = state !== 'EXPIRED' && sinks.length > 0;
  const { messages, ended, error } = useMessages(isReadable ? { streamId, sinks } : null);
  const results = resultsOf(configuration.processors, messages);
  if (state === 'EXPIRED')
    return (
      <Card title="Results">
        <Empty title="The results are gone.">
          This stream has expired. Upload with “Keep the results” to have them for hours instead of a minute, or export them in time.
        </Empty>
      </Card>
    );
  return (
    <>
      {error && <ErrorNote error={error} />}
      <ResultsView results={results} questions={questionsOf(configuration.processors)} audio={audio} live={!ended && state === 'READY'} />
      {isEmpty(results) && !error && (
        <Card title="Results">
          {sinks.length === 0 ? <BytesOnly stream={stream} /> : <NothingYet isOver={ended && state !== 'READY'} />}
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

const NothingYet = ({ isOver }: { readonly isOver: boolean }) =>
  isOver ? (
    <Empty title="The chain has given nothing to read.">
      Its processors may have nothing switched on: choose a summary, sentiment or a question when you upload.
    </Empty>
  ) : (
    <Empty title="Nothing yet.">Results appear here as soon as a processor gives them.</Empty>
  );

const BytesOnly = ({ stream: { streamId, configuration } }: { readonly stream: Stream }) => (
  <Empty title="This chain gives bytes back.">
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
