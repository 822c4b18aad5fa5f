import {
  ATTEMPT_OUTCOMES,
  type DeliveryEvent,
  type DeliverySource,
  isDeliveryEvent,
  type RecordedAttempt,
  type ScheduledDelivery,
} from '../domain/delivery/events.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Projection } from './projection.ts';

/** `docs/webhooks.md` explains each. */
export const DELIVERY_STATES = ['pending', ...ATTEMPT_OUTCOMES] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The first digit of an answer's status code, or `none`: no answer. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/**
 * One webhook delivery, for people to look at, and for resends and recoveries (`userIndex.ts`). To send, the deliverer folds the same facts into its own
 * state (`domain/delivery/state.ts`).
 */
export interface DeliveryDocument {
  deliveryId: string;
  subject: string;
  endpointId: string;
  /** Both of a dynamic webhook only; the URL is `null` too once its owner has been erased. */
  streamId: string | null;
  url: string | null;
  eventId: string;
  type: string;
  /** The event's place in the log and its renderer version, from which its payload is rendered again. */
  source: string;
  sourceEventId: string;
  sourceRevision: string;
  renderer: number;
  sequence: number | null;
  state: DeliveryState;
  /** ISO 8601; `null` when it is over. */
  nextAttempt: string | null;
  deadline: string;
  /** Position of the fact that scheduled it last, then its sequence: one fact may schedule several. Lists are sorted by it. */
  scheduled: string;
  /** Time of the fact that scheduled it last. */
  scheduledAt: string;
  /** Time of the oldest fact in it that scheduled it. */
  oldest: string;
  /** The newest ones. */
  attempts: ShownAttempt[];
  /** Of the last attempt; `null` before the first. */
  statusClass: StatusClass | null;
}

/** `scheduledAt`: time of the fact that scheduled it. Both leave the log together. */
type ShownAttempt = Pick<RecordedAttempt, 'attempt' | 'at' | 'status' | 'milliseconds' | 'outcome' | 'reason' | 'response'> & {
  scheduledAt: string;
};

/** A person may have a delivery sent again any number of times, and each attempt writes the whole document. */
const MOST_ATTEMPTS = 100;

/** The most digits of an exact integer: padded to this length, sequences sort as text in numeric order. */
const SEQUENCE_DIGITS = 16;

const scheduledDocument = (
  before: DeliveryDocument | null,
  delivery: ScheduledDelivery & DeliverySource,
  { event: { position, metadata }, deadline, renderer }: { event: RecordedEvent; deadline: string; renderer: number },
): DeliveryDocument => ({
  deliveryId: delivery.deliveryId,
  subject: metadata.subject,
  endpointId: delivery.endpointId,
  streamId: delivery.dynamicStreamId,
  url: delivery.url,
  eventId: delivery.eventId,
  type: delivery.type,
  source: delivery.sourceEventStream,
  sourceEventId: delivery.sourceEventId,
  sourceRevision: delivery.sourceRevision,
  renderer,
  sequence: delivery.sequence,
  state: 'pending',
  nextAttempt: metadata.time,
  deadline,
  scheduled: `${position}/${String(delivery.sequence ?? 0).padStart(SEQUENCE_DIGITS, '0')}`,
  scheduledAt: metadata.time,
  oldest: before?.attempts[0]?.scheduledAt ?? metadata.time,
  attempts: before?.attempts ?? [],
  statusClass: before?.statusClass ?? null,
});

/** One delivery of a fact. A recovery names the source of each; other facts have one source for all. */
const findScheduled = (
  event: Extract<DeliveryEvent, { type: 'DeliveriesScheduled' | 'DeliveriesRecovered' }>,
  id: string,
): (ScheduledDelivery & DeliverySource) | undefined => {
  if (event.type === 'DeliveriesRecovered') return event.data.deliveries.find(({ deliveryId }) => deliveryId === id);
  const delivery = event.data.deliveries.find(({ deliveryId }) => deliveryId === id);
  return delivery && { ...event.data, ...delivery };
};

const statusClassOf = (attempt: ShownAttempt | undefined): StatusClass | null => {
  if (attempt === undefined) return null;
  const { status } = attempt;
  return status === null ? 'none' : (STATUS_CLASSES.find((name) => name[0] === String(status)[0]) ?? 'none');
};

const withAttempts = (document: DeliveryDocument, attempts: ShownAttempt[]): DeliveryDocument => ({
  ...document,
  attempts,
  oldest: attempts[0]?.scheduledAt ?? document.scheduledAt,
  statusClass: statusClassOf(attempts.at(-1)),
});

const addAttempt = (document: DeliveryDocument, { nextAt, outcome, ...attempt }: RecordedAttempt): DeliveryDocument => {
  const { attempt: number, at, status, milliseconds, reason, response } = attempt;
  const { scheduledAt } = document;
  const attempted = withAttempts(document, [
    ...document.attempts.slice(1 - MOST_ATTEMPTS),
    { attempt: number, at, status, milliseconds, outcome, reason, response, scheduledAt },
  ]);
  // A delivery may be stopped during an attempt. The attempt is shown; if it would have been retried, the delivery stays `failed`.
  if (nextAt !== null && document.state !== 'pending') return attempted;
  return { ...attempted, state: nextAt === null ? outcome : 'pending', nextAttempt: nextAt };
};

/** What remains of a delivery without the facts from before a time. */
const forget = (document: DeliveryDocument, before: string): DeliveryDocument | null => {
  if (document.scheduledAt < before) return null;
  return withAttempts(
    document,
    document.attempts.filter(({ scheduledAt }) => scheduledAt >= before),
  );
};

const idsOf = (event: DeliveryEvent): string[] => {
  switch (event.type) {
    case 'DeliveriesScheduled':
      return event.data.deliveries.map(({ deliveryId }) => deliveryId);
    case 'DeliveriesRecovered': {
      const { deliveries, sendNow } = event.data;
      return [...deliveries.map(({ deliveryId }) => deliveryId), ...(sendNow === undefined ? [] : [sendNow])];
    }
    case 'AttemptsRecorded':
      return [...new Set(event.data.attempts.map(({ deliveryId }) => deliveryId))];
    case 'DeliveriesStopped':
    case 'DeliveriesForgotten':
      return event.data.deliveryIds;
    default:
      return [];
  }
};

export const deliveriesProjection: Projection<DeliveryDocument> = {
  name: 'deliveries',
  version: 6,
  indexes: [
    ['subject', 'scheduled'],
    ['endpointId', 'scheduled'],
    ['endpointId', 'state', 'scheduled'],
    ['endpointId', 'state', 'nextAttempt'],
    ['endpointId', 'type', 'scheduled'],
    ['endpointId', 'statusClass', 'scheduled'],
    ['endpointId', 'scheduledAt'],
    ['endpointId', 'source', 'scheduled'],
    ['endpointId', 'eventId', 'scheduled'],
    ['streamId', 'scheduled'],
    ['streamId', 'state', 'scheduled'],
    ['oldest'],
  ],
  personal: {
    owner: 'subject',
    orderedBy: 'scheduled',
    redact: (document) => (document.url === null ? document : { ...document, url: null }),
  },
  handles: [
    'DeliveriesScheduled',
    'DeliveriesRecovered',
    'DeliveriesStopped',
    'AttemptsRecorded',
    'DeliveriesForgotten',
  ] satisfies DeliveryEvent['type'][],
  idsOf: (event) => (isDeliveryEvent(event) ? idsOf(event) : []),
  evolve: (document, event, id) => {
    if (!isDeliveryEvent(event)) return document;
    if (event.type === 'DeliveriesScheduled' || event.type === 'DeliveriesRecovered') {
      const { deadline, renderer } = event.data;
      const delivery = findScheduled(event, id);
      if (delivery) return scheduledDocument(document, delivery, { event, deadline, renderer });
    }
    // Its scheduling has expired, or was skipped on purpose.
    if (!document) return null;
    if (event.type === 'DeliveriesRecovered')
      return document.state === 'pending' ? { ...document, nextAttempt: event.metadata.time } : document;
    if (event.type === 'DeliveriesForgotten') return forget(document, event.data.before);
    if (event.type === 'DeliveriesStopped')
      return document.state === 'pending' ? { ...document, state: 'failed', nextAttempt: null } : document;
    if (event.type !== 'AttemptsRecorded') return document;
    return event.data.attempts.filter(({ deliveryId }) => deliveryId === id).reduce(addAttempt, document);
  },
};
