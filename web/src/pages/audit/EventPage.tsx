import { CopyText } from '../../parts/CopyText.tsx';
import { JsonText } from '../../parts/JsonText.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { href } from '../../shell/place.ts';
import { ActorName, ownerHref } from './ActorName.tsx';
import { eventStreamHref, type SingleLogEvent, told, useEvent } from './audit.ts';
import { CorrectionsCard } from './CorrectionsCard.tsx';

/** One event, all of it. */
export const EventPage = ({ id }: { readonly id: string }) => {
  const event = useEvent(id);
  return (
    <PageFrame title={event.data?.type ?? 'Event'} above={<a href={href(['audit'])}>Audit</a>}>
      <Loaded resource={event}>{(data) => <Whole event={data} />}</Loaded>
    </PageFrame>
  );
};

const Whole = ({ event }: { readonly event: SingleLogEvent }) => {
  const { id, eventStream, revision, position, data, metadata, actors, corrections } = event;
  const { correlationId, causationId } = { correlationId: told(event, '$correlationId'), causationId: told(event, '$causationId') };
  return (
    <div class="stack">
      <Card title="Place">
        <dl class="facts">
          <dt>Id</dt>
          <dd>
            <CopyText text={id} label="event id" />
          </dd>
          <dt>Event stream</dt>
          <dd>
            <a href={eventStreamHref(eventStream)}>{eventStream}</a>, revision {revision}
          </dd>
          <dt>Position</dt>
          <dd>
            <CopyText text={position} label="position" />
          </dd>
          <dt>Time</dt>
          <dd>
            <Time at={told(event, 'time')} exact />
          </dd>
          <dt>By</dt>
          <dd>
            <ActorName event={event} actors={actors} />
          </dd>
          <dt>Owner</dt>
          <dd>
            <a href={ownerHref(told(event, 'subject'))}>{told(event, 'subject')}</a>
          </dd>
          <dt>Request</dt>
          <dd>
            <a href={href(['audit'], { correlationId })}>{correlationId}</a>
            {causationId !== correlationId && <span class="quiet"> caused by {causationId}</span>}
          </dd>
        </dl>
      </Card>
      {corrections && <CorrectionsCard corrections={corrections} />}
      <Card title="Data">
        <JsonText value={data} label="Data of the event" />
      </Card>
      <Card title="Metadata">
        <JsonText value={metadata} label="Metadata of the event" />
      </Card>
    </div>
  );
};
