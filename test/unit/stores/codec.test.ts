import { describe, expect, test } from 'vitest';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { TranscriptEvent } from '../../../src/domain/transcript/events.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import type { AppendContext, DomainEvent, EventSchemas, StreamHead } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { completed, failed, link, OTHER, OWNER, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';

const NEW: StreamHead = { revision: 'no stream', hash: null };
const by: AppendContext = { subject: OWNER, actor: 'credential', correlationId: 'correlation', causationId: 'cause' };
const created = streamCreated([link('echo', null)]);

const opened = (schemas: EventSchemas = EVENT_SCHEMAS) => {
  const store = new MemoryEventStore();
  const keys = new MemoryKeys();
  const on = (others: EventSchemas) => openEventLog({ store, keys, schemas: others, clock: new ManualClock() });
  return { store, keys, log: on(schemas), on };
};

describe('an appended event', () => {
  test('round-trips unchanged', async () => {
    const { log } = opened();
    const { events, head } = await log.append(`stream-${STREAM}`, NEW, [created, uploaded], by);
    const read = await log.readStream(`stream-${STREAM}`);
    expect(read.map(({ data }) => data)).toEqual([created.data, uploaded.data]);
    expect(read.map(({ id, metadata }) => ({ id, metadata }))).toEqual(events.map(({ id, metadata }) => ({ id, metadata })));
    expect(read.map(({ revision }) => revision)).toEqual([0n, 1n]);
    expect(head).toEqual({ revision: 1n, hash: read[1]?.metadata.hash });
  });

  test('carries actor, time, cause and the hash of the previous event', async () => {
    const { log } = opened();
    const { events } = await log.append('stream-x', NEW, [created, uploaded], by);
    expect(events[1]?.metadata).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      subject: OWNER,
      actor: 'credential',
      $correlationId: 'correlation',
      $causationId: 'cause',
      schemaVersion: 1,
      previousHash: events[0]?.metadata.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(events[0]?.metadata.previousHash).toBeNull();
  });

  test('chains over several appends, and verifies', async () => {
    const { log, store } = opened();
    const { head } = await log.append('stream-x', NEW, [created], by);
    await log.append('stream-x', head, [uploaded, started('echo'), completed('echo')], by);
    expect(await verifyChain(store.events)).toEqual({ ok: true, checked: 4, firstBroken: null });
  });

  test.each<[string, DomainEvent]>([
    ['an unknown type', { type: 'Guessed', data: {} }],
    ['a member too many', { type: 'StreamCompleted', data: { why: 'x' } }],
    ['a member too few', { type: 'UploadFailed', data: {} }],
    ['a wrong type', { type: 'ProcessorStarted', data: { processorId: 'echo', attempt: '1' } }],
    ['attempts from 1', { type: 'ProcessorStarted', data: { processorId: 'echo', attempt: 0 } }],
    ['a BigInt', { type: 'UploadCompleted', data: { ...uploaded.data, bytes: 5n } }],
  ])('is refused for %s, and nothing is stored', async (_, event) => {
    const { log, store } = opened();
    await expect(log.append('stream-x', NEW, [created, event], by)).rejects.toThrow();
    expect(store.events).toEqual([]);
  });

  test('has a deterministic id under an idempotency key', async () => {
    const [first, second] = [opened(), opened()];
    const keyed = { ...by, idempotencyKey: 'run-1' };
    const one = await first.log.append('stream-x', NEW, [created, uploaded], keyed);
    const two = await second.log.append('stream-x', NEW, [created, uploaded], keyed);
    expect(one.events.map(({ id }) => id)).toEqual(two.events.map(({ id }) => id));
    expect(one.events[0]?.id).not.toBe(one.events[1]?.id);
  });

  test("is stored once if the store's answer is lost", async () => {
    const { log, store } = opened();
    let losses = 1;
    store.beforeAppend = () => () => {
      if (losses-- > 0) throw new StoreUnavailable('the answer was lost');
    };
    const { revision } = await log.append('stream-x', NEW, [created], by);
    expect([revision, store.events.length]).toEqual([0n, 1]);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true });
  });

  test('is retried at most twice', async () => {
    const { log, store } = opened();
    let tries = 0;
    store.beforeAppend = () => {
      tries++;
      throw new StoreUnavailable('away');
    };
    await expect(log.append('stream-x', NEW, [created], by)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(tries).toBe(3);
  });
});

describe('personal members', () => {
  const secrets = ['Board meeting', 'Ms Brown', 'secret-path'];

  test('are not stored in plain text', async () => {
    const { log, store } = opened();
    const data = {
      groupId: STREAM,
      streamId: STREAM,
      streamSubject: OWNER,
      webhooks: [{ url: 'https://x.org/secret-path', events: ['*'] }],
    };
    await log.append('stream-x', NEW, [created], by);
    await log.append('group-x', NEW, [{ type: 'StreamJoined', data }], by);
    const stored = JSON.stringify(store.events, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    for (const secret of secrets) expect(stored).not.toContain(secret);
    expect(store.events[0]?.data.name).toEqual({ $personal: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) });
  });

  test("read as null after the subject's erasure, and the chain still verifies", async () => {
    const { log, store, keys } = opened();
    await log.append('stream-x', NEW, [created], by);
    await log.append('stream-y', NEW, [created], { ...by, subject: OTHER });
    await keys.destroySubjectKey(OWNER);
    const [erased, kept] = await log.readAll({ after: null, limit: 10 });
    expect(erased?.data).toMatchObject({
      name: null,
      configuration: { processors: [{ properties: null }], dynamicWebhookEndpoints: [{ url: null, events: ['*'] }] },
    });
    expect(kept?.data).toEqual(created.data);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true });
  });

  test.each(['subject', 'event stream'])('of an event stream with a key of its own are gone with the key of its %s', async (whose) => {
    const { log, store, keys } = opened();
    const edited: TranscriptEvent = {
      type: 'TranscriptEdited',
      data: { attempt: 1, revision: 1, edits: [{ op: 'name', speaker: 'A', name: 'Ms Brown' }] },
    };
    for (const eventStream of ['transcript-x', 'transcript-y']) await log.append(eventStream, NEW, [edited], by);
    expect(JSON.stringify(store.events.map(({ data }) => data))).not.toContain('Ms Brown');
    expect((await log.readAll({ after: null, limit: 10 })).map(({ data }) => data)).toEqual([edited.data, edited.data]);
    if (whose === 'subject') await keys.destroySubjectKey(OWNER);
    else await keys.destroyEventStreamKey('transcript-x');
    const [x, y] = await log.readAll({ after: null, limit: 10 });
    expect(x?.data).toEqual({ ...edited.data, edits: null });
    expect(y?.data).toEqual(whose === 'subject' ? x?.data : edited.data);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true });
  });

  test('are not written for an erased subject', async () => {
    const { log, store, keys } = opened();
    await keys.subjectKey(OWNER, { create: true });
    await keys.destroySubjectKey(OWNER);
    await log.append('stream-x', NEW, [created], by);
    expect(store.events[0]?.data.name).toBeNull();
  });

  test('are unreadable if changed or moved', async () => {
    const { log, store } = opened();
    await log.append('stream-x', NEW, [created], by);
    await log.append('stream-y', NEW, [created], by);
    const name = store.events[0]?.data.name ?? null;
    store.events = store.events.map((event, i) => (i === 1 ? { ...event, data: { ...event.data, name } } : event));
    await expect(log.readStream('stream-y')).rejects.toThrow('/name cannot be decrypted');
  });

  test("do not include a caller's member of the same name", async () => {
    const { log } = opened();
    const event = streamCreated([link('echo', null)]);
    const properties = { $personal: 'AAAA' };
    const [processor] = event.data.configuration.processors;
    if (!processor) throw new Error('no processor');
    event.data.configuration.processors = [{ ...processor, properties }];
    event.data.configuration.dataSource.headers = properties;
    await log.append('stream-x', NEW, [event], by);
    expect((await log.readStream('stream-x'))[0]?.data).toEqual(event.data);
  });

  test('need one key lookup per subject and page', async () => {
    const { log, keys } = opened();
    for (let i = 0; i < 20; i++) await log.append(`stream-${i}`, NEW, [created], by);
    keys.reads = 0;
    await log.readAll({ after: null, limit: 100 });
    expect(keys.reads).toBe(1);
  });
});

describe('older versions', () => {
  const text = { type: 'string' };
  const first: EventSchemas = {
    Noted: { version: 1, schema: { type: 'object', properties: { remark: { ...text, personal: true }, n: { type: 'number' } } } },
  };
  const third: EventSchemas = {
    Noted: {
      version: 3,
      schema: { type: 'object', properties: { note: { type: 'object', properties: { text: { ...text, personal: true } } } } },
      upcast: {
        1: ({ remark, n }) => ({ text: remark ?? null, n: n ?? 0 }),
        2: ({ text, n }) => ({ note: { text: text ?? null, times: n ?? 0 } }),
      },
    },
  };

  test('are upcast step by step on reading, personal members included, and stay unchanged in the store', async () => {
    const { log, on, store } = opened(first);
    const { head } = await log.append('x-1', NEW, [{ type: 'Noted', data: { remark: 'hello', n: 2 } }], by);
    const before = structuredClone(store.events);
    const newer = on(third);
    await newer.append('x-1', head, [{ type: 'Noted', data: { note: { text: 'again' } } }], by);
    const read = await newer.readStream('x-1');
    expect(read.map(({ data }) => data)).toEqual([{ note: { text: 'hello', times: 2 } }, { note: { text: 'again' } }]);
    expect(store.events[0]).toEqual(before[0]);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true, checked: 2 });
  });

  test('of a newer program are refused with an explanation', async () => {
    const { log, on } = opened(third);
    await log.append('x-1', NEW, [{ type: 'Noted', data: { note: { text: 'x' } } }], by);
    await expect(on(first).readStream('x-1')).rejects.toThrow('was written by a newer version');
  });

  test('of a newer program stop only readers that need them, in pages and subscriptions', async () => {
    const { log, on } = opened(third);
    await log.append('x-1', NEW, [{ type: 'Noted', data: { note: { text: 'x' } } }], by);
    const reading = new AbortController();
    const [page] = await on(first).readAll({ after: null, limit: 10 });
    const { value: item } = await on(first).subscribe({ after: null, signal: reading.signal })[Symbol.asyncIterator]().next();
    reading.abort();
    for (const event of [page, item?.kind === 'event' ? item.event : undefined]) {
      expect([event?.type, event?.eventStream, event?.revision]).toEqual(['Noted', 'x-1', 0n]);
      expect(() => event?.data).toThrow('was written by a newer version');
    }
  });
});

test('gives a subscription the same events as pages, and reports when it has caught up', async () => {
  const { log } = opened();
  await log.append('stream-x', NEW, [created, uploaded, started('echo'), failed('echo')], by);
  const seen: unknown[] = [];
  for await (const item of log.subscribe({ after: null, signal: new AbortController().signal })) {
    seen.push(item.kind === 'event' ? item.event : item.kind);
  }
  expect(seen).toEqual([...(await log.readStream('stream-x')), 'caughtUp']);
});
