import { expect, test } from 'vitest';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { TranscriptEvent } from '../../../src/domain/transcript/events.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import { allProjections } from '../../../src/projections/all.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { erased, personalOf } from '../../fakes/erased.ts';
import { STREAM_HISTORIES } from '../../fakes/streamHistories.ts';
import { OWNER, STREAM } from '../../fakes/streamStory.ts';
import { at, documentsAfter, recorded } from './given.ts';
import { STORY } from './story.ts';

/** Each history as a kept stream of its own. */
const ofStreams = Object.values(STREAM_HISTORIES).flatMap((events, n) =>
  events.map((event): readonly [string, StreamEvent] => {
    const streamId = `history-${n}`;
    const one: StreamEvent = event.type === 'StreamCreated' ? { ...event, data: { ...event.data, streamId, persist: true } } : event;
    return [`stream-${streamId}`, one];
  }),
);

const ofTranscript: TranscriptEvent[] = [
  { type: 'TranscriptEdited', data: { attempt: 1, revision: 1, edits: [{ op: 'text', utterance: 'u0', text: 'Good day, Ms Brown.' }] } },
];

const ofGroup: GroupEvent[] = [
  {
    type: 'GroupContinued',
    data: {
      ...{ groupId: 'h', creatorId: OWNER, createdTimestamp: at(0), streamId: STREAM, attempt: 1, outcome: null, finalizedTimestamp: null },
      webhooks: [{ url: 'https://brown.test/', events: ['*'] }],
    },
  },
];

const ofEndpoints: WebhookEndpointsEvent[] = [
  {
    type: 'EndpointUpdated',
    data: {
      ...{ endpointId: 'endpoint', url: 'https://brown.test/', events: ['*'], enabled: true, payload: 'full', headers: {} },
      ...{ description: 'of Ms Brown', filter: { 'payload.stream.name': 'Ms Brown' }, retryWindow: null },
    },
  },
  {
    type: 'EndpointHealthChanged',
    data: {
      ...{ endpointId: 'endpoint', url: 'https://brown.test/', state: 'failing', reason: 'status 500' },
      ...{ since: at(0), lastSuccess: null, failures: 5 },
    },
  },
];

const ofDelivery: DeliveryEvent[] = [
  {
    type: 'DeliveriesRecovered',
    data: {
      ...{
        requestEventId: 'r',
        requestPosition: '0',
        renderer: 2,
        deadline: at(100),
        once: false,
        scheduled: 1,
        last: true,
        refused: null,
      },
      deliveries: [
        {
          ...{ deliveryId: 'f', endpointId: 'hook', eventId: 'e', type: 'stream.ready', sequence: 2, attempts: 0 },
          ...{ dynamicStreamId: STREAM, url: 'https://brown.test/' },
          ...{ sourceEventId: 'e', sourceEventStream: `stream-${STREAM}`, sourceRevision: '0', sourcePosition: '0' },
        },
      ],
    },
  },
];

/** `STORY`, and every other event with personal members that a read model handles. */
const EVENTS = recorded(
  ...STORY,
  ...ofStreams,
  ...ofTranscript.map((event) => [`transcript-${STREAM}`, event] as const),
  ...ofGroup.map((event) => ['group-h', event] as const),
  ...ofEndpoints.map((event) => [`webhookEndpoints-${OWNER}`, event] as const),
  ...ofDelivery.map((event) => [`delivery-${OWNER}`, event] as const),
);

test.each(allProjections)('erasing their owner leaves of the documents of $name what the erased events give', (projection) => {
  const { personal, handles } = projection;
  const missing = handles.filter((type) => personalOf(type) && !EVENTS.some((event) => event.type === type));
  expect(missing, 'Add these events, which have personal members, to EVENTS in this file').toEqual([]);
  const bodiesAfter = (events: readonly RecordedEvent[]): object[] =>
    [...documentsAfter(projection, events).values()].map(({ body }) => body);
  const redact = (document: object): object => personal?.redact(document) ?? document;
  const remains = bodiesAfter(EVENTS.map(erased));
  expect(bodiesAfter(EVENTS).map(redact), 'Empty the personal members, and only those, in `personal.redact` of the projection').toEqual(
    remains,
  );
  for (const document of remains) expect(redact(document), '`redact` returns the given document if nothing changes').toBe(document);
});
