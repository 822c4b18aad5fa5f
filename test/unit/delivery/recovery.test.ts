import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { FactWriter } from '../../../src/delivery/facts/factWriter.ts';
import { EndpointSets } from '../../../src/delivery/plan/endpointSets.ts';
import { EventContexts } from '../../../src/delivery/plan/eventContexts.ts';
import { MOST_PENDING } from '../../../src/delivery/plan/fanOut.ts';
import { answerRequest, isManualRequest } from '../../../src/delivery/requests/answerRequest.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import { isWebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import { silentLogger } from '../../../src/logger.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { deliveryRig } from './deliveryRig.ts';

const TOGETHER = 500;

/** A fact that schedules deliveries to some other endpoint. */
const scheduled = (count: number, n: number): DeliveryEvent => ({
  type: 'DeliveriesScheduled',
  data: {
    ...{ sourceEventId: randomUUID(), sourceEventStream: 'stream-a', sourceRevision: '0', sourcePosition: '' },
    ...{ renderer: 2, deadline: '2026-01-02T00:00:00.000Z' },
    deliveries: Array.from({ length: count }, (_, i) => ({
      ...{ deliveryId: `${n} ${i}`, endpointId: 'other', eventId: 'e', type: 'stream.ready', sequence: null },
      ...{ dynamicStreamId: null, url: null },
    })),
  },
});

it('waits while more deliveries are pending than may be, and then exceeds the limit by one batch at most', async () => {
  const clock = new ManualClock();
  const rig = await deliveryRig({ clock });
  const signal = new AbortController().signal;
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready']);
  for (let n = 0; n < 10; n += 1) await rig.stream();
  const requested = await requestDelivery(
    rig,
    { type: 'RecoveryRequested', data: { endpointId, since: '2020-01-01T00:00:00.000Z', after: null } },
    rig.by(OWNER),
  );
  const request = requested.events[0];
  if (!request || !isWebhookEndpointsEvent(request) || !isManualRequest(request)) throw new Error('no request');
  let most = 0;
  const onDue = () => {
    most = Math.max(most, writer.state.pending.size);
  };
  const deps = { ...rig, logger: silentLogger };
  const writer: FactWriter = await FactWriter.open(deps, { subject: OWNER, checkpoint: null }, onDue, signal);
  // Not in the log: writing them takes long.
  for (let n = 0; n < MOST_PENDING / TOGETHER; n += 1)
    writer.state.evolve(scheduled(n === 0 ? TOGETHER + 1 : TOGETHER, n), 0n, '2026-01-01T00:00:00.000Z');
  expect(writer.state.pending.size).toBe(MOST_PENDING + 1);
  let isAnswered = false;
  let isWaiting = false;
  const observed: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    pause: (milliseconds, until) => {
      isWaiting = true;
      return clock.pause(milliseconds, until);
    },
  };
  const answered = answerRequest(
    {
      ...deps,
      clock: observed,
      ...{ writer, signal, contexts: new EventContexts(rig.log), schedule: { baseMilliseconds: 5_000, windowMilliseconds: 60_000 } },
      endpoints: await EndpointSets.load(rig.log, OWNER, null),
    },
    OWNER,
    request,
  ).then(() => {
    isAnswered = true;
  });
  await eventually(() => isAnswered || isWaiting);
  expect(isAnswered).toBe(false);
  // Room for none of its ten: new events would take what becomes free.
  const deliveryIds = ['1 0'];
  await writer.decide(() => [{ type: 'DeliveriesStopped', data: { endpointId: 'other', reason: 'endpoint disabled', deliveryIds } }]);
  await clock.advance(1_000);
  await answered;
  expect(most).toBe(MOST_PENDING + 10);
  expect(writer.state.ofEndpoint(endpointId)).toHaveLength(10);
});
