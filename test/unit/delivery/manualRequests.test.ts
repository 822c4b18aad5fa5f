import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/commands/inFlight.ts';
import { deleteWebhookEndpoint, requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { type ManualRequestDeps, requestPing, webhookRequestsUnderWay } from '../../../src/commands/webhookRequests.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { DamagedEventStream } from '../../../src/stores/eventStore.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { answers, deliveryRig, receiver, toggle } from './deliveryRig.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

describe('on request, the deliverer', () => {
  it('pings a disabled endpoint once, without sequence and position', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    await toggle(rig, endpointId, false);
    to.answerStatus('/', 500);
    rig.node();
    await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } }, rig.by(OWNER));
    expect(await rig.attempted(1)).toMatchObject([{ outcome: 'failed', nextAt: null }]);
    expect(to.received[0]?.event).toMatchObject({ type: 'ping', payloadSchema: 'tributary.events.v1.PingEvent', payload: {} });
    expect(to.received[0]?.headers).not.toHaveProperty('webhook-sequence');
    expect(to.received[0]?.headers).not.toHaveProperty('webhook-position');
  });

  it('resends an ended delivery with the next attempt number, and refuses to resend a pending one', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    rig.node({ baseMilliseconds: 60_000, windowMilliseconds: 3_600_000 });
    await rig.stream();
    const [first] = await rig.attempted(1);
    const deliveryId = first?.deliveryId ?? '';
    const resend = () => requestDelivery(rig, { type: 'ResendRequested', data: { endpointId, deliveryId } }, rig.by(OWNER));
    await resend();
    const attempts = await rig.attempted(2);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(to.received[1]?.body).toBe(to.received[0]?.body);
    expect(to.received[1]?.headers['webhook-sequence']).toBe('1');
    to.answerStatus('/', 500);
    await rig.stream();
    const failing = (await rig.attempted(3)).at(-1);
    await requestDelivery(rig, { type: 'ResendRequested', data: { endpointId, deliveryId: failing?.deliveryId ?? '' } }, rig.by(OWNER));
    await eventually(async () =>
      (await rig.facts()).some((fact) => fact.type === 'DeliveriesRecovered' && fact.data.refused === 'pending'),
    );
  });

  it('resends and recovers a delivery with the payload it was scheduled with', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready'], OWNER, { payload: 'slim' });
    rig.node({ baseMilliseconds: 60_000, windowMilliseconds: 1 });
    await rig.stream();
    const deliveryId = (await rig.attempted(1))[0]?.deliveryId ?? '';
    to.answerStatus('/', 500);
    await rig.stream();
    await rig.attempted(2);
    await rig.endpoint(to.url('/'), ['stream.ready', 'gateway.connected'], OWNER, { endpointId, payload: 'full' });
    to.answerStatus('/', 204);
    await requestDelivery(rig, { type: 'ResendRequested', data: { endpointId, deliveryId } }, rig.by(OWNER));
    await rig.attempted(3);
    expect(to.received[2]?.body).toBe(to.received[0]?.body);
    const recovery = { endpointId, since: '2020-01-01T00:00:00.000Z', after: null };
    await requestDelivery(rig, { type: 'RecoveryRequested', data: recovery }, rig.by(OWNER));
    // The failed event keeps its slim body; the two gateway events were never scheduled and get full ones.
    await rig.attempted(6);
    const forms = to.received.slice(3).map(({ event }) => [event.type, event.payloadSchema.split('.').at(-1)]);
    expect(forms.sort()).toEqual([
      ['gateway.connected', 'StreamGatewayStateEvent'],
      ['gateway.connected', 'StreamGatewayStateEvent'],
      ['stream.ready', 'SlimEvent'],
    ]);
    const sequences = to.received.map(({ headers }) => Number(headers['webhook-sequence']));
    expect(sequences.slice(0, 3)).toEqual([1, 2, 1]);
    expect(sequences.slice(3).sort()).toEqual([2, 3, 4]);
    const last = (await rig.facts()).filter((fact) => fact.type === 'DeliveriesRecovered' && fact.data.requestEventId).at(-1);
    expect(last?.data).toMatchObject({ scheduled: 3, last: true });
  });

  it('recovers unscheduled events once, even from before the endpoint existed and if asked several times', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const streams = [await rig.stream(), await rig.stream(), await rig.stream()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    rig.node();
    const ask = () =>
      requestDelivery(
        rig,
        { type: 'RecoveryRequested', data: { endpointId, since: '2020-01-01T00:00:00.000Z', after: null } },
        rig.by(OWNER),
      );
    await Promise.all([ask(), ask(), ask()]);
    await eventually(async () => (await rig.facts()).filter((fact) => fact.type === 'DeliveriesRecovered' && fact.data.last).length === 3);
    await rig.attempted(3);
    expect(to.received.map(({ event }) => event.payload.streamId).sort()).toEqual([...streams].sort());
    expect((await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' ? fact.data.scheduled : []))).toEqual([3, 0, 0]);
  });

  it('resends without waiting for a Retry-After of the endpoint', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 429, { 'retry-after': '3600' });
    rig.node();
    await rig.stream();
    await rig.attempted(1);
    to.answerStatus('/', 204);
    await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } }, rig.by(OWNER));
    await eventually(() => to.types('/').includes('ping'));
  });

  it('does not resend through another endpoint or one that has been deleted', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    const other = await rig.endpoint(to.url('/other'), ['group.created']);
    const node = rig.node();
    await rig.stream();
    const [first] = await rig.attempted(1);
    const resend = (through: string) => ({
      type: 'ResendRequested' as const,
      data: { endpointId: through, deliveryId: first?.deliveryId ?? '' },
    });
    await requestDelivery(rig, resend(other), rig.by(OWNER));
    expect(await answers(rig, 1)).toMatchObject([{ refused: 'unknown', scheduled: 0 }]);
    await node.stop();
    await requestDelivery(rig, resend(endpointId), rig.by(OWNER));
    await deleteWebhookEndpoint(rig, { endpointId, ifMatch: null }, rig.by(OWNER));
    rig.node();
    expect(await answers(rig, 2)).toMatchObject([{ refused: 'unknown' }, { refused: 'unknown', scheduled: 0 }]);
    expect(to.received.length).toBe(1);
  });

  it('refuses to resend a delivery whose event cannot be read, and answers the next request', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    const node = rig.node();
    const streamId = await rig.stream();
    const [first] = await rig.attempted(1);
    await node.stop();
    // As after a deletion in the store.
    const readStream: EventLog['readStream'] = async (eventStream, options) => {
      if (eventStream === `stream-${streamId}`) throw new DamagedEventStream(eventStream, 'deleted');
      return rig.log.readStream(eventStream, options);
    };
    rig.node({ log: { ...rig.log, readStream } });
    const resend = { endpointId, deliveryId: first?.deliveryId ?? '' };
    await requestDelivery(rig, { type: 'ResendRequested', data: resend }, rig.by(OWNER));
    await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } }, rig.by(OWNER));
    expect(await answers(rig, 2)).toMatchObject([
      { refused: 'unknown', scheduled: 0 },
      { refused: null, scheduled: 1 },
    ]);
    await eventually(() => to.types('/').includes('ping'));
  });

  it('does not recover events that it is scheduling anyway', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    for (let n = 0; n < 20; n += 1) await rig.stream();
    await requestDelivery(rig, { type: 'RecoveryRequested', data: { endpointId, since: LONG_AGO, after: null } }, rig.by(OWNER));
    rig.node();
    expect(await answers(rig, 1)).toMatchObject([{ refused: null, scheduled: 0 }]);
    await rig.attempted(20);
    expect(to.received.map(({ headers }) => Number(headers['webhook-sequence'])).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  it('recovers nothing for an endpoint that was disabled or deleted after the request', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.stream();
    const endpointIds = [await rig.endpoint(to.url('/a'), ['stream.ready']), await rig.endpoint(to.url('/b'), ['stream.ready'])];
    for (const endpointId of endpointIds)
      await requestDelivery(rig, { type: 'RecoveryRequested', data: { endpointId, since: LONG_AGO, after: null } }, rig.by(OWNER));
    await toggle(rig, endpointIds[0] ?? '', false);
    await deleteWebhookEndpoint(rig, { endpointId: endpointIds[1] ?? '', ifMatch: null }, rig.by(OWNER));
    rig.node();
    expect(await answers(rig, 2)).toMatchObject([
      { refused: 'disabled', scheduled: 0, deliveries: [] },
      { refused: 'unknown', scheduled: 0, deliveries: [] },
    ]);
    expect(to.received.length).toBe(0);
  });
});

describe('pings, resends and recoveries', () => {
  it('of one user are refused above 20 that have no answer yet, even after their callers have left', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const deps: ManualRequestDeps = { ...rig, underWay: webhookRequestsUnderWay(rig.clock) };
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    const ping = () => requestPing(deps, endpointId, rig.by(OWNER), AbortSignal.abort());
    const asked = await Promise.allSettled(Array.from({ length: 21 }, ping));
    const reasons = asked.map((one) => one.status === 'rejected' && one.reason.statusCode);
    expect(reasons.sort()).toEqual([429, ...Array<number>(20).fill(503)]);
    await expect(requestPing(deps, endpointId, rig.by('another user'), AbortSignal.abort())).rejects.not.toMatchObject({ statusCode: 429 });
    rig.node();
    expect(await answers(rig, 20)).toHaveLength(20);
    await eventually(() => ping().then(undefined, ({ statusCode }) => statusCode === 503));
  });

  it('get a 503 that says whether they are recorded, or a 429 that says when to try again', async () => {
    const clock = new ManualClock();
    const rig = await deliveryRig();
    const endpointId = await rig.endpoint('http://192.0.2.1/', ['stream.ready']);
    let appended = 0;
    let letAppend: () => void = () => {};
    const paced = new Promise<void>((resolve) => {
      letAppend = resolve;
    });
    const log: EventLog = {
      ...rig.log,
      append: async (...given) => {
        if (appended > 0) await paced;
        const done = await rig.log.append(...given);
        appended += 1;
        return done;
      },
    };
    const deps: ManualRequestDeps = { ...rig, log, clock, underWay: webhookRequestsUnderWay(clock) };
    const ping = () => requestPing(deps, endpointId, rig.by(OWNER), new AbortController().signal);
    const recorded = ping().catch((error: unknown) => error);
    await eventually(() => appended === 1);
    const waiting = Array.from({ length: 19 }, () => ping().catch((error: unknown) => error));
    await clock.advance(10_000);
    expect(await recorded).toMatchObject({ statusCode: 503, message: expect.stringContaining('The request is recorded, but') });
    for (const one of await Promise.all(waiting))
      expect(one).toMatchObject({ statusCode: 503, message: expect.stringContaining('did not record the request in time') });
    await clock.advance(10_000);
    await expect(ping()).rejects.toMatchObject({ statusCode: 429, headers: { 'Retry-After': '20' } });
    letAppend();
    await eventually(() => appended === 20);
  });
});

describe('work under way', () => {
  const refusal = ({ whose }: { whose: string }) => new Problem('STREAM_USAGE_LIMIT_REACHED', `too much of ${whose}`);
  const endless = () => new Promise<never>(() => {});

  it('is bounded for all users together, but always accepted from a user who has none', async () => {
    const inFlight = new InFlight(new ManualClock(), { perUser: 2, inTotal: 3 }, refusal);
    for (const user of ['a', 'a', 'b']) void inFlight.pass(user, endless);
    await expect(inFlight.pass('a', endless)).rejects.toThrow('too much of user');
    await expect(inFlight.pass('b', endless)).rejects.toThrow('too much of all');
    expect(await inFlight.pass('c', async () => 'done')).toBe('done');
  });

  it('makes room when it ends, also with an error', async () => {
    const inFlight = new InFlight(new ManualClock(), { perUser: 1, inTotal: 1 }, refusal);
    await expect(inFlight.pass('a', () => Promise.reject(new Error('over')))).rejects.toThrow('over');
    expect(await inFlight.pass('a', async () => 'done')).toBe('done');
  });
});
