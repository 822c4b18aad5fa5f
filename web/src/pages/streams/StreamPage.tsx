import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import { nameOf, useTemplates } from '../../api/templates.ts';
import type { Stream, StreamComponents, StreamProcessor } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { hasFailed } from '../../parts/failure.ts';
import { duration } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { Recording } from '../../results/Recording.tsx';
import { messageSinks, resultsOf } from '../../results/results.ts';
import { type Messages, useMessages } from '../../results/useMessages.ts';
import { href } from '../../shell/place.ts';
import { hasRole } from '../../shell/session.ts';
import { StateAsOf } from '../audit/StateAsOf.tsx';
import { Chain } from './Chain.tsx';
import { Components } from './Components.tsx';
import { Events } from './Events.tsx';
import { Exports } from './Exports.tsx';
import { lastListHref } from './list/lastList.ts';
import { Retention } from './Retention.tsx';
import { Progress } from './runs/Progress.tsx';
import { RunTimeline } from './runs/RunTimeline.tsx';
import { useAttempts } from './runs/useAttempts.ts';
import { SourceText } from './SourceText.tsx';
import { StreamActions } from './StreamActions.tsx';
import { StreamResults } from './StreamResults.tsx';
import { pathOf } from './streams.ts';
import { Usage } from './Usage.tsx';

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
          <Icon name="back" /> Streams
        </a>
      }
      badge={seen.data && <StateBadge state={seen.data.stream.state} />}
      actions={seen.data && <StreamActions {...seen.data} onDone={seen.reload} />}
    >
      <Loaded resource={seen}>{(data) => <Shown {...data} asOf={query.get('asOf')} />}</Loaded>
    </PageFrame>
  );
};

const Shown = ({ stream, components, asOf }: Seen & { readonly asOf: string | null }) => {
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const { streamId, state, attempt, configuration } = stream;
  const { processors, dataSource } = configuration;
  const isUploaded = components.gateway.state === 'CLOSED';
  const isExpired = state === 'EXPIRED';
  const sinks = messageSinks(processors).map(({ id }) => id);
  const attempts = useAttempts(stream);
  const read = useMessages(!isExpired && sinks.length > 0 ? { streamId, sinks, attempt } : null);
  const results = resultsOf(processors, read.messages);
  // Changes since the events and the usage were read.
  const version = JSON.stringify(components);
  return (
    <div class="stack">
      {hasFailed(stream) && <FailureNote stream={stream} advice={components.advice} />}
      {!hasFailed(stream) && stream.stateDescription && <Note tone="info">{stream.stateDescription}</Note>}
      {state === 'READY' && <Progress components={components} results={results} stages={attempts.newest?.stages ?? []} />}
      <Facts stream={stream} />
      <Card title="Processors">
        <Chain stream={stream} components={components} />
      </Card>
      <div class="columns">
        <div class="stack">
          {isUploaded && !isExpired && <Recording streamId={streamId} onAudio={setAudio} />}
          {isUploaded && !isExpired && dataSource.messageSchema === 'string' && <SourceText streamId={streamId} />}
          <StreamResults stream={stream} components={components} read={read} results={results} audio={audio} />
        </div>
        <div class="stack">
          <Components components={components} />
          <Exports stream={stream} isUploaded={isUploaded} kept={keptOf(processors, read)} />
          <Usage streamId={streamId} version={version} />
          <DynamicWebhooks stream={stream} />
        </div>
      </div>
      <RunTimeline stream={stream} attempts={attempts} />
      <Events streamId={streamId} version={version} />
      {hasRole('auditor', 'admin') && <EarlierStates streamId={streamId} asOf={asOf} />}
    </div>
  );
};

/** The contents of the persistent sinks, once all of it has been read. */
const keptOf = (processors: readonly StreamProcessor[], { messages, ended }: Messages) => {
  if (!ended) return null;
  const kept = new Set(processors.filter(({ egress }) => egress.sink && egress.persist).map(({ id }) => id));
  const own = messages.filter(({ processorId, frameType }) => kept.has(processorId) && frameType === 'final');
  return { results: resultsOf(processors, own), count: own.length };
};

/** The audit view of this stream. Opened on request, because every reading is recorded in the log. */
const EarlierStates = ({ streamId, asOf }: { readonly streamId: string; readonly asOf: string | null }) => {
  const [isOpen, setOpen] = useState(asOf !== null);
  if (isOpen) return <StateAsOf name={`stream-${streamId}`} asOf={asOf} />;
  return (
    <Card title="Earlier states">
      <p class="quiet">See this stream as it was after any of its events. Each look is recorded in the audit log.</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => setOpen(true)}>
          Show earlier states
        </button>
        <a class="button" href={href(['audit', 'event-streams', `stream-${streamId}`])}>
          Open in the audit log
        </a>
      </div>
    </Card>
  );
};

const Facts = ({ stream }: { readonly stream: Stream }) => {
  const templates = useTemplates();
  const { streamId, groupId, configuration, createdTimestamp, finalizedTimestamp } = stream;
  return (
    <dl class="fact-row">
      <div>
        <dt>Stream</dt>
        <dd>
          <CopyText text={streamId} label="stream id" shown={shortId(streamId)} />
        </dd>
      </div>
      <div>
        <dt>Group</dt>
        <dd>
          <CopyText text={groupId} label="group id" shown={shortId(groupId)} />{' '}
          {groupId !== streamId && <a href={href(['streams'], { group: groupId })}>show the group</a>}
        </dd>
      </div>
      <div>
        <dt>Template</dt>
        <dd>{nameOf(templates.data, configuration.streamConfigurationTemplateId)}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={createdTimestamp} exact />
        </dd>
      </div>
      <div>
        <dt>Took</dt>
        <dd>{finalizedTimestamp ? duration(Date.parse(finalizedTimestamp) - Date.parse(createdTimestamp)) : 'running'}</dd>
      </div>
      <div>
        <dt>Data kept until</dt>
        <dd>
          <Retention stream={stream} />
        </dd>
      </div>
    </dl>
  );
};

/** Endpoints that only this stream notifies. */
const DynamicWebhooks = ({ stream: { configuration } }: { readonly stream: Stream }) =>
  configuration.dynamicWebhookEndpoints.length === 0 ? null : (
    <Card title="Webhooks of this stream">
      <ul class="components">
        {configuration.dynamicWebhookEndpoints.map(({ id, url, events }) => (
          <li key={id}>
            <span class="component-text">{url}</span>
            <span class="component-text quiet small">{events.join(', ')}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
