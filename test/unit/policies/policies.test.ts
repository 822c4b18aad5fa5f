import { describe, expect, it } from 'vitest';
import { joinStream, loadGroup } from '../../../src/commands/groups.ts';
import { loadStream } from '../../../src/commands/loadStream.ts';
import { openExpiries } from '../../../src/commands/openStreams/expiries.ts';
import { OPEN_STREAMS } from '../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../src/commands/openStreams/sharedRunning.ts';
import { openResumableUploads } from '../../../src/commands/resumableUploads.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { REDACTION } from '../../../src/domain/stream/redaction.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { silentLogger } from '../../../src/logger.ts';
import { failBrokenUploads, runGoneNodesPolicy } from '../../../src/policies/brokenUploads.ts';
import { runGroupsPolicy } from '../../../src/policies/groups.ts';
import { runOpenStreamsPolicy } from '../../../src/policies/openStreams.ts';
import { runRetentionPolicy } from '../../../src/policies/retention.ts';
import { openLiveReaders } from '../../../src/stores/leases/liveReaders.ts';
import { aloneNode, type Nodes } from '../../../src/stores/leases/nodes.ts';
import type { EventLog } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { completed, link, OWNER, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { ManualClock } from '../../manualClock.ts';
import { openPlatform } from '../projections/node.ts';
import { type Policy, runPolicy } from './runPolicy.ts';

const id = (n: number) => `${n}1111111-1111-4111-8111-111111111111`;
const GROUP = id(9);
const context = { subject: OWNER, actor: 'test', correlationId: 'c', causationId: 'c' };

const membersIn = async (log: EventLog) =>
  (await loadGroup(log, GROUP))?.members
    .entries()
    .map(([streamId]) => streamId)
    .sort();

const open = async () => {
  const clock = new ManualClock();
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, clock, subject: OWNER });
  const { documents } = platform;
  await documents.ensureCollection(OPEN_STREAMS);
  const runningStreams = new SharedRunning({
    documents: documents,
    clock: clock,
    limit: 100,
    totalLimit: 1_000_000,
    node: async () => null,
  });
  const retention = { expiries: openExpiries(documents), periods: { ephemeral: 60_000, persistent: 60_000 } };
  const topics = new MemoryTopics(clock);
  const resumableUploads = await openResumableUploads({ ...platform, ...{ runningStreams, clock, topics, expireMilliseconds: 3_600_000 } });
  const deps = { ...platform, ...retention, runningStreams, topics, resumableUploads, clock, logger: silentLogger };
  const tell = async (streamId: string, ...events: StreamEvent[]) => {
    // The events are plain JSON.
    for (const { type, data } of events) await platform.append(`stream-${streamId}`, type, JSON.parse(JSON.stringify(data)));
  };
  const create = (streamId: string) => tell(streamId, streamCreated([link('echo', null)], { streamId, groupId: GROUP }));
  const join = (streamId: string) =>
    joinStream({ ...deps, limits: DEFAULT_LIMITS }, { groupId: GROUP, streamId, subject: OWNER, webhooks: [] }, context);
  const run = (policy: Policy<typeof deps>) => runPolicy(policy, deps);
  const held = async () => (await runningStreams.running()).map(({ holder }) => holder).sort();
  return { ...deps, tell, create, join, run, held };
};

const END: StreamEvent = { type: 'StreamCompleted', data: {} };
const CANCEL: StreamEvent = { type: 'StreamCanceled', data: { reason: 'Canceled by user' } };

describe('the policy of open streams', () => {
  it('releases the place of a stream that has ended in any way', async () => {
    const { runningStreams, create, tell, run, held } = await open();
    run(runOpenStreamsPolicy);
    for (const n of [1, 2, 3, 4]) {
      await runningStreams.reserve(OWNER, id(n));
      await create(id(n));
    }
    await tell(id(1), uploaded, started('echo'), completed('echo'), END);
    await tell(id(2), CANCEL);
    await tell(id(3), { type: 'UploadFailed', data: { reason: 'gone' } }, { type: 'StreamFailed', data: { reason: 'gone' } });
    await eventually(async () => expect(await held()).toEqual([id(4)]));
  });

  it('restores the places of running streams if the documents were lost', async () => {
    const { documents, create, tell, run, held } = await open();
    for (const n of [1, 2]) await create(id(n));
    await tell(id(1), CANCEL);
    expect(await documents.count('openStreams')).toBe(0);
    run(runOpenStreamsPolicy);
    await eventually(async () => expect(await held()).toEqual([id(2)]));
  });

  it('releases and notes ended streams while the unredacted bytes of one cannot be deleted, and deletes these later', async () => {
    const { runningStreams, documents, topics, expiries, create, tell, run, held, clock } = await open();
    const upload = id(7);
    await topics.create(upload);
    for (const n of [1, 2]) await runningStreams.reserve(OWNER, id(n));
    const redaction = { ...link('redaction', 'echo'), declarationId: REDACTION };
    const created = streamCreated([link('echo', null), redaction], { streamId: id(1), groupId: GROUP });
    created.data.configuration.dataSource.topic = `persistent://t/data-sources/${upload}`;
    await tell(id(1), created, CANCEL);
    topics.isAway = true;
    run(runOpenStreamsPolicy);
    await create(id(2));
    await tell(id(2), CANCEL);
    await eventually(async () => expect([await held(), (await expiries.noted([id(1), id(2)])).size]).toEqual([[], 2]));
    expect((await expiries.earliest('ephemeral', 2)).map(({ streamId }) => streamId)).toEqual([id(2)]);
    const retention = { liveReaders: await openLiveReaders({ documents, clock }), isKept: async () => true };
    run((deps, signal) => runRetentionPolicy({ ...deps, ...retention }, signal));
    const lookAgain = async () => {
      await eventually(() => clock.sleeping >= 2);
      await clock.advance(1_000);
    };
    for (let looks = 0; looks < 12; looks += 1) await lookAgain();
    expect(await topics.size(upload)).not.toBeNull();
    topics.isAway = false;
    for (let looks = 0; looks < 12; looks += 1) await lookAgain();
    await eventually(async () => expect(await expiries.earliest('ephemeral', 2)).toHaveLength(2));
    expect(await topics.size(upload)).toBeNull();
  });

  it('releases places of ended streams, and those that have waited for their streams for a minute, except of resumable uploads', async () => {
    const { runningStreams, resumableUploads, create, tell, run, held, clock } = await open();
    const stop = run(runOpenStreamsPolicy);
    await create(id(1));
    await tell(id(1), CANCEL);
    await create(id(2));
    await eventually(async () => expect(await held()).toEqual([id(2)]));
    await stop();
    await runningStreams.reserve(OWNER, id(3));
    await runningStreams.reserve(OWNER, id(5));
    await resumableUploads.create({
      uploadId: id(5),
      streamId: id(5),
      owner: OWNER,
      topic: id(6),
      length: 1,
      metadata: null,
      fingerprint: null,
      plan: null,
    });
    await clock.advance(60_001);
    await runningStreams.reserve(OWNER, id(4));
    run(runOpenStreamsPolicy);
    await eventually(async () => expect(await held()).toEqual([id(2), id(4), id(5)]));
    await eventually(() => clock.sleeping >= 1);
    await clock.advance(600_000);
    await eventually(async () => expect(await held()).toEqual([id(2), id(5)]));
  });
});

describe('the groups policy', () => {
  it('finishes a group when its last stream has ended', async () => {
    const { log, create, join, tell, run } = await open();
    run(runGroupsPolicy);
    for (const n of [1, 2]) {
      await join(id(n));
      await create(id(n));
    }
    await tell(id(1), END);
    await eventually(async () => expect((await loadGroup(log, GROUP))?.counts.finished).toBe(1));
    expect((await loadGroup(log, GROUP))?.state).toBe('CREATED');
    await tell(id(2), CANCEL);
    await eventually(async () => expect((await loadGroup(log, GROUP))?.state).toBe('FAILED'));
  });

  it('withdraws a join whose stream is not created within 60 s, even over a restart, and releases its place', async () => {
    const { log, runningStreams, create, join, run, held, clock } = await open();
    const stop = run(runGroupsPolicy);
    for (const n of [1, 2]) {
      await runningStreams.reserve(OWNER, id(n));
      await join(id(n));
    }
    await create(id(1));
    await clock.advance(30_000);
    await stop();
    run(runGroupsPolicy);
    await eventually(() => clock.sleeping >= 1);
    await clock.advance(29_000);
    expect(await membersIn(log)).toEqual([id(1), id(2)]);
    await clock.advance(1_000);
    await eventually(async () => expect(await membersIn(log)).toEqual([id(1)]));
    await eventually(async () => expect(await held()).toEqual([id(1)]));
  });

  it('appends nothing for a stream that has its group to itself', async () => {
    const { tell, log, run } = await open();
    const lone = streamCreated([link('echo', null)], { streamId: GROUP, groupId: GROUP, ownGroup: true });
    await tell(GROUP, lone, uploaded, started('echo'), completed('echo'), END);
    // A later event of another group shows that the policy has come so far.
    await tell(id(1), streamCreated([link('echo', null)]), END);
    run(runGroupsPolicy);
    await eventually(async () => expect((await log.readStream(`group-${id(1)}`)).length).toBeGreaterThan(0));
    expect(await log.readStream(`group-${GROUP}`)).toEqual([]);
  });
});

describe('a node that died', () => {
  it('leaves no place of a stream that was never created', async () => {
    const { documents, run } = await open();
    const clock = new ManualClock();
    const runningStreams = new SharedRunning({ documents, clock, limit: 100, totalLimit: 100, node: async () => 'gone' });
    await runningStreams.reserve(OWNER, id(1));
    expect(await runningStreams.takenBy('gone')).toHaveLength(1);
    const nodes: Nodes = {
      ...aloneNode,
      gone: async () => [{ id: 'gone', roles: [], host: 'there', since: 0 }],
      remove: async (_, work) => {
        await work(new AbortController().signal);
        return true;
      },
    };
    run((deps, signal) => runGoneNodesPolicy({ ...deps, runningStreams, nodes, topics: new MemoryTopics(deps.clock) }, signal));
    await eventually(async () => expect(await runningStreams.running()).toEqual([]));
  });
});

describe('an upload whose node died', () => {
  it('fails at the next start, whether the policy of open streams has seen it or not; a completed upload continues', async () => {
    const { runningStreams, create, tell, run, held, documents, log } = await open();
    const stop = run(runOpenStreamsPolicy);
    for (const n of [1, 2]) await create(id(n));
    await tell(id(2), uploaded);
    await eventually(async () => expect(await held()).toEqual([id(1), id(2)]));
    await stop();
    for (const n of [3, 4]) await create(id(n));
    await tell(id(4), uploaded);
    await runningStreams.reserve(OWNER, id(5));
    expect(await failBrokenUploads({ log, documents, runningStreams })).toBe(2);
    for (const n of [1, 3]) {
      expect(await loadStream(log, id(n))).toMatchObject({
        stream: { state: 'FAILED', stateDescription: 'The node that took the upload stopped' },
        upload: { state: 'failed' },
      });
    }
    for (const n of [2, 4]) expect((await loadStream(log, id(n)))?.stream.state).toBe('READY');
    expect(await failBrokenUploads({ log, documents, runningStreams })).toBe(0);
  });
});
