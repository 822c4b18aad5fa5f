import { useState } from 'preact/hooks';
import { getJson, send } from '../../api/request.ts';
import { nameOf, useTemplates } from '../../api/templates.ts';
import type { Stream, StreamComponents } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { duration } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';
import { Recording } from '../../results/Recording.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { href } from '../../shell/place.ts';
import { Chain } from './Chain.tsx';
import { Components } from './Components.tsx';
import { Exports } from './Exports.tsx';
import { StreamResults } from './StreamResults.tsx';
import { Timeline } from './Timeline.tsx';
import { Usage } from './Usage.tsx';

// Until it has ended, it is looked at often; then only for its expiry.
const BUSY_MILLISECONDS = 1_000;
const ENDED_MILLISECONDS = 15_000;

const STREAMS = '/stream-service/api/v1/streams';

interface Seen {
  readonly stream: Stream;
  readonly components: StreamComponents;
}

/** Everything about one stream. */
export const StreamPage = ({ streamId }: { readonly streamId: string }) => {
  const path = `${STREAMS}/${encodeURIComponent(streamId)}`;
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
        <a class="way-back" href={href(['streams'])}>
          <Icon name="back" /> Streams
        </a>
      }
      badge={seen.data && <StateBadge state={seen.data.stream.state} />}
      actions={seen.data && <Actions {...seen.data} onDone={seen.reload} />}
    >
      <Loaded resource={seen}>{(data) => <Shown {...data} />}</Loaded>
    </PageFrame>
  );
};

const Actions = ({ stream, onDone }: { readonly stream: Stream; readonly onDone: () => void }) => {
  const path = `${STREAMS}/${stream.streamId}`;
  const done = (text: string) => {
    announce(text);
    onDone();
  };
  return (
    <>
      {stream.state === 'READY' && (
        <ConfirmButton
          label="Cancel stream"
          danger
          onConfirm={async () => {
            await send('PUT', `${path}/cancel`);
            done('The stream was cancelled');
          }}
        >
          <p>Stops its processors. The stream becomes failed. You can still export the results of finished stages.</p>
        </ConfirmButton>
      )}
      {stream.state !== 'EXPIRED' && (
        <ConfirmButton
          label="Delete data"
          danger
          onConfirm={async () => {
            await send('DELETE', path);
            done('Data deleted');
          }}
        >
          <p>
            Deletes the uploaded bytes and all results at once. This cannot be undone.
            {stream.state === 'READY' ? ' The stream is cancelled first.' : ''} Its events stay.
          </p>
        </ConfirmButton>
      )}
    </>
  );
};

const Shown = ({ stream, components }: Seen) => {
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const isUploaded = components.gateway.state === 'CLOSED';
  const isKept = stream.state !== 'EXPIRED';
  // What changed since the events and the usage were read.
  const version = JSON.stringify(components);
  return (
    <div class="stack">
      {stream.state === 'FAILED' && <FailureNote stream={stream} />}
      {stream.state !== 'FAILED' && stream.stateDescription && <Note tone="info">{stream.stateDescription}</Note>}
      <Facts stream={stream} />
      <Card title="Processors">
        <Chain stream={stream} components={components} />
      </Card>
      <div class="columns">
        <div class="stack">
          {isUploaded && isKept && <Recording streamId={stream.streamId} onAudio={setAudio} />}
          <StreamResults stream={stream} audio={audio} />
        </div>
        <div class="stack">
          <Components components={components} />
          <Exports stream={stream} />
          <Usage streamId={stream.streamId} version={version} />
          <DynamicWebhooks stream={stream} />
        </div>
      </div>
      <Timeline streamId={stream.streamId} version={version} />
    </div>
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
