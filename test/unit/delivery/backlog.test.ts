import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { factsOfScheduling, MOST_PENDING } from '../../../src/delivery/plan/fanOut.ts';
import { type DeliveryEvent, deliveryEventStream } from '../../../src/domain/delivery/events.ts';
import { PendingDeliveries } from '../../../src/domain/delivery/state.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { deliveryRig, receiver, toggle } from './deliveryRig.ts';

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

/** A fact that schedules this many deliveries to one endpoint. */
const scheduledTo = (endpointId: string, count: number): DeliveryEvent => ({
  type: 'DeliveriesScheduled',
  data: {
    ...{ sourceEventId: randomUUID(), sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: '0' },
    ...{ renderer: 2, deadline: '2100-01-01T00:00:00.000Z' },
    deliveries: Array.from({ length: count }, (_, n) => ({
      ...{ deliveryId: randomUUID(), endpointId, eventId: randomUUID(), type: 'stream.completed' },
      ...{ sequence: n + 1, dynamicStreamId: null, url: null },
    })),
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
    retryWindow: null,
  }));

test('gives up deliveries above 50,000 pending ones of a user, and records that', () => {
  const state = new PendingDeliveries(null);
  let revision = 0n;
  const schedule = (position: number) => {
    const event = eventAt(position);
    const facts = factsOfScheduling(state, event, plannedFor(event), () => TIME);
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

test('stops more deliveries of an endpoint than one append can name, so that other users still get their webhooks', async () => {
  const rig = await deliveryRig();
  const sink = await receiver();
  const url = sink.url('/');
  const endpointId = await rig.endpoint(url, ['stream.ready']);
  for (let n = 0; n < 75; n += 1) await rig.append(deliveryEventStream(OWNER), [scheduledTo(endpointId, 400)]);
  await toggle(rig, endpointId, false);
  await rig.endpoint(url, ['stream.ready'], 'other');
  rig.node();
  await rig.stream([], 'other');
  await eventually(() => sink.received.length === 1, 10_000);
  // The first one was read together with the end of the endpoint. The next one is read after everything before it is durable.
  await rig.stream([], 'other');
  await eventually(() => sink.received.length === 2, 10_000);
  const stopped = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesStopped' ? fact.data.deliveryIds : []));
  expect(new Set(stopped).size).toBe(30_000);
});
