import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { loadWebhookEndpoints, requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { deliveryEventStream } from '../../../src/domain/delivery/events.ts';
import { type Logger, silentLogger } from '../../../src/logger.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { advancing, eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { type DeliveryRig, deliveryRig, receiver } from './deliveryRig.ts';

interface Written {
  readonly endpointId: string;
  readonly sourceEventStream: string;
  readonly renderer?: number;
  readonly sourceEventId?: string;
  readonly type?: string;
  /** Milliseconds from now. */
  readonly deadlineIn?: number;
}

/** Appends the fact that schedules one delivery of an event, as a node of another version might. */
const schedule = (
  rig: DeliveryRig,
  {
    endpointId,
    sourceEventStream,
    renderer = 2,
    sourceEventId = randomUUID(),
    type = 'stream.ready',
    deadlineIn = 48 * 3_600_000,
  }: Written,
) =>
  rig.append(deliveryEventStream(OWNER), [
    {
      type: 'DeliveriesScheduled',
      data: {
        ...{ sourceEventId, sourceEventStream, sourceRevision: '0', sourcePosition: '' },
        ...{ renderer, deadline: new Date(rig.clock.now() + deadlineIn).toISOString() },
        deliveries: [
          {
            ...{ deliveryId: randomUUID(), endpointId, eventId: randomUUID(), type, sequence: 1 },
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
    advancing(async () => {
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

/** A log whose stream events cannot be read until `repair` is called. Counts the tries. */
const brokenLog = (log: EventLog) => {
  const broken = { isDown: true, tries: 0 };
  const readStream: EventLog['readStream'] = async (eventStream, options) => {
    if (!broken.isDown || !eventStream.startsWith('stream-')) return log.readStream(eventStream, options);
    broken.tries += 1;
    throw new StoreUnavailable('The event log cannot be read at the moment.');
  };
  return { broken, log: { ...log, readStream } satisfies EventLog };
};

/** A delivery that a node finds at its start, so that its event must be read. */
const pendingAtStart = async (rig: DeliveryRig, deadlineIn: number) => {
  const to = await receiver();
  const endpointId = await rig.endpoint(to.url('/'), ['stream.failed']);
  const streamId = await rig.stream();
  const [created] = await rig.log.readStream(`stream-${streamId}`);
  await schedule(rig, { endpointId, sourceEventStream: `stream-${streamId}`, sourceEventId: created?.id ?? '', deadlineIn });
  return to;
};

const warnings = () => {
  const lines: { readonly message: string; readonly fields: object }[] = [];
  const note = (fields: object, message: string) => void lines.push({ message, fields });
  const logger: Logger = { ...silentLogger, warn: note, error: note, child: () => logger };
  return { lines, logger };
};

it('waits longer after each failure of a store, logs it once, and sends when the store is back', async () => {
  const clock = new ManualClock();
  const rig = await deliveryRig({ clock });
  const to = await pendingAtStart(rig, 3 * 3_600_000);
  const { broken, log } = brokenLog(rig.log);
  const { lines, logger } = warnings();
  rig.node({ log, logger });
  await advancing(async () => {
    await clock.advance(10);
    return broken.tries > 0;
  });
  const first = broken.tries;
  for (let second = 0; second < 600; second += 1) await clock.advance(1_000);
  // Pauses of 2.5 to 5 s after the first few.
  expect(broken.tries - first).toBeGreaterThan(100);
  expect(broken.tries - first).toBeLessThan(260);
  expect(lines.map(({ message }) => message)).toEqual(['preparing a webhook failed; retrying']);
  expect(await rig.attempts()).toEqual([]);
  broken.isDown = false;
  await clock.advance(5_000);
  await eventually(() => to.received.length > 0);
  expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered', attempt: 1 }]);
});

it('ends a delivery whose event a store withholds until the deadline, and says why', async () => {
  const clock = new ManualClock();
  const rig = await deliveryRig({ clock });
  const to = await pendingAtStart(rig, 60_000);
  const { broken, log } = brokenLog(rig.log);
  const { lines, logger } = warnings();
  rig.node({ log, logger, windowMilliseconds: 60_000 });
  const attempts = await advancing(async () => {
    await clock.advance(1_000);
    const all = await rig.attempts();
    return all.length > 0 && all;
  });
  expect(attempts).toMatchObject([{ outcome: 'exhausted', reason: 'store unavailable', endpointFails: false, nextAt: null }]);
  expect(lines.at(-1)).toMatchObject({
    message: 'delivery ended: its webhook could not be prepared',
    fields: { reason: 'store unavailable' },
  });
  const { tries } = broken;
  await clock.advance(60_000);
  expect([broken.tries, to.received]).toEqual([tries, []]);
});

it('does not end a delivery because of a short outage after its deadline', async () => {
  const clock = new ManualClock();
  const rig = await deliveryRig({ clock });
  const to = await pendingAtStart(rig, -1);
  const { broken, log } = brokenLog(rig.log);
  rig.node({ log, windowMilliseconds: 60_000 });
  await advancing(async () => {
    await clock.advance(1_000);
    return broken.tries > 5;
  });
  broken.isDown = false;
  await clock.advance(5_000);
  await eventually(() => to.received.length > 0);
  expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered' }]);
});

it('ends a delivery whose webhook cannot be built after five tries, and says so', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const endpointId = await rig.endpoint(to.url('/'), ['stream.failed']);
  const streamId = await rig.stream();
  const [created] = await rig.log.readStream(`stream-${streamId}`);
  const source = { endpointId, sourceEventStream: `stream-${streamId}`, sourceEventId: created?.id ?? '' };
  await schedule(rig, { ...source, type: 'processor.running' });
  const { lines, logger } = warnings();
  const began = Date.now();
  rig.node({ logger, baseMilliseconds: 20 });
  expect(await rig.attempted(1)).toMatchObject([
    { outcome: 'failed', reason: 'webhook cannot be built', attempt: 1, endpointFails: false, nextAt: null },
  ]);
  // 20, 40, 80 and 160 ms, at most 10 % shorter.
  expect(Date.now() - began).toBeGreaterThanOrEqual(270);
  expect(lines).toMatchObject([
    { message: 'preparing a webhook failed; retrying' },
    { message: 'delivery ended: its webhook could not be prepared', fields: { tries: 5 } },
  ]);
  expect(to.received).toEqual([]);
});
