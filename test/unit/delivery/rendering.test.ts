import { describe, expect, it } from 'vitest';
import {
  type DynamicTarget,
  type EventContext,
  NEWEST_BODY_VERSION,
  WEBHOOK_SOURCE_TYPES,
  webhookTypes,
} from '../../../src/delivery/plan/webhookTypes.ts';
import { BODY_VERSIONS, bodyFor } from '../../../src/delivery/send/rendering.ts';
import { isStreamEvent, type StreamEvent } from '../../../src/domain/stream/events.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhookEndpoints/webhookEventTypes.ts';
import { canonicalJson } from '../../../src/stores/canonicalJson.ts';
import type { DomainEvent, RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { completed, failed, link, OWNER, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { recorded as recordedStory } from '../projections/given.ts';

const CREATED = streamCreated([link('echo', null), link('second', null)]);

const recorded = (...events: readonly (readonly [string, DomainEvent])[]): RecordedEvent[] =>
  recordedStory(...events).map((event, n) => ({ ...event, id: `00000000-0000-4000-8000-00000000000${n}` }));

const rendered = (event: RecordedEvent, type: string, context: EventContext, renderer = NEWEST_BODY_VERSION.full): string => {
  const renders = BODY_VERSIONS[renderer];
  if (!renders) throw new Error(`there is no renderer ${renderer}`);
  return bodyFor(renders(event, type, context), 'endpoint');
};

/** Types and envelopes of the webhooks of a stream's events, in order. */
const told = (...events: StreamEvent[]) => toldBy(NEWEST_BODY_VERSION.full, ...events);

const toldBy = (renderer: number, ...events: StreamEvent[]) => {
  let stream: StreamAggregate | null = null;
  return recorded(...events.map((event) => [`stream-${STREAM}`, event] as const)).flatMap((event) => {
    if (!isStreamEvent(event)) return [];
    stream = evolveStream(stream, event, event.metadata.time);
    const context: EventContext = { kind: 'stream', stream };
    return webhookTypes(event, context).map((type) => ({ type, body: JSON.parse(rendered(event, type, context, renderer)) }));
  });
};

const group = (event: DomainEvent, renderer: number = NEWEST_BODY_VERSION.full, targets: readonly DynamicTarget[] = []) => {
  const [one] = recorded([`group-${STREAM}`, event]);
  const context: EventContext = { kind: 'group', groupId: STREAM, creatorId: OWNER, targets };
  return webhookTypes(one as RecordedEvent, context).map((type) => ({
    type,
    body: JSON.parse(rendered(one as RecordedEvent, type, context, renderer)),
  }));
};

const typesOf = (all: readonly { type: string }[]): string[] => all.map(({ type }) => type);

/** The same event with its members in canonical order, as a store returns it that keeps canonical text. */
const readBack = (event: StreamEvent): StreamEvent => JSON.parse(canonicalJson(event));

it('renders the same bytes for an event just appended and for the event read from the log', () => {
  const history = [CREATED, uploaded, started('echo'), completed('echo')];
  expect(JSON.stringify(readBack(CREATED)), 'the order of members differs').not.toBe(JSON.stringify(CREATED));
  const bodies = (events: StreamEvent[]) => {
    let stream: StreamAggregate | null = null;
    return recorded(...events.map((event) => [`stream-${STREAM}`, event] as const)).flatMap((event) => {
      if (!isStreamEvent(event)) return [];
      stream = evolveStream(stream, event, event.metadata.time);
      const context: EventContext = { kind: 'stream', stream };
      return webhookTypes(event, context).map((type) => rendered(event, type, context));
    });
  };
  expect(bodies(history.map(readBack))).toEqual(bodies(history));
});

describe('the webhooks of a log', () => {
  it('cover a completed stream', () => {
    const all = told(
      CREATED,
      uploaded,
      started('echo'),
      completed('echo'),
      { type: 'StreamCompleted', data: {} },
      { type: 'StreamExpired', data: { reason: 'x' } },
    );
    expect(typesOf(all)).toEqual([
      'stream.ready',
      'gateway.connected',
      'gateway.disconnected',
      'gateway.closed',
      'processor.running',
      'processor.completed',
      'stream.completed',
      'stream.expired',
    ]);
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(all.length);
  });

  it('cover a failed stream and an interrupted upload', () => {
    expect(
      typesOf(told(CREATED, { type: 'UploadFailed', data: { reason: 'gone' } }, { type: 'StreamFailed', data: { reason: 'gone' } })),
    ).toEqual(['stream.ready', 'gateway.connected', 'gateway.error', 'stream.failed']);
    expect(typesOf(told(CREATED, uploaded, started('echo'), failed('echo'))).at(-1)).toBe('processor.error');
  });

  it('close the gateway of a cancelled stream only during its upload', () => {
    const canceled: StreamEvent = { type: 'StreamCanceled', data: { reason: 'Canceled by user' } };
    expect(typesOf(told(CREATED, canceled)).slice(2)).toEqual(['stream.failed', 'gateway.closed']);
    expect(typesOf(told(CREATED, uploaded, canceled)).slice(4)).toEqual(['stream.failed']);
  });

  it('include those of the group that a stream has to itself, in order, each with an id of its own', () => {
    const lone = streamCreated([link('echo', null)], { ownGroup: true });
    const all = told(lone, { type: 'StreamCompleted', data: {} }, { type: 'StreamExpired', data: { reason: 'x' } });
    expect(typesOf(all)).toEqual([
      ...['group.created', 'group.stream-joined', 'stream.ready', 'gateway.connected'],
      ...['stream.completed', 'group.completed', 'stream.expired', 'group.expired'],
    ]);
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(all.length);
    const again = { attempt: 2, from: null, reason: null, streamConfigurationTemplateId: 't', processors: [], idempotency: null };
    const rerun: StreamEvent[] = [
      { type: 'StreamCompleted', data: {} },
      { type: 'RerunStarted', data: again },
      { type: 'StreamFailed', data: { reason: null, attempt: 2 } },
    ];
    expect(typesOf(told(lone, ...rerun)).slice(4)).toEqual(['stream.completed', 'group.completed', 'stream.failed', 'group.failed']);
  });

  it('leave the group to its own event stream once another stream has joined', () => {
    const lone = streamCreated([link('echo', null)], { ownGroup: true });
    const shared = told(lone, { type: 'OwnGroupShared', data: {} }, { type: 'StreamCompleted', data: {} });
    expect(typesOf(shared).slice(4)).toEqual(['stream.completed']);
    expect(typesOf(group({ type: 'GroupContinued', data: {} }))).toEqual([]);
  });

  it('have the same payloads for the group of a lone stream as for any other', () => {
    const payloads = (all: ReturnType<typeof told>) => all.filter(({ type }) => type.startsWith('group.')).map(({ body }) => body.payload);
    const created = streamCreated([link('echo', null)], { ownGroup: true });
    const targets = created.data.configuration.dynamicWebhookEndpoints.map((endpoint) => ({ endpoint, streamId: STREAM }));
    expect(targets).toHaveLength(1);
    for (const renderer of Object.keys(BODY_VERSIONS).map(Number)) {
      const lone = toldBy(renderer, created, { type: 'StreamCompleted', data: {} });
      const shared: DomainEvent[] = [
        { type: 'GroupCreated', data: { groupId: STREAM, creatorId: OWNER } },
        { type: 'StreamJoined', data: { groupId: STREAM, streamId: STREAM, streamSubject: OWNER, webhooks: [] } },
        { type: 'GroupCompleted', data: {} },
      ];
      expect(JSON.stringify(payloads(lone))).toBe(JSON.stringify(payloads(shared.flatMap((event) => group(event, renderer, targets)))));
    }
  });

  it('cover every type that wildcards include', () => {
    const streams = told(
      CREATED,
      uploaded,
      started('echo'),
      completed('echo'),
      failed('second'),
      { type: 'StreamCompleted', data: {} },
      { type: 'StreamFailed', data: { reason: null } },
      { type: 'StreamExpired', data: { reason: 'x' } },
    );
    const broken = told(CREATED, { type: 'UploadFailed', data: { reason: 'gone' } });
    const groups = ['GroupCreated', 'GroupCompleted', 'GroupFailed', 'GroupExpired'].flatMap((type) => group({ type, data: {} }));
    const joined = group({ type: 'StreamJoined', data: { groupId: STREAM, streamId: STREAM, streamSubject: OWNER, webhooks: [] } });
    const sent = new Set(typesOf([...streams, ...broken, ...groups, ...joined]));
    expect(sent, 'Add the event of a new type above').toEqual(new Set(WEBHOOK_EVENT_TYPES));
    expect(WEBHOOK_SOURCE_TYPES).not.toContain('PingRequested');
  });
});

describe('a body', () => {
  it('contains the whole stream as of its event', () => {
    const [ready] = told(CREATED, uploaded, { type: 'StreamCompleted', data: {} });
    expect(ready?.body).toMatchObject({
      type: 'stream.ready',
      webhookEndpointId: 'endpoint',
      timestamp: Date.UTC(2026, 0, 1, 10, 0),
      payloadSchema: 'tributary.events.v1.StreamStateEvent',
      payload: { streamId: STREAM, groupId: STREAM, state: 'READY', subject: OWNER, stream: { streamId: STREAM, state: 'READY' } },
    });
    expect(Object.keys(ready?.body.payload)).toEqual(['streamId', 'groupId', 'state', 'subject', 'stream', 'dynamicWebhookEndpoints']);
  });

  it('has the documented payloads of processors, gateways and groups', () => {
    const all = told(CREATED, uploaded, started('echo'), failed('echo', 1, 'no speech'));
    const payload = (type: string) => all.find((one) => one.type === type)?.body.payload;
    expect(payload('processor.error')).toEqual({
      streamId: STREAM,
      processorConfigurationId: 'echo',
      state: 'ERROR',
      details: 'no speech',
      subject: OWNER,
    });
    expect(payload('processor.running')).toMatchObject({ state: 'RUNNING', details: null });
    expect(payload('gateway.closed')).toEqual({ streamId: STREAM, state: 'CLOSED', gatewayHost: null, subject: OWNER });
    expect(group({ type: 'GroupFailed', data: {} })[0]?.body.payload).toEqual({
      groupId: STREAM,
      state: 'FAILED',
      subject: OWNER,
      dynamicWebhookEndpoints: [],
    });
  });
});

describe('a slim body', () => {
  const SLIM = NEWEST_BODY_VERSION.slim;

  it('contains ids and links instead of the stream', () => {
    const all = toldBy(SLIM, CREATED, uploaded, started('echo'), failed('echo', 1, 'no speech'));
    const links = { stream: `/stream-service/api/v1/streams/${STREAM}`, group: `/stream-service/api/v1/groups/${STREAM}`, event: null };
    const ids = { subject: OWNER, streamId: STREAM, groupId: STREAM };
    expect(all[0]?.body).toEqual({
      id: expect.any(String),
      type: 'stream.ready',
      webhookEndpointId: 'endpoint',
      timestamp: Date.UTC(2026, 0, 1, 10, 0),
      payloadSchema: 'tributary.events.v1.SlimEvent',
      payload: { ...ids, processorConfigurationId: null, links },
    });
    expect(all.at(-1)?.body).toMatchObject({ type: 'processor.error', payload: { ...ids, processorConfigurationId: 'echo', links } });
  });

  it('has the same id as the full body', () => {
    const [full, slim] = [told(CREATED), toldBy(SLIM, CREATED)];
    expect(slim.map(({ body }) => body.id)).toEqual(full.map(({ body }) => body.id));
  });

  it('names the stream that joined a group', () => {
    const streamId = '00000000-0000-4000-8000-00000000000a';
    const joined = { type: 'StreamJoined', data: { groupId: STREAM, streamId, streamSubject: OWNER, webhooks: [] } };
    expect(group(joined, SLIM)[0]?.body.payload).toMatchObject({ subject: OWNER, streamId, groupId: STREAM });
    expect(group({ type: 'GroupFailed', data: {} }, SLIM)[0]?.body.payload).toMatchObject({ streamId: null, groupId: STREAM });
  });

  it('does not grow with the configuration', () => {
    const large = structuredClone(CREATED);
    for (const processor of large.data.configuration.processors) processor.properties = { prompt: 'x'.repeat(100_000) };
    const sizes = [CREATED, large].map((created) => JSON.stringify(toldBy(SLIM, created)).length);
    expect(sizes[1]).toBe(sizes[0]);
    expect(sizes[0]).toBeLessThan(2_000);
  });
});
