import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { carryOutDeletion, deleteStream } from '../../../src/commands/expireStream.ts';
import { joinStream, loadGroup } from '../../../src/commands/groups.ts';
import { loadStream } from '../../../src/commands/loadStream.ts';
import { openExpiries } from '../../../src/commands/openStreams/expiries.ts';
import { OPEN_STREAMS } from '../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../src/commands/openStreams/sharedRunning.ts';
import { openResumableUploads } from '../../../src/commands/resumableUploads.ts';
import { Excerpts, holdsExcerpts } from '../../../src/delivery/send/excerpts.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { silentLogger } from '../../../src/logger.ts';
import { runGroupsPolicy } from '../../../src/policies/groups.ts';
import { type OpenStreamsDeps, runOpenStreamsPolicy } from '../../../src/policies/openStreams.ts';
import { type RetentionDeps, runRetentionPolicy, sweepTopics } from '../../../src/policies/retention.ts';
import { DISK_ELSEWHERE } from '../../../src/stores/diskSpace.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { openLiveReaders } from '../../../src/stores/leases/liveReaders.ts';
import { advancing, eventually } from '../../eventually.ts';
import { link, OWNER, streamCreated } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { openPlatform } from '../projections/node.ts';
import { type Policy, runPolicy } from './runPolicy.ts';

const context = { subject: OWNER, actor: 'test', correlationId: 'c', causationId: 'c' };
const caller = { subject: OWNER, actor: 'test', roles: ['user'] as const };
const COMPLETED: StreamEvent = { type: 'StreamCompleted', data: {} };

/** Notes what ends, and deletes what is due. The first one always sleeps between its sweeps. */
const bothPolicies = async (deps: OpenStreamsDeps & RetentionDeps, signal: AbortSignal): Promise<void> => {
  await Promise.all([runOpenStreamsPolicy(deps, signal), runRetentionPolicy(deps, signal)]);
};

const open = async () => {
  const clock = new ManualClock();
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, clock, subject: OWNER });
  const { documents } = platform;
  await documents.ensureCollection(OPEN_STREAMS);
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock });
  onTestFinished(() => topics.close());
  const runningStreams = new SharedRunning({ documents, clock, limit: 100, totalLimit: 1_000_000, node: async () => null });
  const deps = {
    ...platform,
    topics,
    clock,
    logger: silentLogger,
    runningStreams,
    resumableUploads: await openResumableUploads({ ...platform, topics, clock, runningStreams, expireMilliseconds: 3_600_000 }),
    expiries: openExpiries(documents),
    liveReaders: await openLiveReaders({ documents, clock }),
    periods: { ephemeral: 60_000, persistent: 600_000 },
    isKept: async (topic: string) => holdsExcerpts(topic, clock.now()),
  };
  const tell = async (streamId: string, ...events: StreamEvent[]) => {
    // The events are plain JSON.
    for (const { type, data } of events) await platform.append(`stream-${streamId}`, type, JSON.parse(JSON.stringify(data)));
  };
  /** A stream with bytes in its source and in its sink. */
  const create = async (persist = false, groupId: string = randomUUID(), keepSeconds?: number) => {
    const [streamId, source, sink] = [randomUUID(), randomUUID(), randomUUID()];
    const created = streamCreated([link('echo', null)], { streamId, groupId, persist, ...(keepSeconds !== undefined && { keepSeconds }) });
    created.data.configuration.dataSource.topic = `persistent://t/data-sources/${source}`;
    for (const { destination } of created.data.configuration.processors) destination.topic = `persistent://t/data-sinks/${sink}`;
    for (const topic of [source, sink]) {
      await topics.create(topic);
      await topics.append(topic, [Buffer.from('bytes')]);
      await topics.seal(topic, topic === source ? { streamId } : {});
    }
    await tell(streamId, created);
    const state = async () => (await loadStream(deps.log, streamId))?.stream;
    const bytes = async () => (await Promise.all([source, sink].map((topic) => topics.size(topic)))).filter(Boolean).length;
    return { streamId, groupId, source, sink, state, bytes };
  };
  const run = (policy: Policy<typeof deps> = bothPolicies) => runPolicy(policy, deps);
  const noted = (...streamIds: string[]) =>
    eventually(async () => expect((await deps.expiries.noted(streamIds)).size).toBe(streamIds.length));
  /** Lets time pass, a look of the policy at a time: each when all are asleep that sleep when they have nothing to do. */
  const pass = async (milliseconds: number, sleepers = 2) => {
    for (let passed = 0; passed < milliseconds; passed += 1_000) {
      await eventually(() => clock.sleeping >= sleepers);
      await clock.advance(1_000);
    }
    await eventually(() => clock.sleeping >= sleepers);
  };
  return { ...deps, tell, create, run, noted, pass };
};

describe('the retention policy', () => {
  it('expires an ephemeral stream when it is due, a persistent one later, and keeps their end', async () => {
    const { create, tell, run, noted, pass } = await open();
    run();
    const [short, long] = [await create(), await create(true)];
    for (const { streamId } of [short, long]) await tell(streamId, COMPLETED);
    await noted(short.streamId, long.streamId);
    const before = await short.state();
    await pass(58_000);
    expect([(await short.state())?.state, await short.bytes()]).toEqual(['COMPLETED', 2]);
    await pass(4_000);
    await eventually(async () => expect(await short.state()).toEqual({ ...before, state: 'EXPIRED' }));
    expect(await short.bytes()).toBe(0);
    expect([(await long.state())?.state, await long.bytes()]).toEqual(['COMPLETED', 2]);
    await pass(542_000);
    await eventually(async () => expect((await long.state())?.state).toBe('EXPIRED'));
    expect(await long.bytes()).toBe(0);
  });

  it('keeps the data until the time that the owner asked for, even if its notes are lost', async () => {
    const { create, tell, run, noted, pass, clock, expiries } = await open();
    run();
    const [early, running] = [await create(), await create()];
    await tell(early.streamId, COMPLETED);
    await noted(early.streamId);
    const until = new Date(clock.now() + 300_000).toISOString();
    for (const { streamId } of [early, running]) await tell(streamId, { type: 'RetentionExtended', data: { until } });
    await tell(running.streamId, COMPLETED);
    await eventually(async () => expect(await expiries.earliest('kept', 10)).toHaveLength(2));
    // As after a race between the policy's own notes, or with a note from before.
    await expiries.replace({ streamId: early.streamId, retention: 'ephemeral', since: clock.now() });
    await pass(290_000);
    for (const { state, bytes } of [early, running]) expect([(await state())?.state, await bytes()]).toEqual(['COMPLETED', 2]);
    await pass(14_000);
    for (const { state, bytes } of [early, running]) {
      await eventually(async () => expect((await state())?.state).toBe('EXPIRED'));
      expect(await bytes()).toBe(0);
    }
  });

  it('keeps a stream for its own time, whatever the server now says, or until its owner asks for another', async () => {
    const { create, tell, run, noted, pass, clock } = await open();
    run();
    const [brief, endless] = [await create(true, randomUUID(), 120), await create(true, randomUUID(), 0)];
    for (const { streamId } of [brief, endless]) await tell(streamId, COMPLETED);
    await noted(brief.streamId, endless.streamId);
    await pass(118_000);
    expect((await brief.state())?.state).toBe('COMPLETED');
    await pass(8_000);
    await eventually(async () => expect((await brief.state())?.state).toBe('EXPIRED'));
    await pass(600_000);
    expect([(await endless.state())?.state, await endless.bytes()]).toEqual(['COMPLETED', 2]);
    await tell(endless.streamId, { type: 'RetentionSet', data: { until: new Date(clock.now() + 10_000).toISOString() } });
    await pass(20_000);
    await eventually(async () => expect((await endless.state())?.state).toBe('EXPIRED'));
  });

  it('deletes a stream at once for its owner, whatever time they asked for', async () => {
    const { create, tell, clock, ...deps } = await open();
    const { streamId, state, bytes } = await create();
    await tell(streamId, COMPLETED, { type: 'RetentionExtended', data: { until: new Date(clock.now() + 300_000).toISOString() } });
    await deleteStream({ ...deps, clock }, { streamId, caller }, context);
    expect([(await state())?.state, await bytes()]).toEqual(['EXPIRED', 0]);
  });

  it('keeps an ephemeral stream while it is read live, and for its whole time afterwards', async () => {
    const { create, tell, run, noted, pass, liveReaders } = await open();
    run();
    const stream = await create();
    const leave = await liveReaders.enter(stream.streamId);
    await tell(stream.streamId, COMPLETED);
    await noted(stream.streamId);
    await pass(130_000, 3);
    expect((await stream.state())?.state).toBe('COMPLETED');
    await leave();
    await pass(57_000);
    expect((await stream.state())?.state).toBe('COMPLETED');
    await pass(6_000);
    await eventually(async () => expect((await stream.state())?.state).toBe('EXPIRED'));
    expect(await liveReaders.lastReads([stream.streamId])).toEqual(new Map());
  });

  it('continues after a restart, and rebuilds lost notes from the log', async () => {
    const { create, tell, run, noted, pass, documents, expiries } = await open();
    const stop = run();
    const stream = await create();
    await tell(stream.streamId, { type: 'StreamCanceled', data: { reason: 'Canceled by user' } });
    await noted(stream.streamId);
    await stop();
    await expiries.remove(stream.streamId);
    await documents.deleteCheckpoint('consumer/openStreams');
    run();
    await noted(stream.streamId);
    await pass(63_000);
    await eventually(async () => expect(await stream.state()).toMatchObject({ state: 'EXPIRED', stateDescription: 'Canceled by user' }));
  });

  it('expires a stream after a crash between deleting its bytes and recording the event', async () => {
    const { create, tell, run, noted, pass, topics } = await open();
    const stop = run();
    const stream = await create();
    await tell(stream.streamId, COMPLETED);
    await noted(stream.streamId);
    await stop();
    await topics.delete(stream.source);
    run();
    await pass(63_000);
    await eventually(async () => expect((await stream.state())?.state).toBe('EXPIRED'));
    expect(await stream.bytes()).toBe(0);
  });

  it('expires a stream under the correlation id of its upload, also if the note of an earlier version has none', async () => {
    const { create, tell, run, noted, pass, log, expiries } = await open();
    run();
    const [current, old] = [await create(), await create()];
    for (const { streamId } of [current, old]) await tell(streamId, COMPLETED);
    await noted(current.streamId, old.streamId);
    const notes = await expiries.earliest('ephemeral', 10);
    // The upload's correlation id, as in the log.
    expect(notes.map(({ correlationId }) => correlationId)).toEqual([context.correlationId, context.correlationId]);
    const since = notes[0]?.since ?? Number.NaN;
    await expiries.replace({ streamId: old.streamId, retention: 'ephemeral', since });
    await expiries.replace({ streamId: current.streamId, retention: 'ephemeral', since, correlationId: 'of the note' });
    await pass(63_000);
    const expiry = async ({ streamId }: typeof old) => (await log.readStream(`stream-${streamId}`, { limit: 3 }))[2];
    await eventually(async () => (await expiry(current))?.type === 'StreamExpired' && (await expiry(old))?.type === 'StreamExpired');
    expect((await expiry(current))?.metadata.$correlationId).toBe('of the note');
    expect((await expiry(old))?.metadata.$correlationId).toBe(context.correlationId);
    await eventually(async () => (await expiries.noted([current.streamId, old.streamId])).size === 0);
  });

  it('removes the note of a stream that had expired before a crash, without another event', async () => {
    const { create, tell, run, noted, pass, log, expiries } = await open();
    const stop = run();
    const { streamId } = await create();
    await tell(streamId, COMPLETED);
    await noted(streamId);
    await stop();
    await tell(streamId, { type: 'StreamExpired', data: { reason: 'Retention' } });
    run();
    await pass(63_000);
    await eventually(async () => (await expiries.noted([streamId])).size === 0);
    expect(await log.readStream(`stream-${streamId}`, { limit: 10 })).toHaveLength(3);
  });

  it('removes the note of a stream that another command has expired', async () => {
    const { create, tell, run, noted, expiries } = await open();
    run();
    const { streamId } = await create(true);
    await tell(streamId, COMPLETED);
    await noted(streamId);
    await tell(streamId, { type: 'StreamExpired', data: { reason: 'Its owner was erased' } });
    await eventually(async () => (await expiries.noted([streamId])).size === 0);
  });

  it('expires unread streams beside one that is read', async () => {
    const { create, tell, run, noted, pass, liveReaders } = await open();
    run();
    const [read, unread] = [await create(), await create()];
    const leave = await liveReaders.enter(read.streamId);
    for (const { streamId } of [read, unread]) await tell(streamId, COMPLETED);
    await noted(read.streamId, unread.streamId);
    await pass(63_000, 3);
    await eventually(async () => (await unread.state())?.state === 'EXPIRED');
    expect((await read.state())?.state).toBe('COMPLETED');
    await leave();
  });

  it('completes an interrupted deletion, even of a running stream', async () => {
    const { create, tell, run, pass, expiries, clock } = await open();
    const [ended, running] = [await create(true), await create(true)];
    await tell(ended.streamId, COMPLETED);
    for (const { streamId } of [ended, running]) await expiries.replace({ streamId, retention: 'deleted', since: clock.now() });
    run();
    await pass(8_000);
    for (const stream of [ended, running]) {
      await eventually(async () => expect((await stream.state())?.state).toBe('EXPIRED'));
      expect(await stream.bytes()).toBe(0);
    }
    expect((await running.state())?.stateDescription).toBe('Canceled by user');
  });

  it('expires other streams if one cannot expire', async () => {
    const { create, tell, run, noted, pass, topics } = await open();
    const [stuck, other] = [await create(), await create()];
    const remove = topics.delete.bind(topics);
    topics.delete = (topic) => (topic === stuck.sink ? Promise.reject(new Error('the disk says no')) : remove(topic));
    run();
    for (const { streamId } of [stuck, other]) await tell(streamId, COMPLETED);
    await noted(stuck.streamId, other.streamId);
    await pass(63_000);
    await eventually(async () => expect((await other.state())?.state).toBe('EXPIRED'));
    expect((await stuck.state())?.state).toBe('COMPLETED');
    topics.delete = remove;
    await pass(15_000);
    await eventually(async () => expect((await stuck.state())?.state).toBe('EXPIRED'));
  });

  it('deletes unfinished topics at a start, but not the answers of webhook receivers', async () => {
    const deps = await open();
    const directory = temporaryDirectory();
    const before = await openEmbeddedTopics({ directory, clock: deps.clock });
    const excerpts = new Excerpts({ ...deps, topics: before, disk: DISK_ELSEWHERE });
    const place = await excerpts.keep(OWNER, 'an answer');
    const abandoned = randomUUID();
    await before.create(abandoned);
    await before.append(abandoned, [Buffer.from('bytes')]);
    await before.close();
    const topics = await openEmbeddedTopics({ directory, clock: deps.clock });
    onTestFinished(() => topics.close());
    await sweepTopics({ ...deps, topics }, new AbortController().signal);
    expect(await topics.size(abandoned)).toBeNull();
    expect(await new Excerpts({ ...deps, topics, disk: DISK_ELSEWHERE }).read([place ?? ''])).toEqual(new Map([[place, 'an answer']]));
  });

  it('keeps no answers of webhook receivers while the disk is nearly full', async () => {
    const excerpts = new Excerpts({ ...(await open()), disk: { shortage: () => 'nearly full' } });
    expect(await excerpts.keep(OWNER, 'an answer')).toBeNull();
  });

  it('deletes sealed uploads that have had no stream for a minute, and no others', async () => {
    const { create, run, topics, clock } = await open();
    const stream = await create();
    const orphan = randomUUID();
    await topics.create(orphan);
    await topics.seal(orphan, { streamId: randomUUID() });
    run();
    const began = clock.now();
    await advancing(async () => {
      await clock.advance(1_000);
      return (await topics.size(orphan)) === null;
    });
    expect(clock.now() - began).toBeGreaterThan(60_000);
    expect(await stream.bytes()).toBe(2);
  });
});

describe('a deletion', () => {
  it('cancels a running stream, deletes its bytes and expires it, and is idempotent', async () => {
    const deps = await open();
    const stream = await deps.create();
    const { position } = await deleteStream(deps, { streamId: stream.streamId, caller }, context);
    expect(position).not.toBeNull();
    expect(await stream.state()).toMatchObject({ state: 'EXPIRED', stateDescription: 'Canceled by user' });
    expect(await stream.bytes()).toBe(0);
    expect(await deleteStream(deps, { streamId: stream.streamId, caller }, context)).toEqual({ position: null });
    expect(await carryOutDeletion(deps, stream.streamId, context)).toBeNull();
  });

  it("is 404 for another's or an unknown stream, and changes nothing", async () => {
    const deps = await open();
    const stream = await deps.create();
    const other = { ...caller, subject: 'other', roles: ['gateway'] as const };
    await expect(deleteStream(deps, { streamId: stream.streamId, caller: other }, context)).rejects.toMatchObject({ statusCode: 404 });
    await expect(deleteStream(deps, { streamId: randomUUID(), caller }, context)).rejects.toMatchObject({ statusCode: 404 });
    expect([(await stream.state())?.state, await stream.bytes()]).toEqual(['READY', 2]);
  });
});

describe('the groups policy', () => {
  it('expires a group with its last stream, after which no stream can join', async () => {
    const deps = await open();
    const groupId = randomUUID();
    const streams = [await deps.create(false, groupId), await deps.create(false, groupId)];
    const join = (streamId: string) =>
      joinStream({ ...deps, limits: DEFAULT_LIMITS }, { groupId, streamId, subject: OWNER, webhooks: [] }, context);
    for (const { streamId } of streams) await join(streamId);
    for (const { streamId } of streams) await deps.tell(streamId, COMPLETED, { type: 'StreamExpired', data: { reason: 'Retention' } });
    deps.run(runGroupsPolicy);
    await eventually(async () => expect((await loadGroup(deps.log, groupId))?.state).toBe('EXPIRED'));
    expect((await loadGroup(deps.log, groupId))?.counts).toEqual({ members: 2, finished: 2, failed: 0, expired: 2 });
    await expect(join(randomUUID())).rejects.toMatchObject({ statusCode: 409 });
  });
});
