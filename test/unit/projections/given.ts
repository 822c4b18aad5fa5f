import type { DeliveryEvent, RecordedAttempt } from '../../../src/domain/delivery/events.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import type { AnyProjection } from '../../../src/projections/engine/fold.ts';
import { foldEvents, touchedIds } from '../../../src/projections/engine/fold.ts';
import type { StoredDocument } from '../../../src/stores/documents.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { DomainEvent, RecordedEvent } from '../../../src/stores/log/eventLog.ts';

/** The n-th minute of the story. */
export const at = (n: number): string => new Date(Date.UTC(2026, 0, 1, 10, n)).toISOString();

/** An attempt in minute `n`. */
export const attempted = (n: number, outcome: RecordedAttempt['outcome'], changes: Partial<RecordedAttempt> = {}): DeliveryEvent => ({
  type: 'AttemptsRecorded',
  data: {
    attempts: [
      {
        ...{
          deliveryId: 'd',
          endpointId: 'e',
          sourceEventId: 's',
          attempt: n,
          at: at(n),
          milliseconds: 0,
          outcome,
          nextAt: null,
          response: null,
        },
        ...(outcome === 'delivered' ? { status: 200, reason: null } : { status: 500, reason: 'status 500' }),
        ...changes,
      },
    ],
  },
});

export const endpointCreated = (endpointId: string, url: string): WebhookEndpointsEvent => ({
  type: 'EndpointCreated',
  data: {
    endpointId,
    url,
    events: ['*'],
    enabled: true,
    description: null,
    payload: 'full',
    headers: {},
    filter: null,
    retryWindow: null,
  },
});

/** The events as a log holds them: one a minute, each in the event stream named with it. */
export const recorded = (...story: readonly (readonly [eventStream: string, event: DomainEvent])[]): RecordedEvent[] => {
  const revisions = new Map<string, bigint>();
  return story.map(([eventStream, { type, data }], n) => {
    const revision = (revisions.get(eventStream) ?? -1n) + 1n;
    revisions.set(eventStream, revision);
    return {
      id: `event-${n}`,
      eventStream,
      revision,
      position: String(n).padStart(20, '0') as Position,
      type,
      data,
      metadata: {
        time: at(n),
        subject: 'someone',
        actor: 'test',
        $correlationId: 'c',
        $causationId: 'c',
        schemaVersion: 1,
        previousHash: null,
        hash: '',
      },
    };
  });
};

/** The documents after the events, folded in batches of `size`, as the engine does. */
export const documentsAfter = (
  projection: AnyProjection,
  events: readonly RecordedEvent[],
  size = 500,
  before: readonly StoredDocument[] = [],
) => {
  const documents = new Map(before.map((document) => [document.id, document]));
  const mine = events.filter(({ type }) => projection.handles.includes(type));
  for (let n = 0; n < mine.length; n += size) {
    const batch = mine.slice(n, n + size);
    const stored = touchedIds(projection, batch).flatMap((id) => documents.get(id) ?? []);
    const { writes, poison } = foldEvents(projection, batch, stored, new Set());
    if (poison) throw poison.error;
    for (const { id, position, body } of writes) {
      if (body) documents.set(id, { id, position, body });
      else documents.delete(id);
    }
  }
  return documents;
};

/** How many documents a replay of all events over what they made would write. */
export const writesOfReplay = (projection: AnyProjection, events: readonly RecordedEvent[]): number => {
  const documents = [...documentsAfter(projection, events).values()];
  const mine = events.filter(({ type }) => projection.handles.includes(type));
  return foldEvents(projection, mine, documents, new Set()).writes.length;
};
