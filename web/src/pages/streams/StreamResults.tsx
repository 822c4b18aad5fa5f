import { useState } from 'preact/hooks';
import { RETENTION } from '../../api/serverSettings.ts';
import { stageNameOf, useTemplates } from '../../api/templates.ts';
import type { Json, Stream, StreamComponents, StreamProcessor } from '../../api/types.ts';
import { Download } from '../../parts/Download.tsx';
import { counted, duration } from '../../parts/format.ts';
import { JsonText } from '../../parts/JsonText.tsx';
import { Empty, ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { EditTools } from '../../results/editing/EditTools.tsx';
import type { Editing } from '../../results/editing/useEditing.ts';
import { Player, type PlayerProps } from '../../results/Player.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, messageSinks, ownMessages, type Results, type SinkMessage } from '../../results/results.ts';
import { StickyBar } from '../../results/StickyBar.tsx';
import type { Messages } from '../../results/useMessages.ts';
import { href } from '../../shell/place.ts';
import { SourceText } from './SourceText.tsx';
import { isOwn } from './streams.ts';
import { whyNoResults } from './whyNoResults.ts';

interface StreamResultsProps {
  readonly stream: Stream;
  readonly components: StreamComponents;
  readonly read: Messages;
  readonly results: Results;
  /** Millisecond of the recording that the page is opened at. */
  readonly openedAt: number | null;
  /** Searched in the transcript at first. */
  readonly find: string;
  readonly editing: Editing | null;
  /** The stage whose results are older than the corrections of the transcript. */
  readonly outdated: string | null;
}

/** The recording or the text, and the results of the chain: stored ones, and new ones while it runs. */
export const StreamResults = ({ stream, components, read, results, openedAt, find, editing, outdated }: StreamResultsProps) => {
  const { messages, ended, error } = read;
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const { streamId, state, configuration } = stream;
  const sinks = messageSinks(configuration.processors);
  if (state === 'EXPIRED')
    return (
      <Card title="Results">
        <Empty title="The data have been deleted.">
          {configuration.processors.some(({ egress }) => egress.persist)
            ? 'Their retention time has passed, or someone deleted them. Next time, export the results earlier or keep the stream longer.'
            : `This stream was not kept. Its data were deleted ${duration(RETENTION.ephemeral)} after its end. Next time, choose how long to keep the results.`}
        </Empty>
      </Card>
    );
  const own = ownMessages(messages);
  const isUploaded = components.gateway.state === 'CLOSED';
  const isEdited = editing !== null && Boolean(editing.isOn || editing.conflict || editing.error);
  return (
    <>
      {error && <ErrorNote error={error} />}
      <ResultsView
        {...{ results, audio, openedAt, find, editing }}
        note={outdated === null ? null : <Outdated stage={outdated} stream={stream} />}
        questions={questionsOf(configuration.processors)}
        live={!ended && state === 'READY'}
        above={
          (isEdited || isUploaded) && (
            <StickyBar>
              {isEdited && <EditTools streamId={streamId} editing={editing} />}
              {isUploaded && sourceOf(stream, { onAudio: setAudio, openedAt })}
            </StickyBar>
          )
        }
        momentAt={(milliseconds) => href(['streams', streamId], { t: Math.floor(milliseconds / 1000) })}
      />
      {own.length > 0 && <OwnMessages messages={own} />}
      {isEmpty(results) && own.length === 0 && !error && (
        <Card title="Results">
          {sinks.length === 0 ? (
            <BytesOnly stream={stream} />
          ) : (
            <NoResults state={state} processors={components.processors} isOver={ended && state !== 'READY'} />
          )}
        </Card>
      )}
    </>
  );
};

const Outdated = ({ stage, stream }: { readonly stage: string; readonly stream: Stream }) => {
  const templates = useTemplates();
  return (
    <Note>
      These results are older than the corrections.
      {isOwn(stream) && ` To renew them, choose “Run again” and begin with “${stageNameOf(templates.data, stream, stage)}”.`}
    </Note>
  );
};

const sourceOf = ({ streamId, configuration }: Stream, player: Omit<PlayerProps, 'streamId'>) =>
  configuration.dataSource.messageSchema === 'string' ? <SourceText streamId={streamId} /> : <Player streamId={streamId} {...player} />;

const SHOWN_MESSAGES = 20;

/** Results of users' own processors, as they are. */
const OwnMessages = ({ messages }: { readonly messages: readonly SinkMessage[] }) => (
  <Card title="Messages">
    <JsonText
      // What came as JSON is JSON.
      value={messages.slice(0, SHOWN_MESSAGES).map(({ processorId, payload }) => ({ processorId, payload: payload as Json }))}
      label="Messages"
    />
    {messages.length > SHOWN_MESSAGES && (
      <p class="quiet small">
        The first {SHOWN_MESSAGES} of {counted(messages.length, 'message')}. Export EVENTS for all of them.
      </p>
    )}
  </Card>
);

/** The questions of all processors, by the id of the prompt. */
const questionsOf = (processors: readonly StreamProcessor[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    processors.flatMap(({ properties: { askAnything } }) =>
      Object.entries((askAnything ?? {}) as Readonly<Record<string, { content?: string | null; promptId?: string | null }>>).flatMap(
        ([n, { content, promptId }]) => (content ? [[promptId ?? n, content] as const] : []),
      ),
    ),
  );

const NoResults = ({ state, processors, isOver }: Pick<StreamComponents, 'state' | 'processors'> & { readonly isOver: boolean }) =>
  isOver ? (
    <Empty title="No results.">{whyNoResults({ state, processors })}</Empty>
  ) : (
    <Empty title="No results yet.">Results appear here while the processors work.</Empty>
  );

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
