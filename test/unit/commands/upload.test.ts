import { describe, expect, test } from 'vitest';
import { cancelStream } from '../../../src/commands/changeOwnStream.ts';
import { expireStreamInGroup, finishingOf, finishStreamInGroup, joinStream, loadGroup } from '../../../src/commands/groups.ts';
import type { CommandDeps } from '../../../src/commands/handle.ts';
import { handleStream, loadStream } from '../../../src/commands/loadStream.ts';
import { isFull } from '../../../src/commands/openStreams/places.ts';
import { startRun } from '../../../src/commands/recordRun.ts';
import { beginUpload, completeUpload, failUpload, type UploadDeps } from '../../../src/commands/upload.ts';
import { expireStream } from '../../../src/domain/stream/decisions.ts';
import { topicId } from '../../../src/domain/stream/streamConfiguration.ts';
import { uploadKeyId } from '../../../src/domain/stream/uploadKey.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import { BY, commandRig, planOf, typesOf } from '../../fakes/commandRig.ts';
import { link, OTHER, OWNER, STREAM, uploaded } from '../../fakes/streamStory.ts';

const GROUP = '99999999-9999-4999-8999-999999999999';
const SECOND = '44444444-4444-4444-8444-444444444444';
const conflict = { statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' };
const facts = { streamId: STREAM, bytes: 5, frames: 1, sha256: 'ab'.repeat(32) };
const caller = (subject: string, role: 'user' | 'gateway' | 'auditor' | 'admin' = 'user') => ({ subject, actor: 'x', roles: [role] });

describe('an upload', () => {
  test('creates its group and its stream with one append each, and reserves a place', async () => {
    const { deps, store, documents } = commandRig();
    const { stream, position, state } = await beginUpload(deps, planOf(), BY);
    expect(stream).toMatchObject({ streamId: STREAM, groupId: STREAM, state: 'READY', creatorId: OWNER, groupCreatorId: OWNER });
    expect(state.stream).toEqual(stream);
    expect(position).toBe(store.events.at(-1)?.position);
    expect(store.events.map(({ type, revision }) => [type, revision])).toEqual([
      ['GroupCreated', 0n],
      ['StreamJoined', 1n],
      ['StreamCreated', 0n],
    ]);
    expect([...documents.documents.values()]).toMatchObject([{ id: STREAM, body: { owner: OWNER, state: 'running' } }]);
  });

  test('costs two appends and one read', async () => {
    const { deps, store } = commandRig();
    let appends = 0;
    store.beforeAppend = () => void appends++;
    await beginUpload(deps, planOf(), BY);
    expect([appends, store.reads]).toEqual([2, 1]);
  });

  test('of ids that the server drew is one append, and its group has no event stream', async () => {
    const { deps, store } = commandRig();
    const { stream } = await beginUpload(deps, planOf({ idGenerated: true }), BY);
    expect(store.events.map(({ type, data }) => [type, data.ownGroup])).toEqual([['StreamCreated', true]]);
    expect(stream).toMatchObject({ groupId: STREAM, groupCreatorId: OWNER });
    expect(await loadGroup(deps.log, STREAM)).toMatchObject({ groupId: STREAM, creatorId: OWNER, state: 'CREATED' });
  });

  test('joins an existing group', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf({ groupId: GROUP }), BY);
    await beginUpload(deps, planOf({ streamId: SECOND, groupId: GROUP }), BY);
    expect(typesOf(store, `group-${GROUP}`)).toEqual(['GroupCreated', 'StreamJoined', 'StreamJoined']);
  });

  test('joins the group with its own id, if it exists', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf({ groupId: SECOND }), BY);
    await beginUpload(deps, planOf({ streamId: SECOND }), BY);
    expect(typesOf(store, `group-${SECOND}`)).toEqual(['GroupCreated', 'StreamJoined', 'StreamJoined']);
  });

  test('belongs to its owner, not to the actor in the context', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf(), { ...BY, subject: OTHER });
    expect(new Set(store.events.map(({ metadata }) => metadata.subject))).toEqual(new Set([OWNER]));
  });

  test('is refused if its id is in use, and leaves nothing behind', async () => {
    const { deps, store, documents } = commandRig();
    await beginUpload(deps, planOf(), BY);
    await expect(beginUpload(deps, planOf({ groupId: GROUP, owner: OTHER }), BY)).rejects.toMatchObject(conflict);
    expect([store.events.length, documents.documents.size]).toEqual([3, 1]);
  });

  test('is refused if its group belongs to another owner, and leaves nothing behind', async () => {
    const { deps, store, documents } = commandRig();
    await beginUpload(deps, planOf(), BY);
    const other = planOf({ streamId: SECOND, groupId: STREAM, owner: OTHER });
    await expect(beginUpload(deps, other, BY)).rejects.toMatchObject({ statusCode: 404 });
    expect([store.events.length, documents.documents.size]).toEqual([3, 1]);
  });

  test('is refused above the limit, and leaves nothing behind', async () => {
    const { deps, store } = commandRig(1);
    await beginUpload(deps, planOf(), BY);
    await expect(beginUpload(deps, planOf({ streamId: SECOND }), BY)).rejects.toMatchObject({
      statusCode: 429,
      internalErrorName: 'STREAM_USAGE_LIMIT_REACHED',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    });
    expect(store.events.length).toBe(3);
  });

  test('takes the place of an ended stream at the limit, before the policy of open streams releases it', async () => {
    const { deps } = commandRig(1);
    await beginUpload(deps, planOf(), BY);
    await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    expect([await deps.runningStreams.isFull(OWNER), await isFull(deps, OWNER)]).toEqual([true, false]);
    expect((await beginUpload(deps, planOf({ streamId: SECOND }), BY)).stream.state).toBe('READY');
    expect(await isFull(deps, OWNER)).toBe(true);
    expect(await deps.runningStreams.running(OWNER)).toMatchObject([{ holder: SECOND }]);
  });

  test("is accepted at the limit if its user's last stream has just ended", async () => {
    const { deps } = commandRig(1);
    await beginUpload(deps, planOf(), BY);
    await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    expect((await beginUpload(deps, planOf({ streamId: SECOND }), BY)).stream.streamId).toBe(SECOND);
  });

  test.each([
    ['groups of their own', { groupId: GROUP }, { groupId: SECOND }],
    ['one group', { groupId: GROUP }, { groupId: GROUP }],
    ['the group of that id', {}, {}],
  ])('is created once if another has its id at the same moment, and the other leaves nothing behind, in %s', async (_, one, other) => {
    const { node, store, documents } = commandRig();
    const answers = await Promise.allSettled([beginUpload(node(), planOf(one), BY), beginUpload(node(), planOf(other), BY)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
    expect(documents.documents.size).toBe(1);
    const groups = [GROUP, SECOND, STREAM].map((id) => typesOf(store, `group-${id}`).filter((type) => type !== 'GroupCreated'));
    const left = groups.map(
      (types) => types.filter((type) => type === 'StreamJoined').length - types.filter((type) => type === 'StreamWithdrawn').length,
    );
    expect(left.reduce((sum, n) => sum + n)).toBe(1);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true });
  });

  test.each([
    ['two ids', { streamId: STREAM }, { streamId: SECOND }],
    ['an id and none', { streamId: uploadKeyId(OWNER, 'key') }, { streamId: SECOND }],
  ])('is created once for one idempotency key on two nodes at once, for %s, and the other leaves nothing behind', async (_, one, other) => {
    const { node, store, documents } = commandRig();
    const keyed = (fingerprint: string) => ({ keyId: uploadKeyId(OWNER, 'key'), fingerprint: fingerprint.repeat(64), attempt: 1 });
    const answers = await Promise.allSettled([
      beginUpload(node(), planOf({ ...one, groupId: one.streamId, idempotency: keyed('a') }), BY),
      beginUpload(node(), planOf({ ...other, groupId: other.streamId, idempotency: keyed('b') }), BY),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
    expect(store.events.filter(({ type }) => type === 'StreamCreated').length).toBe(1);
    expect(documents.documents.size).toBe(1);
  });

  test('releases its place if it cannot join its group because the log is away', async () => {
    const { deps, store, documents } = commandRig();
    store.beforeAppend = () => {
      throw new StoreUnavailable('away');
    };
    await expect(beginUpload(deps, planOf(), BY)).rejects.toMatchObject({ statusCode: 503, headers: { 'Retry-After': '2' } });
    expect(documents.documents.size).toBe(0);
  });

  test('of ids that the server drew releases its place if the log is away', async () => {
    const { deps, store, documents } = commandRig();
    store.beforeAppend = () => {
      throw new StoreUnavailable('away');
    };
    await expect(beginUpload(deps, planOf({ idGenerated: true }), BY)).rejects.toMatchObject({ statusCode: 503 });
    expect(documents.documents.size).toBe(0);
  });

  test('keeps its place and its join if its stream may have been stored; the policies clear them up', async () => {
    const { deps, store, documents } = commandRig();
    store.beforeAppend = (eventStream) => {
      if (eventStream.startsWith('stream-')) throw new StoreUnavailable('away');
      return undefined;
    };
    await expect(beginUpload(deps, planOf(), BY)).rejects.toMatchObject({ statusCode: 503 });
    expect([typesOf(store, `group-${STREAM}`), documents.documents.size]).toEqual([['GroupCreated', 'StreamJoined'], 1]);
  });

  test('records its size and hash when it ends', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf(), BY);
    const { stream, state, position } = await completeUpload(deps, facts, BY);
    expect([stream.state, state.upload.state, position]).toEqual(['READY', 'completed', store.events.at(-1)?.position]);
    expect(store.events.at(-1)?.data).toEqual(uploaded.data);
  });

  test('leaves a FAILED stream with a reason if it breaks off', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf(), BY);
    const { stream } = await failUpload(deps, { streamId: STREAM, reason: 'The client left' }, BY);
    expect(stream).toMatchObject({ state: 'FAILED', stateDescription: 'The client left' });
    expect(typesOf(store, `stream-${STREAM}`)).toEqual(['StreamCreated', 'UploadFailed', 'StreamFailed']);
    await expect(completeUpload(deps, facts, BY)).rejects.toMatchObject(conflict);
  });

  test('is 404 for an unknown stream', async () => {
    const { deps } = commandRig();
    await expect(completeUpload(deps, facts, BY)).rejects.toMatchObject({ statusCode: 404 });
    expect(await loadStream(deps.log, STREAM)).toBeNull();
  });
});

describe('cancel', () => {
  test('fails the stream, once, and its upload is refused', async () => {
    const { deps, store } = commandRig();
    await beginUpload(deps, planOf(), BY);
    const first = await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    const again = await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    expect(first.aggregate.stream).toMatchObject({ state: 'FAILED', stateDescription: 'Canceled by user' });
    expect(again).toEqual({ aggregate: first.aggregate, position: null });
    expect(typesOf(store, `stream-${STREAM}`)).toEqual(['StreamCreated', 'StreamCanceled']);
    await expect(completeUpload(deps, facts, BY)).rejects.toMatchObject(conflict);
  });

  test('records what the aborted runs have used so far, without billing it', async () => {
    const { deps, store, clock, topics } = commandRig();
    const { state } = await beginUpload(deps, planOf({}, [link('one', null, 'live'), link('two', 'one')]), BY);
    await startRun(deps, { streamId: STREAM, processorId: 'one', attempt: 1 }, BY);
    const [one] = state.stream.configuration.processors;
    for (const [topic = '', bytes] of [[one?.source.topic, 30] as const, [one?.destination.topic, 7] as const]) {
      await topics.create(topicId(topic));
      await topics.append(topicId(topic), [new Uint8Array(bytes)]);
    }
    await clock.advance(1_500);
    await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    const cut = store.events.filter(({ type }) => type === 'ProcessorFailed').map(({ data }) => data);
    const quantities = { executionTime: 1_500, ingressSize: 30, egressSize: 7, storageSize: 0, processedTokens: null };
    expect(cut).toMatchObject([{ processorId: 'one', quantities, bill: { credits: '0' } }]);
  });

  test.each(['user', 'auditor'] as const)("is 404 for another's stream as %s", async (role) => {
    const { deps } = commandRig();
    await beginUpload(deps, planOf(), BY);
    const canceling = cancelStream(deps, { streamId: STREAM, caller: caller(OTHER, role) }, BY);
    await expect(canceling).rejects.toMatchObject({ statusCode: 404, message: 'No such stream.' });
  });

  test.each(['gateway', 'admin'] as const)(
    "of another's stream is allowed to a %s; the event names the owner as its subject",
    async (role) => {
      const { deps, store } = commandRig();
      await beginUpload(deps, planOf(), BY);
      await cancelStream(deps, { streamId: STREAM, caller: caller(OTHER, role) }, { ...BY, subject: OTHER });
      expect(store.events.at(-1)).toMatchObject({ type: 'StreamCanceled', metadata: { subject: OWNER } });
    },
  );

  test('is 404 for an unknown stream', async () => {
    const { deps } = commandRig();
    await expect(cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY)).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('the group of a lone stream', () => {
  const alone = async () => {
    const rig = commandRig();
    const { stream } = await beginUpload(rig.deps, planOf({ idGenerated: true }), BY);
    return { ...rig, stream };
  };
  const second = { groupId: STREAM, streamId: SECOND, subject: OWNER, webhooks: [] };
  const group = `group-${STREAM}`;

  test('gets an event stream when another stream joins', async () => {
    const { deps, store, stream } = await alone();
    await beginUpload(deps, planOf({ streamId: SECOND, groupId: STREAM }), BY);
    expect(typesOf(store, `stream-${STREAM}`)).toEqual(['StreamCreated', 'OwnGroupShared']);
    expect(typesOf(store, group)).toEqual(['GroupContinued', 'StreamJoined']);
    await finishStreamInGroup(deps, finishingOf(stream, { outcome: 'COMPLETED' }), BY);
    await finishStreamInGroup(deps, { ...second, outcome: 'FAILED' }, BY);
    expect(typesOf(store, group).slice(2)).toEqual(['StreamFinished', 'StreamFinished', 'GroupFailed']);
    expect(await loadGroup(deps.log, STREAM)).toMatchObject({ state: 'FAILED', counts: { members: 2, finished: 2, failed: 1 } });
  });

  test('remembers the end of its first stream, and does not announce it again', async () => {
    const { deps, store, stream } = await alone();
    await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    await joinStream(deps, second, BY);
    await finishStreamInGroup(deps, finishingOf(stream, { outcome: 'FAILED' }), BY);
    expect(typesOf(store, group)).toEqual(['GroupContinued', 'StreamJoined']);
    expect(await loadGroup(deps.log, STREAM)).toMatchObject({ state: 'CREATED', counts: { members: 2, finished: 1, failed: 1 } });
  });

  test('is not found by another owner, who changes nothing', async () => {
    const { deps, store } = await alone();
    await expect(joinStream(deps, { ...second, subject: OTHER }, BY)).rejects.toMatchObject({ statusCode: 404 });
    expect(store.events.map(({ type }) => type)).toEqual(['StreamCreated']);
  });

  test('refuses other streams once it has expired', async () => {
    const { deps, store } = await alone();
    await cancelStream(deps, { streamId: STREAM, caller: caller(OWNER) }, BY);
    await handleStream(deps, STREAM, (first) => expireStream(first, 'retention'), BY);
    await expect(joinStream(deps, second, BY)).rejects.toMatchObject(conflict);
    expect(typesOf(store, group)).toEqual([]);
  });

  test.each([
    ['another join', (deps: UploadDeps) => joinStream(deps, second, BY), 'StreamJoined'],
    [
      'the end of its first stream',
      (deps: CommandDeps) => finishStreamInGroup(deps, { ...second, streamId: STREAM, outcome: 'COMPLETED' }, BY),
      'StreamFinished',
    ],
  ])('gets its event stream with %s if the first join was cut off', async (_, command, type) => {
    const { deps, store } = await alone();
    store.beforeAppend = (eventStream) => {
      if (eventStream === group) throw new StoreUnavailable('away');
      return undefined;
    };
    await expect(joinStream(deps, second, BY)).rejects.toMatchObject({ statusCode: 503 });
    store.beforeAppend = () => undefined;
    await command(deps);
    expect(typesOf(store, `stream-${STREAM}`)).toEqual(['StreamCreated', 'OwnGroupShared']);
    expect(typesOf(store, group).slice(0, 2)).toEqual(['GroupContinued', type]);
  });

  test('gets one event stream if two streams join on two nodes at once', async () => {
    const { deps, node, store } = await alone();
    await Promise.all([joinStream(node(), second, BY), joinStream(node(), { ...second, streamId: GROUP }, BY)]);
    expect(typesOf(store, `stream-${STREAM}`)).toEqual(['StreamCreated', 'OwnGroupShared']);
    expect(typesOf(store, group)).toEqual(['GroupContinued', 'StreamJoined', 'StreamJoined']);
    expect(await verifyChain(store.events)).toMatchObject({ ok: true });
    await expireStreamInGroup(deps, { groupId: STREAM, streamId: STREAM }, BY);
    expect(typesOf(store, group)).toHaveLength(3);
  });
});

test('completes a group with its last stream, and appends nothing when repeated', async () => {
  const { deps, store } = commandRig();
  await beginUpload(deps, planOf(), BY);
  const finishing = { groupId: STREAM, streamId: STREAM, subject: OWNER, webhooks: [], outcome: 'COMPLETED' as const };
  await finishStreamInGroup(deps, finishing, { ...BY, subject: OTHER });
  expect((await finishStreamInGroup(deps, finishing, BY)).position).toBeNull();
  expect(typesOf(store, `group-${STREAM}`)).toEqual(['GroupCreated', 'StreamJoined', 'StreamFinished', 'GroupCompleted']);
  expect(store.events.at(-1)?.metadata.subject).toBe(OWNER);
});
