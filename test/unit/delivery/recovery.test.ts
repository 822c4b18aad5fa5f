import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { disableWebhookEndpoint, reportEndpointHealth, requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { FactWriter } from '../../../src/delivery/facts/factWriter.ts';
import { EndpointSets } from '../../../src/delivery/plan/endpointSets.ts';
import { MOST_PENDING } from '../../../src/delivery/plan/fanOut.ts';
import { answerRequest, isManualRequest } from '../../../src/delivery/requests/answerRequest.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import { transcriptEventStream } from '../../../src/domain/transcript/events.ts';
import { isWebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import { NAMED_TYPES } from '../../../src/domain/webhookEndpoints/webhookEventTypes.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { SEALS } from '../../../src/stores/integrity/seals.ts';
import type { EventLog, RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { answers, type DeliveryRig, deliveryRig, receiver } from './deliveryRig.ts';

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

/** The rig's log, and how many events were read from it. */
const countingLog = (log: EventLog): { log: EventLog; read: () => number } => {
  let read = 0;
  const counted = async (reading: Promise<RecordedEvent[]>): Promise<RecordedEvent[]> => {
    const events = await reading;
    read += events.length;
    return events;
  };
  const counting: EventLog = {
    ...log,
    readStream: (...options) => counted(log.readStream(...options)),
    readAll: (options) => counted(log.readAll(options)),
    async *subscribe(options) {
      for await (const item of log.subscribe(options)) {
        if (item.kind === 'event') read += 1;
        yield item;
      }
    },
  };
  return { log: counting, read: () => read };
};

/** Answers a request without a node. Returns how many events that read. */
const eventsReadFor = async (
  rig: DeliveryRig,
  request: Parameters<typeof requestDelivery>[1],
  reached: (position: Position, writer: FactWriter) => Promise<boolean> = rig.index.reached,
): Promise<number> => {
  const [asked] = (await requestDelivery(rig, request, rig.by(OWNER))).events;
  if (!asked || !isWebhookEndpointsEvent(asked) || !isManualRequest(asked)) throw new Error('no request');
  const signal = new AbortController().signal;
  const deps = { ...rig, logger: silentLogger };
  const writer = await FactWriter.open(deps, { subject: OWNER, checkpoint: null }, () => undefined, signal);
  const { log, read } = countingLog(rig.log);
  const schedule = { baseMilliseconds: 5_000, windowMilliseconds: 60_000 };
  const endpoints = await EndpointSets.load(rig.log, OWNER, null);
  const index = { ...rig.index, reached: (position: Position) => reached(position, writer) };
  await answerRequest({ ...deps, log, index, writer, signal, schedule, endpoints }, OWNER, asked);
  return read();
};

/** An event that another program appends, with a type of ours. */
const foreign = (type: string) => ({ id: randomUUID(), type, data: {}, metadata: {} });

it('reads the events of its user only, and of these only the event streams with events since the time', async () => {
  const rig = await deliveryRig();
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready', 'gateway.disconnected']);
  const [first, second] = [await rig.stream(), await rig.stream()];
  const after = (await rig.log.head()) ?? '';
  for (let n = 0; n < 60; n += 1) await rig.stream([], 'another user');
  await rig.append(`stream-${first}`, [{ type: 'UploadCompleted', data: { bytes: 1, frames: 1, sha256: 'a'.repeat(64) } }]);
  const recovery = { endpointId, since: null, after };
  expect(await eventsReadFor(rig, { type: 'RecoveryRequested', data: recovery })).toBeLessThan(10);
  const [answer] = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data : []));
  expect(answer?.deliveries.map(({ type, sourceEventStream }) => [type, sourceEventStream])).toEqual([
    ['gateway.disconnected', `stream-${first}`],
  ]);
  const since = '2020-01-01T00:00:00.000Z';
  expect(await eventsReadFor(rig, { type: 'RecoveryRequested', data: { endpointId, since, after: null } })).toBeLessThan(20);
  const sources = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data.deliveries : []));
  expect(sources.map(({ sourceEventStream }) => sourceEventStream)).toEqual([first, first, second].map((id) => `stream-${id}`));
});

it('recovers the events of a group that has an event stream', async () => {
  const rig = await deliveryRig();
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['group.created', 'group.completed']);
  const groupId = randomUUID();
  await rig.append(`group-${groupId}`, [
    { type: 'GroupCreated', data: { groupId, creatorId: OWNER } },
    { type: 'StreamJoined', data: { groupId, streamId: groupId, streamSubject: OWNER, webhooks: [] } },
  ]);
  await rig.append(`group-${groupId}`, [{ type: 'GroupCompleted', data: {} }]);
  const recovery = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
  await eventsReadFor(rig, { type: 'RecoveryRequested', data: recovery });
  const recovered = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data.deliveries : []));
  expect(recovered.map(({ type }) => type)).toEqual(['group.created', 'group.completed']);
});

/** Makes an event happen that sends this webhook. Alerts are about an endpoint other than the one that recovers them. */
const CAUSES: Readonly<Record<(typeof NAMED_TYPES)[number], (rig: DeliveryRig) => Promise<unknown>>> = {
  'transcript.edited': async (rig) => {
    const eventStream = transcriptEventStream(await rig.stream());
    await rig.keys.eventStreamKey(eventStream, { create: true });
    return rig.append(eventStream, [{ type: 'TranscriptEdited', data: { attempt: 1, revision: 1, edits: [] } }]);
  },
  'endpoint.failing': (rig) => reportsOf(rig, ['failing']),
  'endpoint.recovered': (rig) => reportsOf(rig, ['failing', 'healthy']),
  'endpoint.disabled': async (rig) => {
    const disabling = { endpointId: await rig.endpoint(ELSEWHERE, []), reason: 'gone', dynamic: false as const, report: REPORT };
    return disableWebhookEndpoint(rig, disabling, rig.by(OWNER));
  },
};

const ELSEWHERE = 'http://192.0.2.2/';
const REPORT = { since: '2026-01-01T00:00:00.000Z', lastSuccess: null, failures: 5 };

const reportsOf = async (rig: DeliveryRig, healths: readonly ('failing' | 'healthy')[]): Promise<void> => {
  const endpointId = await rig.endpoint(ELSEWHERE, []);
  for (const health of healths)
    await reportEndpointHealth(rig, { endpointId, url: ELSEWHERE, health, reason: null, ...REPORT }, rig.by(OWNER));
};

it.each(NAMED_TYPES)('recovers %s, which only endpoints get that name it', async (type) => {
  const rig = await deliveryRig();
  const endpointId = await rig.endpoint('http://192.0.2.1/', [type]);
  await CAUSES[type](rig);
  await eventsReadFor(rig, { type: 'RecoveryRequested', data: { endpointId, since: '2020-01-01T00:00:00.000Z', after: null } });
  const recovered = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data.deliveries : []));
  expect(
    recovered.map((delivery) => delivery.type),
    `eventsOf in src/delivery/requests/recovery.ts must read the events of ${type}`,
  ).toEqual([type]);
});

it('reads the events of a group a few times only, however many there are', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const endpointId = await rig.endpoint(to.url('/'), ['group.stream-joined']);
  const groupId = randomUUID();
  const joined = (streamId: string) => ({ type: 'StreamJoined' as const, data: { groupId, streamId, streamSubject: OWNER, webhooks: [] } });
  await rig.append(`group-${groupId}`, [{ type: 'GroupCreated', data: { groupId, creatorId: OWNER } }, joined(groupId)]);
  for (let n = 0; n < 20; n += 1) {
    const more = Array.from({ length: 20 }, () => joined(randomUUID()));
    await rig.append(`group-${groupId}`, more);
  }
  const { log, read } = countingLog(rig.log);
  rig.node({ log });
  await rig.attempted(401);
  const before = read();
  const data = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
  await requestDelivery(rig, { type: 'RecoveryRequested', data }, rig.by(OWNER));
  await answers(rig, 1);
  expect(read() - before).toBeLessThan(5_000);
});

it('recovers the events before a damaged one, and passes over an unreadable seal', async () => {
  const rig = await deliveryRig();
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready', 'gateway.disconnected', 'audit.sealed']);
  const damaged = await rig.stream();
  await rig.append(`stream-${damaged}`, [{ type: 'UploadCompleted', data: { bytes: 1, frames: 1, sha256: 'a'.repeat(64) } }]);
  await rig.store.append(`stream-${damaged}`, 1n, [foreign('StreamCompleted')]);
  await rig.store.append(SEALS, 'no stream', [foreign('LogSealed')]);
  const whole = await rig.stream();
  const recovery = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
  await eventsReadFor(rig, { type: 'RecoveryRequested', data: recovery });
  const recovered = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data.deliveries : []));
  expect(recovered.map(({ type, sourceEventStream }) => [type, sourceEventStream])).toEqual([
    ['stream.ready', `stream-${damaged}`],
    ['gateway.disconnected', `stream-${damaged}`],
    ['stream.ready', `stream-${whole}`],
  ]);
});

it('waits for the facts of its first try only, however busy its user is', async () => {
  const rig = await deliveryRig();
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready']);
  const waitedFor: Position[] = [];
  const recovery = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
  await eventsReadFor(rig, { type: 'RecoveryRequested', data: recovery }, async (position, writer) => {
    waitedFor.push(position);
    await writer.decide(() => [scheduled(1, waitedFor.length)]);
    return waitedFor.length > 2;
  });
  expect(waitedFor).toHaveLength(3);
  expect(new Set(waitedFor).size).toBe(1);
});

it('refuses a request when the read models were behind for an hour', async () => {
  const clock = new ManualClock();
  const rig = await deliveryRig({ clock });
  const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready']);
  await rig.stream();
  const recovery = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
  await eventsReadFor(rig, { type: 'RecoveryRequested', data: recovery }, async () => {
    await clock.advance(3_600_000);
    return false;
  });
  expect((await rig.facts()).map(({ data }) => data)).toMatchObject([{ refused: 'unknown', last: true, deliveries: [] }]);
});

it('resends a delivery without reading the facts of other deliveries', async () => {
  const [rig, to] = [await deliveryRig(), await receiver()];
  const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
  const node = rig.node();
  for (let n = 0; n < 30; n += 1) await rig.stream();
  const [first] = await rig.attempted(30);
  await node.stop();
  const resend = { endpointId, deliveryId: first?.deliveryId ?? '' };
  expect(await eventsReadFor(rig, { type: 'ResendRequested', data: resend })).toBeLessThan(3);
  const answer = (await rig.facts()).at(-1);
  expect(answer?.data).toMatchObject({ refused: null, scheduled: 1, deliveries: [{ deliveryId: first?.deliveryId, attempts: 1 }] });
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
      ...{ writer, signal, schedule: { baseMilliseconds: 5_000, windowMilliseconds: 60_000 } },
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
