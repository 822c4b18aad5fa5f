import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import type { JsonObject } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { bytes, duration, moment } from '../../parts/format.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';

interface StreamEvent {
  readonly id: string;
  readonly type: string;
  readonly revision: string;
  readonly time: string;
  readonly actor: string;
  readonly data: JsonObject;
}

/** The events of a stream in order. The event under the pointer or the focus is shown in full. `version` changes when there may be more. */
export const Events = ({ streamId, version }: { readonly streamId: string; readonly version: string }) => {
  const path = `/stream-service/api/v1/streams/${streamId}/events`;
  const events = useResource({
    key: `${path} ${version}`,
    load: async (signal) => (await getJson<{ content: readonly StreamEvent[] }>(path, { signal })).content,
  });
  return (
    <Card title="Events">
      <Loaded resource={events}>{(content) => <EventList events={content} />}</Loaded>
    </Card>
  );
};

const EventList = ({ events }: { readonly events: readonly StreamEvent[] }) => {
  const [chosen, choose] = useState<string | null>(null);
  const shown = events.find(({ id }) => id === chosen) ?? events.at(-1);
  const began = Date.parse(events[0]?.time ?? '');
  return (
    <div class="timeline">
      <ol>
        {events.map((event) => (
          <li key={event.id} class={toneOf(event.type)}>
            <button
              type="button"
              class="row-button"
              aria-pressed={event.id === shown?.id}
              onClick={() => choose(event.id)}
              onFocus={() => choose(event.id)}
              onMouseEnter={() => choose(event.id)}
            >
              <span class="timeline-when">+{duration(Date.parse(event.time) - began)}</span>
              <span class="timeline-what">{inWords(event)}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown && <EventDetail event={shown} />}
    </div>
  );
};

const EventDetail = ({ event: { type, revision, time, actor, data } }: { readonly event: StreamEvent }) => (
  <div class="event-detail">
    <h3>{type}</h3>
    <p class="small quiet">
      Revision {revision}, {moment(time)}, by <code>{actor}</code>
    </p>
    <pre tabIndex={0} role="region" aria-label={`Data of ${type}`}>
      {JSON.stringify(data, null, 2)}
    </pre>
  </div>
);

const toneOf = (type: string): string =>
  /Failed$|Canceled$/.test(type) ? 'bad' : type === 'StreamCompleted' ? 'good' : type === 'StreamExpired' ? 'quiet' : 'busy';

const inWords = ({ type, data }: StreamEvent): string => {
  const processor = String(data.processorId ?? '');
  switch (type) {
    case 'StreamCreated':
      return 'Stream created';
    case 'UploadCompleted':
      return `Upload complete, ${bytes(Number(data.bytes))}`;
    case 'UploadFailed':
      return 'Upload failed';
    case 'ProcessorStarted':
      return `${processor} started${Number(data.attempt) > 1 ? `, attempt ${data.attempt}` : ''}`;
    case 'ProcessorCompleted':
      return `${processor} completed`;
    case 'ProcessorFailed':
      return `${processor} failed`;
    case 'StreamCanceled':
      return 'Canceled';
    case 'StreamCompleted':
      return 'Stream completed';
    case 'StreamFailed':
      return 'Stream failed';
    case 'StreamExpired':
      return 'Data expired';
    case 'RerunStarted':
      return `Attempt ${data.attempt} started${data.from === null ? '' : ` from ${data.from}`}`;
    case 'OwnGroupShared':
      return 'Another stream joined its group';
    case 'StreamLabeled':
      return 'Labels changed';
    case 'StreamRenamed':
      return 'Renamed';
    case 'RetentionSet':
      return 'Retention changed';
    case 'RetentionExtended':
      return 'Retention extended';
    default:
      return type;
  }
};
