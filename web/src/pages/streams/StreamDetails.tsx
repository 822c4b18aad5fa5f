import { useState } from 'preact/hooks';
import { nameOf, useTemplates } from '../../api/templates.ts';
import type { Stream, StreamComponents } from '../../api/types.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { Card } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import { hasRole } from '../../shell/session.ts';
import { StateAsOf } from '../audit/StateAsOf.tsx';
import { Chain } from './Chain.tsx';
import { Components } from './Components.tsx';
import { Events } from './Events.tsx';
import { RunTimeline } from './runs/RunTimeline.tsx';
import type { Attempts } from './runs/useAttempts.ts';
import { Usage } from './Usage.tsx';

interface StreamDetailsProps {
  readonly stream: Stream;
  readonly components: StreamComponents;
  readonly attempts: Attempts;
  /** Revision of the earlier state to show. */
  readonly asOf: string | null;
}

/** How a stream was made: its chain, runs, usage and events. */
export const StreamDetails = ({ stream, components, attempts, asOf }: StreamDetailsProps) => {
  const { streamId } = stream;
  // Changes since the events and the usage were read.
  const version = JSON.stringify(components);
  return (
    <>
      <Names stream={stream} />
      <Card title="Processors">
        <Chain stream={stream} components={components} />
      </Card>
      <div class="columns">
        <div class="stack">
          <RunTimeline stream={stream} attempts={attempts} />
          <Events streamId={streamId} version={version} />
        </div>
        <div class="stack">
          <Components components={components} />
          <Usage streamId={streamId} version={version} />
          <DynamicWebhooks stream={stream} />
        </div>
      </div>
      {hasRole('auditor', 'admin') && <EarlierStates streamId={streamId} asOf={asOf} />}
    </>
  );
};

/** What names the stream for programs. */
const Names = ({ stream }: { readonly stream: Stream }) => {
  const templates = useTemplates();
  const { streamId, groupId, configuration } = stream;
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
    </dl>
  );
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
