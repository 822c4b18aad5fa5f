import { describe, expect, test } from 'vitest';
import { finishInGroup, joinGroup, reopenInGroup } from '../../../src/domain/group/decisions.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import { evolveGroup, type GroupAggregate } from '../../../src/domain/group/state.ts';
import { atAttempt, newestRuns, runsOf, topicNamesOf } from '../../../src/domain/stream/attempts.ts';
import { cancelStream, completeRun, expireStream, startRun } from '../../../src/domain/stream/decisions.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { type Rerun, rerunStream } from '../../../src/domain/stream/rerunStream.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { BILL, completed, failed, link, OWNER, QUANTITIES, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';

const CHAIN = [link('a', null), link('b', 'a'), link('c', 'b'), link('d', null)];

const fold = (events: readonly StreamEvent[], from: StreamAggregate | null = null): StreamAggregate => {
  const state = events.reduce<StreamAggregate | null>(
    (before, event, n) => evolveStream(before, event, new Date(n * 1_000).toISOString()),
    from,
  );
  if (!state) throw new Error('no events');
  return state;
};
const ran = (id: string): StreamEvent[] => [started(id), completed(id)];
const FAILED_AT_B: StreamEvent[] = [
  ...[streamCreated(CHAIN), uploaded, ...ran('a'), ...ran('d'), started('b'), failed('b')],
  { type: 'StreamFailed', data: { reason: 'no speech' } },
];
const rerun = (changes: Partial<Rerun> = {}): Rerun => ({
  ...{ from: 'b', reason: null, idempotency: null, propertiesOf: () => ({}), topicIdOf: (id) => `${id}-again` },
  ...changes,
});
const again = (state: StreamAggregate, changes: Partial<Rerun> = {}) => fold(rerunStream(state, rerun(changes)), state);

describe('a rerun of a stream', () => {
  test('runs the stage and all after it with new topics, and reads the existing results of those before', () => {
    const state = again(fold(FAILED_AT_B));
    expect(state.stream).toMatchObject({ state: 'READY', attempt: 2, stateDescription: null, finalizedTimestamp: null });
    expect(newestRuns(state).map(({ processorId, state: at, streamAttempt }) => [processorId, at, streamAttempt])).toEqual([
      ['a', 'COMPLETED', 1],
      ['b', 'WAITING', 2],
      ['c', 'WAITING', 2],
      ['d', 'COMPLETED', 1],
    ]);
    const [, b, c] = state.stream.configuration.processors;
    expect(b?.source.topic).toBe('persistent://here/data-sources/a');
    expect(c?.source.topic).toBe('persistent://here/data-sources/b-again');
    expect(c?.destination.topic).toBe('persistent://here/data-sources/c-again');
  });

  test('refuses the outcome of a worker of an earlier attempt', () => {
    const state = again(fold(FAILED_AT_B));
    expect(startRun(state, { processorId: 'b', attempt: 2 })).toBe('stale');
    const running = fold([{ type: 'ProcessorStarted', data: { processorId: 'b', attempt: 2, streamAttempt: 2 } }], state);
    const outcome = { processorId: 'b', description: null, quantities: QUANTITIES, bill: BILL };
    expect(completeRun(running, { ...outcome, attempt: 1 })).toBe('stale');
    expect(completeRun(running, { ...outcome, attempt: 2 })).toBe('stale');
    expect(completeRun(running, { ...outcome, attempt: 2, streamAttempt: 2 })).toHaveLength(1);
  });

  test('names its attempt in the event that ends it', () => {
    const state = again(fold(FAILED_AT_B));
    expect(cancelStream(state)).toEqual([{ type: 'StreamCanceled', data: { reason: 'Canceled by user', attempt: 2 } }]);
  });

  test('leaves earlier attempts unchanged', () => {
    const before = fold(FAILED_AT_B);
    const state = again(before);
    const first = atAttempt(state, 1);
    expect(first && newestRuns(first)).toEqual(newestRuns(before));
    expect(first?.stream).toMatchObject({ state: 'FAILED', stateDescription: 'no speech', attempt: 1 });
    expect(first?.stream.configuration.processors).toEqual(before.stream.configuration.processors);
    expect(atAttempt(state, 3)).toBeNull();
    expect(topicNamesOf(state)).toHaveLength(5 + 2);
  });

  test('is refused once the earlier runs take more than 4 MiB, however few they are', () => {
    const ended = (state: StreamAggregate) => fold([...ran('b'), ...ran('c'), { type: 'StreamCompleted', data: {} }], state);
    const large = () => ({ prompt: 'p'.repeat(600_000) });
    let state = fold(FAILED_AT_B);
    for (let n = 0; n < 4; n++) state = ended(again(state, { propertiesOf: large }));
    expect(() => again(state, { propertiesOf: large })).toThrow(/earlier runs of this stream and their properties take more than 4 MiB/);
    expect(state.stream.attempt).toBe(5);
  });

  test('starts from the properties of the upload, not from patches of an earlier rerun', () => {
    const patched = again(fold(FAILED_AT_B), { propertiesOf: () => ({ prompt: 'patched' }) });
    expect(patched.stream.configuration.processors[1]?.properties).toEqual({ prompt: 'patched' });
    expect(runsOf(patched, 'b').at(-1)?.processor.properties).toEqual({ prompt: 'What did Ms Brown decide?' });
  });

  test('fails if its data were deleted meanwhile', () => {
    const state = again(fold(FAILED_AT_B));
    expect(expireStream(state, 'Retention').map(({ type }) => type)).toEqual(['StreamFailed', 'StreamExpired']);
  });

  test('does not complete a stream in which a cancellation closed another branch', () => {
    const canceled = fold([streamCreated(CHAIN), uploaded, ...ran('a')]);
    const ended = fold(cancelStream(canceled), canceled);
    const state = fold(
      [{ type: 'ProcessorStarted', data: { processorId: 'd', attempt: 1, streamAttempt: 2 } }],
      again(ended, { from: 'd' }),
    );
    const outcome = { processorId: 'd', attempt: 1, streamAttempt: 2, description: null, quantities: QUANTITIES, bill: BILL };
    expect(completeRun(state, outcome)).toMatchObject([
      { type: 'ProcessorCompleted' },
      { type: 'StreamFailed', data: { reason: 'b has not run.', attempt: 2 } },
    ]);
  });

  test.each([
    ['a stream that is running', [streamCreated(CHAIN), uploaded], 'b', 409],
    [
      'a stream whose upload failed',
      [streamCreated(CHAIN), { type: 'UploadFailed', data: { reason: 'x' } }, { type: 'StreamFailed', data: { reason: 'x' } }],
      null,
      410,
    ],
    ['an expired stream', [...FAILED_AT_B, { type: 'StreamExpired', data: { reason: 'x' } }], 'b', 410],
    ['a stage whose input is not whole', FAILED_AT_B, 'c', 409],
    ['a stage that the chain does not have', FAILED_AT_B, 'z', 400],
  ] as [string, StreamEvent[], string | null, number][])('rejects %s', (_, events, from, statusCode) => {
    expect(() => rerunStream(fold(events), rerun({ from }))).toThrow(expect.objectContaining({ statusCode }));
  });
});

describe('a group whose stream runs again', () => {
  const joining = { groupId: 'g', streamId: STREAM, subject: OWNER, webhooks: [] };
  const folded = (group: GroupAggregate | null, events: readonly GroupEvent[]) =>
    events.reduce<GroupAggregate | null>((state, event) => evolveGroup(state, event, '2026-01-01T00:00:00.000Z'), group);
  const finish = (group: GroupAggregate | null, outcome: 'COMPLETED' | 'FAILED', attempt?: number) =>
    finishInGroup(group, { ...joining, outcome, ...(attempt && { attempt }) });

  test('finishes again, whatever is reported twice', () => {
    let group = folded(null, joinGroup(null, joining, 10_000));
    group = folded(group, finish(group, 'FAILED'));
    expect(group?.state).toBe('FAILED');
    group = folded(group, reopenInGroup(group, { streamId: STREAM, attempt: 2 }));
    expect(group).toMatchObject({ state: 'CREATED', counts: { members: 1, finished: 0, failed: 0 } });
    expect(finish(group, 'FAILED')).toEqual([]);
    expect(reopenInGroup(group, { streamId: STREAM, attempt: 2 })).toEqual([]);
    const end = finish(group, 'COMPLETED', 2);
    expect(end.map(({ type }) => type)).toEqual(['StreamFinished', 'GroupCompleted']);
    group = folded(group, end);
    expect(reopenInGroup(group, { streamId: STREAM, attempt: 2 })).toEqual([]);
    expect(finish(group, 'FAILED')).toEqual([]);
  });
});
