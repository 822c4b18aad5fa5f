import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handleStream } from '../../../src/commands/loadStream.ts';
import { EventContexts } from '../../../src/delivery/plan/eventContexts.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { expireStream } from '../../../src/domain/stream/decisions.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { completed, link, OWNER, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { recorded } from '../projections/given.ts';

const MEBIBYTE = 1_048_576;
const STREAMS = 40;

const created = (headers: Record<string, string>): StreamEvent => {
  const event = streamCreated([link('echo', null)]);
  const { configuration } = event.data;
  const dataSource = { ...configuration.dataSource, headers };
  return { ...event, data: { ...event.data, configuration: { ...configuration, dataSource, dynamicWebhookEndpoints: [] } } };
};

/** Which of the streams are cached after the events of all were looked at, in order. */
const cachedOf = async (headers: () => Record<string, string>): Promise<boolean[]> => {
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const contexts = new EventContexts(log);
  const names = Array.from({ length: STREAMS }, (_, n) => `stream-${n}`);
  for (const name of names) for (const event of recorded([name, created(headers())])) await contexts.of(event);
  return names.map((name) => contexts.hasNoDynamicWebhook(name));
};

test('caches streams with up to 8 MiB of configurations, newest first', async () => {
  const cached = await cachedOf(() => ({ large: 'x'.repeat(MEBIBYTE) }));
  expect(cached.at(-1)).toBe(true);
  expect(cached[0]).toBe(false);
  expect(cached.filter(Boolean).length).toBeLessThanOrEqual(8);
});

test('caches all streams whose configurations are small', async () => {
  expect(await cachedOf(() => ({}))).toEqual(Array(STREAMS).fill(true));
});

/** A group of this many streams. The tenth one brings a webhook. */
const groupOf = async (streams: number) => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const joined = (n: number) => {
    const webhooks = n === 10 ? [{ url: 'http://192.0.2.1/', events: ['*'] }] : [];
    return { type: 'StreamJoined' as const, data: { groupId: 'g', streamId: randomUUID(), streamSubject: OWNER, webhooks } };
  };
  const events = [
    { type: 'GroupCreated' as const, data: { groupId: 'g', creatorId: OWNER } },
    ...Array.from({ length: streams }, (_, n) => joined(n)),
  ];
  const context = { subject: OWNER, actor: OWNER, correlationId: 'c', causationId: 'c' };
  const appended = await log.append('group-g', { revision: 'no stream', hash: null }, events, context);
  return { store, contexts: new EventContexts(log), events: appended.events };
};

test('folds a group once, also for its older events', async () => {
  const { store, contexts, events } = await groupOf(200);
  const targetsAt = async (revision: number): Promise<number> => {
    const event = events[revision];
    const context = event && (await contexts.of(event));
    return context?.kind === 'group' ? context.targets.length : Number.NaN;
  };
  expect(await targetsAt(200)).toBe(1);
  const reads = store.reads;
  expect(await Promise.all([0, 5, 10, 11, 150].map(targetsAt))).toEqual([0, 0, 0, 1, 1]);
  expect(store.reads).toBe(reads);
});

test('does not read a stream again for its last event after a command has changed it', async () => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const streamId = randomUUID();
  const context = { subject: OWNER, actor: OWNER, correlationId: 'c', causationId: 'c' };
  const { head } = await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created({})], context);
  await log.append(`stream-${streamId}`, head, [{ type: 'StreamCompleted', data: {} }], context);
  const contexts = new EventContexts(log);
  const expire = () => handleStream({ log }, streamId, (stream) => expireStream(stream, 'Retention'), context);
  await expire();
  const [, completed, expired] = await log.readStream(`stream-${streamId}`, { limit: 3 });
  const reads = store.reads;
  const stateOf = async (event: RecordedEvent | undefined) => {
    const found = event && (await contexts.of(event));
    return found?.kind === 'stream' ? found.stream.stream.state : undefined;
  };
  expect(await stateOf(expired)).toBe('EXPIRED');
  expect(store.reads).toBe(reads);
  expect(await stateOf(completed)).toBe('COMPLETED');
});

test('reads nothing while it follows a stream live, in whatever commits its events come', async () => {
  const store = new MemoryEventStore();
  const log = openEventLog({ store, keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: new ManualClock() });
  const contexts = new EventContexts(log);
  const streamId = randomUUID();
  const context = { subject: OWNER, actor: OWNER, correlationId: 'c', causationId: 'c' };
  const append = (...events: StreamEvent[]) => handleStream({ log }, streamId, () => events, context);
  let seen = 0;
  const follow = async () => {
    const events = await log.readStream(`stream-${streamId}`, { from: BigInt(seen), limit: 10 });
    const reads = store.reads;
    for (const event of events) await contexts.of(event);
    expect(store.reads).toBe(reads);
    expect(contexts.hasNoDynamicWebhook(`stream-${streamId}`)).toBe(true);
    seen += events.length;
  };
  await append(created({}), uploaded);
  await follow();
  await append(started('echo'));
  await follow();
  await append(completed('echo'), { type: 'StreamCompleted', data: {} });
  await follow();
  expect(seen).toBe(5);
});
