import { expect, test } from 'vitest';
import { factsOfScheduling, MOST_PENDING } from '../../../src/delivery/plan/fanOut.ts';
import { PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';

const TIME = '2026-01-01T00:00:00.000Z';

const eventAt = (position: number): RecordedEvent => ({
  id: `event-${position}`,
  eventStream: 'stream-a',
  revision: 0n,
  position: String(position).padStart(10, '0') as Position,
  type: 'StreamCompleted',
  data: {},
  metadata: {
    ...{ time: TIME, subject: 'a', actor: 'a', $correlationId: 'c', $causationId: 'c' },
    ...{ schemaVersion: 1, previousHash: null, hash: '' },
  },
});

/** Deliveries of an event to two endpoints. */
const plannedFor = (event: RecordedEvent) =>
  ['e1', 'e2'].map((endpointId) => ({
    delivery: {
      ...{ deliveryId: `${event.id} ${endpointId}`, endpointId, eventId: event.id },
      ...{ type: 'stream.completed', dynamicStreamId: null, url: null },
    },
    renderer: 2,
  }));

test('gives up deliveries above 50,000 pending ones of a user, and records that', () => {
  const state = new PendingDeliveries(null);
  let revision = 0n;
  const schedule = (position: number) => {
    const event = eventAt(position);
    const facts = factsOfScheduling(state, event, plannedFor(event), TIME);
    for (const fact of facts) state.evolve(fact, revision++, TIME);
    return facts.map(({ type }) => type);
  };
  for (let n = 0; n < MOST_PENDING / 2; n += 1) expect(schedule(n)).toEqual(['DeliveriesScheduled']);
  expect(schedule(MOST_PENDING)).toEqual(['DeliveriesScheduled', 'DeliveriesStopped', 'DeliveriesStopped']);
  expect(state.pending.size).toBe(MOST_PENDING);
  const deliveryIds = plannedFor(eventAt(0)).map(({ delivery }) => delivery.deliveryId);
  state.evolve({ type: 'DeliveriesStopped', data: { endpointId: 'e1', reason: 'endpoint deleted', deliveryIds } }, revision++, TIME);
  expect(schedule(MOST_PENDING + 1)).toEqual(['DeliveriesScheduled']);
});
