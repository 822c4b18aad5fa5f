import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { loadWebhookEndpoints, requestDelivery } from '../../../src/commands/webhookEndpoints.ts';
import { UserCheckpoints } from '../../../src/delivery/facts/userCheckpoints.ts';
import { PARTITIONS, partitionLease, partitionOf } from '../../../src/delivery/partition.ts';
import { DELIVERY_EVENT_TYPES, deliveryEventStream } from '../../../src/domain/delivery/events.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import type { Leases } from '../../../src/stores/leases/leases.ts';
import type { DomainEvent, EventLog } from '../../../src/stores/log/eventLog.ts';
import { advancing, eventually } from '../../eventually.ts';
import { MemoryLeases } from '../../fakes/memoryLeases.ts';
import { OWNER } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { answers, type DeliveryRig, deliveryRig, receiver, toggle } from './deliveryRig.ts';

const scheduledSources = async (rig: DeliveryRig): Promise<string[]> =>
  (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesScheduled' ? fact.data.sourceEventId : []));

const NOTHING = (): void => {};

describe('the deliverer', () => {
  it('sends an endpoint the events it subscribed to, numbered without gaps, with their place in the log', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.*']);
    rig.node();
    const first = await rig.stream();
    await rig.stream();
    await eventually(() => to.received.length === 2);
    expect(to.types('/')).toEqual(['stream.ready', 'stream.ready']);
    expect(to.received.map(({ headers }) => headers['webhook-sequence']).sort()).toEqual(['1', '2']);
    const about = to.received.find(({ event }) => event.payload.streamId === first);
    expect(about?.headers).toMatchObject({ 'webhook-attempt': '1', 'webhook-event-stream': `stream-${first}`, 'webhook-revision': '0' });
  });

  it('ignores events of other programs, whatever their type and event stream', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.*']);
    const damaged = await rig.stream();
    const foreign = () => ({ id: randomUUID(), type: 'StreamCompleted', data: {}, metadata: {} });
    await rig.store.append(`stream-${damaged}`, 0n, [foreign()]);
    await rig.store.append('orders-1', 'no stream', [foreign()]);
    rig.node();
    await rig.stream();
    await eventually(() => to.received.length === 2);
    expect(to.types('/')).toEqual(['stream.ready', 'stream.ready']);
  });

  it("sends to the endpoints that were enabled at the event's position, however late the event is read", async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.stream();
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    const heard = await rig.stream();
    await toggle(rig, endpointId, false);
    await rig.stream();
    await toggle(rig, endpointId, true);
    const again = await rig.stream();
    rig.node();
    await eventually(() => to.received.length >= 1);
    await rig.attempted(1);
    await eventually(async () => (await scheduledSources(rig)).length === 2);
    const told = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesScheduled' ? fact.data.sourceEventStream : []));
    expect(told).toEqual([`stream-${heard}`, `stream-${again}`]);
  });

  it('signs dynamic webhooks with the account secret, and sends both to a URL that is also a standard endpoint', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    rig.node();
    await rig.stream([{ url: to.url('/'), events: ['*'] }]);
    await eventually(() => to.received.length === 2);
    const state = await loadWebhookEndpoints(rig.log, OWNER);
    const [account = ''] = rig.secrets.accountSecrets(OWNER, state, Date.now());
    const [own = ''] = rig.secrets.signingSecrets({ endpointId, secret: { generation: 1, previous: [] } }, Date.now());
    for (const request of to.received) {
      expect(request.event.type).toBe('stream.ready');
      expect(() => request.verified(request.event.webhookEndpointId === endpointId ? own : account)).not.toThrow();
    }
    expect(new Set(to.received.map(({ event }) => event.webhookEndpointId)).size).toBe(2);
    expect(new Set(to.received.map(({ event }) => event.id)).size).toBe(1);
  });

  it('forgets the dynamic webhooks of a lone stream once its data have expired', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const node = rig.node();
    const webhooks = [{ url: to.url('/'), events: ['*'] }];
    const [expired, kept] = [await rig.stream(webhooks, OWNER, { ownGroup: true }), await rig.stream(webhooks, OWNER, { ownGroup: true })];
    const ends: DomainEvent[] = [
      { type: 'StreamCompleted', data: {} },
      { type: 'StreamExpired', data: { reason: 'x' } },
    ];
    await rig.append(`stream-${expired}`, ends);
    await eventually(() => to.types('/').includes('group.expired') && to.received.length === 10);
    expect(to.received.filter(({ event }) => event.payload.groupId === kept)).toHaveLength(3);
    await node.stop();
    const checkpoint = await new UserCheckpoints(rig.documents, rig.log).of(OWNER);
    expect(Object.keys(checkpoint?.sequences ?? {})).toHaveLength(1);
  });

  it('sends the events of a group to the dynamic webhooks of all its streams, once per URL', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    rig.node();
    const [a, b] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'];
    const join = (streamId: string, events: string[]) => ({
      type: 'StreamJoined',
      data: { groupId: a, streamId, streamSubject: OWNER, webhooks: [{ url: to.url('/'), events }] },
    });
    await rig.append(`group-${a}`, [{ type: 'GroupCreated', data: { groupId: a, creatorId: OWNER } }, join(a, ['group.created'])]);
    await rig.append(`group-${a}`, [join(b, ['group.stream-joined'])]);
    await eventually(() => to.received.length === 2);
    expect(to.types('/').sort()).toEqual(['group.created', 'group.stream-joined']);
    expect(new Set(to.received.map(({ event }) => event.webhookEndpointId)).size).toBe(1);
    const joined = to.received.find(({ event }) => event.type === 'group.stream-joined')?.event;
    expect(joined).toMatchObject({
      payloadSchema: 'tributary.events.v1.GroupStreamJoinedEvent',
      payload: { groupId: a, streamId: b, subject: OWNER, streamSubject: OWNER },
    });
    expect(joined.payload.dynamicWebhookEndpoints).toMatchObject([{ url: to.url('/'), events: ['group.created', 'group.stream-joined'] }]);
  });
});

describe('after an attempt, the deliverer', () => {
  it('retries with the same bytes and a new signature until the delivery succeeds', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answer('/', (_, response) => response.writeHead(to.received.length < 3 ? 500 : 200).end('seen'));
    rig.node({ baseMilliseconds: 20 });
    await rig.stream();
    const attempts = await rig.attempted(3);
    expect(attempts.map(({ attempt, outcome, status }) => [attempt, outcome, status])).toEqual([
      [1, 'failed', 500],
      [2, 'failed', 500],
      [3, 'delivered', 200],
    ]);
    expect(new Set(to.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(to.received.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3']);
  });

  it('makes a last attempt at the deadline and then gives up', async () => {
    const clock = new ManualClock();
    const [rig, to] = [await deliveryRig({ clock }), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 500);
    rig.node({ baseMilliseconds: 5_000, windowMilliseconds: 3 * 3_600_000 });
    await rig.stream();
    const attempts = await advancing(async () => {
      await clock.advance(60_000);
      const all = await rig.attempts();
      return all.at(-1)?.outcome === 'exhausted' && all;
    });
    expect(attempts.length).toBeGreaterThanOrEqual(13);
    expect(attempts.length).toBeLessThanOrEqual(15);
    const [scheduled] = await rig.facts();
    const deadline = scheduled?.type === 'DeliveriesScheduled' ? Date.parse(scheduled.data.deadline) : 0;
    const last = attempts.at(-1);
    expect(last).toMatchObject({ outcome: 'exhausted', nextAt: null });
    expect(attempts.at(-2)?.nextAt).toBe(new Date(deadline).toISOString());
    expect(Date.parse(last?.at ?? '')).toBeGreaterThanOrEqual(deadline);
  });

  it('disables an endpoint that answers 410, and stops its pending deliveries', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 410);
    rig.node();
    await rig.stream();
    expect(await rig.attempted(1)).toMatchObject([{ outcome: 'failed', status: 410, nextAt: null, reason: 'gone' }]);
    const state = await loadWebhookEndpoints(rig.log, OWNER);
    expect(state.endpoints).toMatchObject([{ endpointId, enabled: false, disabledReason: 'The receiver answered 410 Gone.' }]);
    await rig.stream();
    await rig.stream([{ url: to.url('/dynamic'), events: ['*'] }]);
    await eventually(() => to.at('/dynamic').length === 1);
    expect(to.at('/').length).toBe(1);
  });

  it('sends nothing more to an endpoint after its 410, not even pending deliveries', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/gone'), ['stream.ready', 'gateway.connected']);
    to.answerStatus('/gone', 410);
    to.answerStatus('/dynamic', 410);
    for (let n = 0; n < 5; n += 1) await rig.stream();
    await rig.stream([{ url: to.url('/dynamic'), events: ['*'] }]);
    rig.node({ limits: { webhooksPerOrigin: 1 } });
    await eventually(async () => (await loadWebhookEndpoints(rig.log, OWNER)).endpoints.every(({ enabled }) => !enabled));
    const marker = await rig.endpoint(to.url('/marker'), ['stream.ready']);
    await rig.stream();
    await eventually(() => to.at('/marker').length === 1);
    expect(to.at('/gone').length).toBe(1);
    const stopped = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesStopped' ? fact.data : []));
    expect(stopped.find((fact) => fact.endpointId === endpointId)?.deliveryIds.length).toBe(11);
    expect(stopped.some((fact) => fact.endpointId === marker)).toBe(false);
  });

  it('stops in time even if an endpoint that answered 410 cannot be disabled', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 410);
    let refused = 0;
    const append: EventLog['append'] = (eventStream, ...rest) => {
      if (!eventStream.startsWith('webhookEndpoints-')) return rig.log.append(eventStream, ...rest);
      refused += 1;
      return Promise.reject(new StoreUnavailable('away'));
    };
    const node = rig.node({ log: { ...rig.log, append } });
    await rig.stream();
    await eventually(() => refused > 0);
    await node.stop();
    expect(await rig.attempts()).toEqual([]);
  });

  it('disables a dynamic webhook that answers 410', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    to.answerStatus('/', 410);
    rig.node();
    await rig.stream([{ url: to.url('/'), events: ['*'] }]);
    await rig.attempted(1);
    expect((await loadWebhookEndpoints(rig.log, OWNER)).disabledDynamic.size).toBe(1);
  });

  it('disables an endpoint whose deliveries all failed for 24 hours, and forgets the failures when it is enabled again', async () => {
    const clock = new ManualClock();
    const [rig, to] = [await deliveryRig({ clock }), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 500);
    rig.node({ baseMilliseconds: 1_000, windowMilliseconds: 10_000 });
    const failOnce = async () => {
      const before = (await rig.attempts()).length;
      await rig.stream();
      await advancing(async () => {
        await clock.advance(1_000);
        const all = await rig.attempts();
        return all.length > before && all.at(-1)?.outcome === 'exhausted';
      });
    };
    const enabled = async () => (await loadWebhookEndpoints(rig.log, OWNER)).endpoints[0]?.enabled;
    await failOnce();
    await clock.advance(23 * 3_600_000);
    await failOnce();
    expect(await enabled()).toBe(true);
    await clock.advance(3_600_000);
    await rig.stream();
    await advancing(async () => {
      await clock.advance(1_000);
      return (await enabled()) === false;
    });
    await toggle(rig, endpointId, true);
    await failOnce();
    expect(await enabled()).toBe(true);
  });

  it('disables an endpoint whose deliveries were all refused by the address guard for 24 hours', async () => {
    const clock = new ManualClock();
    const rig = await deliveryRig({ clock });
    await rig.endpoint('http://rebinding.example.org/', ['stream.ready']);
    rig.node({ allow: '', resolve: async () => ['127.0.0.1'] });
    const refusedOnce = async () => {
      const before = (await rig.attempts()).length;
      await rig.stream();
      await advancing(async () => {
        await clock.advance(1_000);
        return (await rig.attempts()).length > before;
      });
    };
    await refusedOnce();
    await clock.advance(23 * 3_600_000);
    await refusedOnce();
    expect((await loadWebhookEndpoints(rig.log, OWNER)).endpoints[0]?.enabled).toBe(true);
    await clock.advance(3_600_000);
    await refusedOnce();
    await eventually(async () => !(await loadWebhookEndpoints(rig.log, OWNER)).endpoints[0]?.enabled);
    expect((await loadWebhookEndpoints(rig.log, OWNER)).endpoints).toMatchObject([
      { enabled: false, disabledReason: 'All deliveries have failed for 24 hours.' },
    ]);
  });

  it('waits as long as a 429 asks before it sends anything more to that endpoint', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answer('/', (_, response) => response.writeHead(to.received.length === 1 ? 429 : 204, { 'retry-after': '1' }).end());
    rig.node({ baseMilliseconds: 10 });
    await rig.stream();
    await rig.attempted(1);
    await rig.stream();
    await eventually(() => to.received.length === 3);
    const [first, second] = to.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900);
  });

  it('fails a delivery for good, without connecting, if the name resolves to an internal address at the attempt', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(`http://rebinding.example.org:${to.port}/`, ['stream.ready']);
    rig.node({ allow: '', resolve: async () => ['127.0.0.1'] });
    await rig.stream();
    expect(await rig.attempted(1)).toMatchObject([
      { outcome: 'refused', status: null, nextAt: null, response: null, reason: 'The address is not allowed.' },
    ]);
    expect(to.received).toEqual([]);
  });

  it('sends the next attempt to a changed URL', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/old'), ['stream.ready']);
    to.answerStatus('/old', 500);
    rig.node({ baseMilliseconds: 300 });
    await rig.stream();
    await rig.attempted(1);
    await rig.endpoint(to.url('/new'), ['stream.ready'], OWNER, { endpointId });
    await eventually(() => to.at('/new').length === 1);
    expect(to.at('/old').length).toBe(1);
  });

  it('does not disable an endpoint that has moved since if its old URL answers 410', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/old'), ['stream.ready']);
    let goodbye = NOTHING;
    to.answer('/old', (_, response) => {
      goodbye = () => response.writeHead(410).end();
    });
    rig.node();
    await rig.stream();
    await eventually(() => to.at('/old').length === 1);
    await rig.endpoint(to.url('/new'), ['stream.ready'], OWNER, { endpointId });
    goodbye();
    expect(await rig.attempted(1)).toMatchObject([{ outcome: 'failed', status: 410, nextAt: null }]);
    expect((await loadWebhookEndpoints(rig.log, OWNER)).endpoints).toMatchObject([{ endpointId, enabled: true }]);
    await rig.stream();
    await eventually(() => to.at('/new').length === 1);
  });

  it('stops pending deliveries of a disabled endpoint; enabling does not resume them, recovering does', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 500);
    rig.node({ baseMilliseconds: 100 });
    await rig.stream();
    await rig.attempted(1);
    await toggle(rig, endpointId, false);
    await eventually(async () => (await rig.facts()).some(({ type }) => type === 'DeliveriesStopped'));
    await toggle(rig, endpointId, true);
    to.answerStatus('/', 204);
    const marker = await rig.stream();
    await eventually(() => to.received.some(({ event }) => event.payload.streamId === marker));
    const before = to.received.length;
    await requestDelivery(
      rig,
      { type: 'RecoveryRequested', data: { endpointId, since: '2020-01-01T00:00:00.000Z', after: null } },
      rig.by(OWNER),
    );
    await eventually(() => to.received.length === before + 1);
    expect(to.received.at(-1)?.event.id).toBe(to.received[0]?.event.id);
    expect(to.received.at(-1)?.headers['webhook-sequence']).toBe('1');
  });
});

describe('an event for a full and a slim endpoint', () => {
  it('is scheduled in one append with one fact per payload, and sent in both forms', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/full'), ['stream.ready']);
    await rig.endpoint(to.url('/slim'), ['stream.ready'], OWNER, { payload: 'slim' });
    rig.node();
    await rig.stream();
    await rig.attempted(2);
    const scheduled = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesScheduled' ? [fact] : []));
    expect(scheduled.map(({ data }) => [data.renderer, data.deliveries.length])).toEqual([
      [4, 1],
      [3, 1],
    ]);
    expect(new Set(scheduled.map(({ metadata }) => metadata.time)).size).toBe(1);
    const of = (path: string) => to.received.find((one) => one.path === path)?.event;
    expect(of('/slim').id).toBe(of('/full').id);
    expect([of('/full').payloadSchema, of('/slim').payloadSchema]).toEqual([
      'tributary.events.v1.StreamStateEvent',
      'tributary.events.v1.SlimEvent',
    ]);
  });
});

describe('without loss or duplicates, the deliverer', () => {
  /** Leases that every node holds: two nodes that both believe to be the holder. */
  const everybodys = (): Leases => new MemoryLeases();

  it('schedules nothing twice when two of them read one log', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    rig.node({ leases: everybodys() });
    rig.node({ leases: everybodys() });
    const streams = await Promise.all(Array.from({ length: 40 }, () => rig.stream()));
    await eventually(() => new Set(to.received.map(({ event }) => event.payload.streamId)).size === streams.length);
    const sources = await scheduledSources(rig);
    expect(sources.length).toBe(40);
    expect(new Set(sources).size).toBe(40);
    const sequences = (await rig.facts()).flatMap((fact) =>
      fact.type === 'DeliveriesScheduled' ? fact.data.deliveries.map(({ sequence }) => sequence) : [],
    );
    expect(sequences).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  it('continues on the node that takes over its partition', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const leases = new MemoryLeases();
    await rig.endpoint(to.url('/'), ['stream.ready']);
    const first = rig.node({ leases });
    await rig.stream();
    await rig.attempted(1);
    rig.node({ leases });
    await first.stop();
    await rig.stream();
    await rig.attempted(2);
    expect(to.received.length).toBe(2);
  });

  it('sends nothing when it reads the whole log again', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    const first = rig.node();
    await Promise.all([rig.stream(), rig.stream()]);
    await rig.attempted(2);
    await first.stop();
    await rig.documents.dropCollection('deliveryUsers');
    for (let n = 0; n < 16; n += 1) await rig.documents.deleteCheckpoint(`delivery/${n}`);
    rig.node();
    await rig.stream();
    await rig.attempted(3);
    expect(to.received.length).toBe(3);
    expect((await scheduledSources(rig)).length).toBe(3);
  });

  it('sends to an endpoint that was the last event in the log before a restart', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    const first = rig.node({ saveMilliseconds: 100 });
    await rig.endpoint(to.url('/'), ['stream.ready']);
    const head = await rig.log.head();
    await eventually(async () => (await rig.documents.readCheckpoint(partitionLease(partitionOf(OWNER))))?.position === head);
    await first.stop();
    rig.node();
    await rig.stream();
    await eventually(() => to.received.length === 1);
  });

  it('retries pending deliveries after a restart when they are due', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 500);
    const first = rig.node({ baseMilliseconds: 700 });
    await rig.stream();
    await rig.attempted(1);
    await first.stop();
    to.answerStatus('/', 204);
    rig.node({ baseMilliseconds: 700 });
    const attempts = await rig.attempted(2);
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'failed'],
      [2, 'delivered'],
    ]);
    expect(Date.parse(attempts[1]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(attempts[0]?.nextAt ?? '') - 1);
  });

  describe('when a node loses a partition and gets it back', () => {
    /** The rig's log, with a one-time action before facts are read. */
    const beforeFacts = (rig: DeliveryRig, how: 'readStream' | 'subscribe', happens: () => void): EventLog => {
      const log = Object.create(rig.log) as EventLog;
      const once = (is: boolean) => {
        if (is) happens();
        if (is) happens = () => undefined;
      };
      if (how === 'readStream')
        log.readStream = (name, range) => {
          once(name === deliveryEventStream(OWNER));
          return rig.log.readStream(name, range);
        };
      else
        log.subscribe = (options) => {
          once(options.filter?.types === DELIVERY_EVENT_TYPES);
          return rig.log.subscribe(options);
        };
      return log;
    };

    it('it reads unhandled events again and sends them', async () => {
      const [rig, to, leases] = [await deliveryRig(), await receiver(), new MemoryLeases()];
      await rig.endpoint(to.url('/'), ['stream.ready']);
      rig.node({ leases, log: beforeFacts(rig, 'readStream', () => leases.lose(partitionLease(partitionOf(OWNER)))) });
      await rig.stream();
      expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered' }]);
      expect(to.received.length).toBe(1);
    });

    it('it retries pending deliveries', async () => {
      const [rig, to, leases] = [await deliveryRig(), await receiver(), new MemoryLeases()];
      await rig.endpoint(to.url('/'), ['stream.ready']);
      to.answerStatus('/', 500);
      const first = rig.node({ baseMilliseconds: 700 });
      await rig.stream();
      await rig.attempted(1);
      await first.stop();
      to.answerStatus('/', 204);
      rig.node({ leases, log: beforeFacts(rig, 'subscribe', () => leases.lose(partitionLease(partitionOf(OWNER)))) });
      expect(await rig.attempted(2)).toMatchObject([{ outcome: 'failed' }, { outcome: 'delivered' }]);
    });
  });

  it('leaves an unanswered request to the next holder of its partition', async () => {
    const [rig, to, leases] = [await deliveryRig(), await receiver(), new MemoryLeases()];
    const endpointId = await rig.endpoint(to.url('/'), ['stream.ready']);
    const own = partitionLease(partitionOf(OWNER));
    const state = { logIsAway: true, asked: 0, holdsUp: false, release: NOTHING };
    const log = Object.create(rig.log) as EventLog;
    log.append = async (name, ...rest) => {
      if (name === deliveryEventStream(OWNER)) state.asked += 1;
      if (name === deliveryEventStream(OWNER) && state.logIsAway) throw new StoreUnavailable('away');
      return rig.log.append(name, ...rest);
    };
    // The partition before it is blocked in the middle of saving.
    const documents: Documents = new Proxy(rig.documents, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (member !== 'writeBatch') return typeof value === 'function' ? value.bind(target) : value;
        return async (...[collection, writes, checkpoint]: Parameters<Documents['writeBatch']>) => {
          if (state.holdsUp && checkpoint.name === partitionLease(0)) await new Promise<void>((resolve) => (state.release = resolve));
          return target.writeBatch(collection, writes, checkpoint);
        };
      },
    });
    const saved = async (name: string) => (await rig.documents.readCheckpoint(name))?.position;
    rig.node({ leases, log, documents, saveMilliseconds: 100 });
    await eventually(async () => (await saved(own)) === (await rig.log.head()));
    state.holdsUp = true;
    await requestDelivery(rig, { type: 'PingRequested', data: { endpointId, deliveryId: crypto.randomUUID() } }, rig.by(OWNER));
    const asked = await rig.log.head();
    await eventually(() => state.asked > 0);
    await eventually(() => state.release !== NOTHING);
    leases.lose(own);
    const other = await leases.tryAcquire(own);
    state.holdsUp = false;
    state.release();
    await eventually(async () => (await saved(partitionLease(PARTITIONS - 1))) === asked);
    state.logIsAway = false;
    await other?.release();
    await answers(rig, 1);
    expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered' }]);
  });

  it('leaves a delivery that it is preparing to the next holder of its partition', async () => {
    const [rig, to, leases] = [await deliveryRig(), await receiver(), new MemoryLeases()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answerStatus('/', 500);
    const first = rig.node({ baseMilliseconds: 500 });
    const streamId = await rig.stream();
    await rig.attempted(1);
    await first.stop();
    to.answerStatus('/', 204);
    const own = partitionLease(partitionOf(OWNER));
    let elsewhere: Promise<unknown> | null = null;
    const log = Object.create(rig.log) as EventLog;
    log.readStream = async (name, range) => {
      const events = await rig.log.readStream(name, range);
      if (name !== `stream-${streamId}` || range?.limit !== 1 || elsewhere) return events;
      leases.lose(own);
      await leases.tryAcquire(own);
      rig.node();
      elsewhere = rig.attempted(2);
      await elsewhere;
      return events;
    };
    const second = rig.node({ leases, log });
    await eventually(() => elsewhere !== null);
    await elsewhere;
    await second.stop();
    expect(to.received.length).toBe(2);
  });

  it('stops without waiting for a log that is away, and repeats unrecorded attempts later', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    const log = Object.create(rig.log) as EventLog;
    let asked = 0;
    log.append = async () => {
      asked += 1;
      throw new StoreUnavailable('away');
    };
    const hasty = { ...systemClock, pause: (milliseconds: number, signal?: AbortSignal) => systemClock.pause(milliseconds / 50, signal) };
    const node = rig.node({ log, clock: hasty });
    await rig.stream();
    await eventually(() => asked > 0);
    await node.stop();
    rig.node();
    expect(await rig.attempted(1)).toMatchObject([{ outcome: 'delivered' }]);
  });

  describe('while the facts of a delivery are being written', () => {
    /** The rig's log. Before facts of `OWNER` are appended, it calls `happens`. */
    const beforeAppend = (rig: DeliveryRig, happens: () => Promise<void> | void): EventLog => {
      const log = Object.create(rig.log) as EventLog;
      log.append = async (name, ...rest) => {
        if (name === deliveryEventStream(OWNER)) await happens();
        return rig.log.append(name, ...rest);
      };
      return log;
    };
    const hasty = { ...systemClock, pause: (milliseconds: number, signal?: AbortSignal) => systemClock.pause(milliseconds / 50, signal) };
    const away = () => {
      throw new StoreUnavailable('away');
    };
    /** A point that work waits at, once it `holds`, until it opens. */
    const gate = () => {
      const state = { holds: false, waiting: false, open: NOTHING };
      const opened = new Promise<void>((resolve) => (state.open = resolve));
      const pass = async () => {
        if (!state.holds) return;
        state.waiting = true;
        await opened;
      };
      return { state, pass };
    };

    it('it sends nothing', async () => {
      const [rig, to] = [await deliveryRig(), await receiver()];
      await rig.endpoint(to.url('/'), ['stream.ready']);
      const { state, pass } = gate();
      rig.node({ log: beforeAppend(rig, pass) });
      await rig.stream();
      await rig.attempted(1);
      state.holds = true;
      await rig.stream();
      await eventually(() => state.waiting);
      // If it were sent, it would have arrived before this request.
      await fetch(to.url('/probe'), { method: 'POST', body: '{}' });
      expect(to.types('/')).toEqual(['stream.ready']);
      state.open();
      await rig.attempted(2);
      expect(to.types('/')).toEqual(['stream.ready', 'stream.ready']);
    });

    it('it sends each webhook once, however often the append fails', async () => {
      const [rig, to] = [await deliveryRig(), await receiver()];
      await rig.endpoint(to.url('/'), ['stream.ready']);
      let failures = 0;
      const fails = () => {
        if (failures-- > 0) away();
      };
      rig.node({ clock: hasty, log: beforeAppend(rig, fails) });
      await rig.stream();
      await rig.attempted(1);
      failures = 5;
      await rig.stream();
      await rig.stream();
      expect((await rig.attempted(3)).map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered']);
      expect(to.received.length).toBe(3);
      expect(failures).toBeLessThan(0);
    });
  });

  it('finishes running attempts when it stops', async () => {
    const [rig, to] = [await deliveryRig(), await receiver()];
    await rig.endpoint(to.url('/'), ['stream.ready']);
    to.answer('/', (_, response) => setTimeout(() => response.writeHead(204).end(), 300));
    const node = rig.node();
    await rig.stream();
    await eventually(() => to.received.length === 1);
    await node.stop();
    expect(await rig.attempts()).toMatchObject([{ outcome: 'delivered' }]);
  });
});
