import { expect, test } from 'vitest';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import { type DeliveryDocument, deliveriesProjection } from '../../../src/projections/deliveries.ts';
import { at, documentsAfter, recorded } from './given.ts';

const AT = '2026-01-01T00:00:00.000Z';

const SCHEDULED: DeliveryEvent = {
  type: 'DeliveriesScheduled',
  data: {
    ...{ sourceEventId: 's', sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: '1', renderer: 2, deadline: AT },
    deliveries: [{ deliveryId: 'd', endpointId: 'e', eventId: 'e', type: 'stream.ready', sequence: 1, dynamicStreamId: null, url: null }],
  },
};

const attempted = (attempt: number): DeliveryEvent => ({
  type: 'AttemptsRecorded',
  data: {
    attempts: [
      {
        ...{ deliveryId: 'd', endpointId: 'e', sourceEventId: 's', attempt, at: AT, status: 200, milliseconds: 1 },
        ...{ outcome: 'delivered', reason: null, nextAt: null, response: null },
      },
    ],
  },
});

test('a delivery that is sent again and again keeps its newest 100 attempts', () => {
  const facts = [SCHEDULED, ...Array.from({ length: 300 }, (_, n) => attempted(n + 1))];
  let document: DeliveryDocument | null = null;
  for (const event of recorded(...facts.map((fact) => ['delivery-u', fact] as const)))
    document = deliveriesProjection.evolve(document, event, 'd');
  expect(document?.attempts.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, n) => n + 201));
});

test('a delivery leaves with the facts of its scheduling, and keeps the attempts of a later one', () => {
  const resent: DeliveryEvent = {
    type: 'DeliveriesRecovered',
    data: {
      ...{ requestEventId: 'r', requestPosition: '2', renderer: 2, deadline: AT, once: true, scheduled: 1, last: true, refused: null },
      deliveries: [
        {
          ...{ deliveryId: 'd', endpointId: 'e', eventId: 'e', type: 'stream.ready', sequence: 1, dynamicStreamId: null, url: null },
          ...{ sourceEventId: 's', sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: '1', attempts: 1 },
        },
      ],
    },
  };
  const story = recorded(...[SCHEDULED, attempted(1), resent, attempted(2)].map((fact) => ['delivery-u', fact] as const));
  const forgotten = (before: string) =>
    recorded(...story.map(() => ['x', SCHEDULED] as const), [
      'delivery-u',
      { type: 'DeliveriesForgotten', data: { before, deliveryIds: ['d'] } },
    ]).slice(-1);
  const whole = documentsAfter(deliveriesProjection, story).get('d')?.body;
  // As a rebuild sees it after the first two facts have expired.
  const rebuilt = documentsAfter(deliveriesProjection, story.slice(2)).get('d')?.body;
  const left = (before: string) => documentsAfter(deliveriesProjection, [...story, ...forgotten(before)]).get('d')?.body;
  expect([whole?.oldest, rebuilt?.oldest]).toEqual([at(0), at(2)]);
  expect(left(at(0))).toEqual(whole);
  expect(left(at(1))).toEqual(rebuilt);
  expect(left(at(3))).toBeUndefined();
});
