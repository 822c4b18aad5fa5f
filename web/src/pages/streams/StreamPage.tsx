import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { Stream, StreamComponents, StreamProcessor } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { shortId } from '../../parts/CopyText.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { hasFailed } from '../../parts/failure.ts';
import { duration } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { useEditing } from '../../results/editing/useEditing.ts';
import { messageSinks, resultsOf } from '../../results/results.ts';
import { type Messages, useMessages } from '../../results/useMessages.ts';
import { href } from '../../shell/place.ts';
import { hasRole } from '../../shell/session.ts';
import { EarlierTranscript } from './EarlierTranscript.tsx';
import { Exports } from './Exports.tsx';
import { lastListHref } from './list/lastList.ts';
import { Retention } from './Retention.tsx';
import { Progress } from './runs/Progress.tsx';
import { useAttempts } from './runs/useAttempts.ts';
import { useOutdatedStage } from './runs/useOutdatedStage.ts';
import { ShareDialog } from './ShareDialog.tsx';
import { StreamActions } from './StreamActions.tsx';
import { StreamDetails } from './StreamDetails.tsx';
import { StreamResults } from './StreamResults.tsx';
import { isOwn, pathOf } from './streams.ts';

// Read often until it has ended, then only to notice its expiry.
const BUSY_MILLISECONDS = 1_000;
const ENDED_MILLISECONDS = 15_000;

interface Seen {
  readonly stream: Stream;
  readonly components: StreamComponents;
}

/** Everything about one stream. */
export const StreamPage = ({ streamId, query }: { readonly streamId: string; readonly query: URLSearchParams }) => {
  const path = pathOf(streamId);
  const seen = useResource<Seen>({
    key: path,
    load: async (signal) => {
      const [stream, components] = await Promise.all([
        getJson<Stream>(path, { signal }),
        getJson<StreamComponents>(`${path}/components`, { signal }),
      ]);
      return { stream, components };
    },
    every: (data) => {
      if (!data || data.stream.state === 'EXPIRED') return null;
      return data.stream.state === 'READY' ? BUSY_MILLISECONDS : ENDED_MILLISECONDS;
    },
  });
  const name = seen.data?.stream.name ?? `Stream ${shortId(streamId)}`;
  return (
    <PageFrame
      title={name}
      above={
        <a class="way-back" href={lastListHref()}>
          <Icon name="back" /> Library
        </a>
      }
      badge={seen.data && <StateBadge state={seen.data.stream.state} />}
      actions={seen.data && <StreamActions {...seen.data} onDone={seen.reload} />}
    >
      <Loaded resource={seen}>{(data) => <Shown {...data} query={query} />}</Loaded>
    </PageFrame>
  );
};

type View = 'results' | 'details';

const Shown = ({ stream, components, query }: Seen & { readonly query: URLSearchParams }) => {
  const { streamId, state, attempt, configuration } = stream;
  const { processors } = configuration;
  const view: View = query.get('view') === 'details' || query.has('asOf') ? 'details' : 'results';
  const sinks = messageSinks(processors).map(({ id }) => id);
  const [isSharing, setSharing] = useState(false);
  const attempts = useAttempts(stream);
  const read = useMessages(state !== 'EXPIRED' && sinks.length > 0 ? { streamId, sinks, attempt } : null);
  const results = resultsOf(processors, read.messages);
  const canEdit = state !== 'READY' && read.ended && results.utterances.length > 0 && (isOwn(stream) || hasRole('admin'));
  const editing = useEditing(streamId, attempt, canEdit);
  const outdated = useOutdatedStage(stream, attempts.newest, editing);
  const seconds = Number(query.get('t') ?? 'none');
  const openedAt = Number.isFinite(seconds) ? seconds * 1000 : null;
  const earlier = view === 'results' && state !== 'EXPIRED' ? earlierIn(query, attempt) : null;
  return (
    <div class="stack">
      {hasFailed(stream) && <FailureNote stream={stream} advice={components.advice} />}
      {!hasFailed(stream) && stream.stateDescription && <Note tone="info">{stream.stateDescription}</Note>}
      {state === 'READY' && <Progress {...{ stream, components, results }} stages={attempts.newest?.stages ?? []} />}
      <Facts stream={stream} started={attempts.newest?.startedTimestamp ?? null} />
      <div class="tabs">
        <nav aria-label="Parts of this page">
          <Tab streamId={streamId} view="results" shown={view} label={isSpeech(stream) ? 'Transcript' : 'Results'} />
          <Tab streamId={streamId} view="details" shown={view} label="Details" />
        </nav>
        <div class="actions">
          {editing && canEdit && view === 'results' && earlier === null && (
            <button type="button" class="button" aria-pressed={editing.isOn} onClick={() => void editing.turn(!editing.isOn)}>
              Edit
            </button>
          )}
          {state !== 'EXPIRED' && state !== 'READY' && earlier === null && (isOwn(stream) || hasRole('admin')) && (
            <button type="button" class="button" onClick={() => setSharing(true)}>
              Share
            </button>
          )}
          <Exports stream={stream} earlier={earlier} isUploaded={components.gateway.state === 'CLOSED'} kept={keptOf(processors, read)} />
        </div>
      </div>
      {isSharing && <ShareDialog stream={stream} onClose={() => setSharing(false)} />}
      {view === 'details' ? (
        <StreamDetails stream={stream} components={components} attempts={attempts} asOf={query.get('asOf')} />
      ) : earlier === null ? (
        <StreamResults {...{ stream, components, read, results, editing, outdated, openedAt }} find={query.get('find') ?? ''} />
      ) : (
        <EarlierTranscript {...{ stream, openedAt }} attempt={earlier} />
      )}
    </div>
  );
};

/** The earlier attempt whose transcript is shown; `null`: the newest. */
const earlierIn = (query: URLSearchParams, newest: number): number | null => {
  const attempt = Number(query.get('attempt') ?? newest);
  return Number.isInteger(attempt) && attempt >= 1 && attempt < newest ? attempt : null;
};

interface TabProps {
  readonly streamId: string;
  readonly view: View;
  readonly shown: View;
  readonly label: string;
}

const Tab = ({ streamId, view, shown, label }: TabProps) => (
  <a href={href(['streams', streamId], { view: view === 'results' ? null : view })} aria-current={view === shown ? 'page' : undefined}>
    {label}
  </a>
);

const isSpeech = ({ configuration }: Stream): boolean =>
  configuration.dataSource.messageSchema === 'bytes' && messageSinks(configuration.processors).length > 0;

/** The contents of the persistent sinks, once all of it has been read. */
const keptOf = (processors: readonly StreamProcessor[], { messages, ended }: Messages) => {
  if (!ended) return null;
  const kept = new Set(processors.filter(({ egress }) => egress.sink && egress.persist).map(({ id }) => id));
  const own = messages.filter(({ processorId, frameType }) => kept.has(processorId) && frameType === 'final');
  return { results: resultsOf(processors, own), count: own.length };
};

interface FactsProps {
  readonly stream: Stream;
  /** When the newest attempt began, once it is read. */
  readonly started: string | null;
}

const Facts = ({ stream, started }: FactsProps) => {
  const { createdTimestamp, labels } = stream;
  return (
    <dl class="fact-row">
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={createdTimestamp} exact />
        </dd>
      </div>
      <div>
        <dt>Took</dt>
        <dd>{tookInWords(stream, started)}</dd>
      </div>
      <div>
        <dt>Data kept until</dt>
        <dd>
          <Retention stream={stream} />
        </dd>
      </div>
      {labels.length > 0 && (
        <div>
          <dt>Labels</dt>
          <dd class="label-chips">
            {labels.map((label) => (
              <a key={label} class="chip" href={href(['streams'], { label })}>
                {label}
              </a>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
};

/** How long the newest attempt took. */
const tookInWords = ({ attempt, createdTimestamp, finalizedTimestamp }: Stream, started: string | null): string => {
  if (finalizedTimestamp === null) return 'running';
  const from = attempt === 1 ? createdTimestamp : started;
  return from === null ? '' : duration(Date.parse(finalizedTimestamp) - Date.parse(from));
};
