import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { loadWebhookEndpoints, requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { deliveryEventStream } from '../../../src/domain/delivery/events.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { type DeliveryRig, deliveryRig, receiver } from './deliveryRig.ts';

interface Written {
  readonly endpointId: string;
  readonly sourceEventStream: string;
  readonly renderer?: number;
  readonly sourceEventId?: string;
}

/** Appends the fact that schedules one delivery of an event, as a node of another version might. */
const schedule = (rig: DeliveryRig, { endpointId, sourceEventStream, renderer = 2, sourceEventId = randomUUID() }: Written) =>
  rig.append(deliveryEventStream(OWNER), [
    {
      type: 'DeliveriesScheduled',
      data: {
        ...{ sourceEventId, sourceEventStream, sourceRevision: '0', sourcePosition: '' },
        ...{ renderer, deadline: new Date(rig.clock.now() + 48 * 3_600_000).toISOString() },
        deliveries: [
          {
            ...{ deliveryId: randomUUID(), endpointId, eventId: randomUUID(), type: 'stream.ready', sequence: 1 },
            ...{ dynamicStreamId: null, url: null },
          },
        ],
      },
    },
  ]);

it('does not count an event that cannot be read as a failure of the endpoint', async () => {
  const clock = new ManualClock();
  const [rig, to] = [await deliveryRig({ clock }), await receiver()];
  const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
  to.answerStatus('/', 500);
  await schedule(rig, { endpointId, sourceEventStream: `stream-${randomUUID()}` });
  rig.node({ windowMilliseconds: 1_000 });
  const attempted = (count: number) =>
    eventually(async () => {
      await clock.advance(1_000);
      const all = await rig.attempts();
      return all.length >= count && all.at(-1)?.nextAt === null && all;
    });
  expect(await attempted(1)).toMatchObject([{ outcome: 'refused', reason: 'event not readable' }]);
  await clock.advance(25 * 3_600_000);
  await rig.stream();
  const failed = await attempted(2);
  // To a disabled endpoint nothing more is sent.
  await rig.stream();
  expect((await attempted(failed.length + 1)).at(-1)).toMatchObject({ outcome: 'exhausted' });
  expect((await loadWebhookEndpoints(rig.log, OWNER)).endpoints).toMatchObject([{ enabled: true }]);
});

it('leaves a delivery whose renderer it does not know to a newer node', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const endpointId = await rig.endpoint(to.url('/'), ['stream.failed']);
  const streamId = await rig.stream();
  const [created] = await rig.log.readStream(`stream-${streamId}`);
  await schedule(rig, { endpointId, sourceEventStream: `stream-${streamId}`, sourceEventId: created?.id ?? '', renderer: 99 });
  rig.node();
  // One attempt at a time goes to an origin that has not answered yet: the ping comes second.
  await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: randomUUID() } }, rig.by(OWNER));
  await eventually(() => to.received.length > 0);
  expect(to.received.map(({ event }) => event.type)).toEqual(['ping']);
  expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered' }]);
});
