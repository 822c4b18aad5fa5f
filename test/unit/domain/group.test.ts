import { describe, expect, test } from 'vitest';
import { expireInGroup, finishInGroup, joinGroup, withdrawFromGroup } from '../../../src/domain/group/decisions.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import { evolveGroup, type GroupAggregate, groupResource } from '../../../src/domain/group/state.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { OTHER, OWNER } from '../../fakes/streamStory.ts';

const GROUP = '99999999-9999-4999-8999-999999999999';

const time = (i: number): string => `2026-01-01T00:00:${String(i).padStart(2, '0')}.000Z`;
const given = (...events: GroupEvent[]): GroupAggregate | null =>
  events.reduce<GroupAggregate | null>((state, event, i) => evolveGroup(state, event, time(i)), null);

const created: GroupEvent = { type: 'GroupCreated', data: { groupId: GROUP, creatorId: OWNER } };
const webhooks = [{ url: 'https://example.org/hook', events: ['*'] }];
const joining = (streamId: string, subject = OWNER) => ({ groupId: GROUP, streamId, subject, webhooks });
const joined = (streamId: string): GroupEvent => ({
  type: 'StreamJoined',
  data: { groupId: GROUP, streamId, streamSubject: OWNER, webhooks },
});
const withdrawn = (streamId: string): GroupEvent => ({ type: 'StreamWithdrawn', data: { streamId } });
const finished = (streamId: string, outcome: 'COMPLETED' | 'FAILED' = 'COMPLETED'): GroupEvent => ({
  type: 'StreamFinished',
  data: { streamId, outcome },
});
const left = (streamId: string): GroupEvent => ({ type: 'StreamLeftExpired', data: { streamId } });
const completed: GroupEvent = { type: 'GroupCompleted', data: {} };
const failed: GroupEvent = { type: 'GroupFailed', data: {} };
const expired: GroupEvent = { type: 'GroupExpired', data: {} };

const oneDone = [created, joined('a'), finished('a'), completed];

interface Row {
  promise: string;
  given: GroupEvent[];
  when: (state: GroupAggregate | null) => readonly GroupEvent[];
  answer: GroupEvent[] | { refused: number };
}

const join = (state: GroupAggregate | null, one: ReturnType<typeof joining>) => joinGroup(state, one, 10_000);
const finish =
  (streamId: string, outcome: 'COMPLETED' | 'FAILED' = 'COMPLETED') =>
  (state: GroupAggregate | null) =>
    finishInGroup(state, { ...joining(streamId), outcome });

const rows: Row[] = [
  { promise: 'the first stream makes the group', given: [], when: (s) => join(s, joining('a')), answer: [created, joined('a')] },
  { promise: 'a second stream joins', given: [created, joined('a')], when: (s) => join(s, joining('b')), answer: [joined('b')] },
  { promise: 'a stream joins once', given: [created, joined('a')], when: (s) => join(s, joining('a')), answer: [] },
  {
    promise: 'a withdrawn stream may join again',
    given: [created, joined('a'), withdrawn('a')],
    when: (s) => join(s, joining('a')),
    answer: [joined('a')],
  },
  {
    promise: 'another owner’s group is not found',
    given: [created, joined('a')],
    when: (s) => join(s, joining('b', OTHER)),
    answer: { refused: 404 },
  },
  {
    promise: 'an expired group takes nobody',
    given: [...oneDone, left('a'), expired],
    when: (s) => join(s, joining('b')),
    answer: { refused: 409 },
  },
  {
    promise: 'another owner cannot tell an expired group from an unknown one',
    given: [...oneDone, left('a'), expired],
    when: (s) => join(s, joining('b', OTHER)),
    answer: { refused: 404 },
  },

  {
    promise: 'a join whose stream never came is withdrawn',
    given: [created, joined('a')],
    when: (s) => withdrawFromGroup(s, { streamId: 'a' }),
    answer: [withdrawn('a')],
  },
  {
    promise: 'what is not in the group is not withdrawn',
    given: [created],
    when: (s) => withdrawFromGroup(s, { streamId: '__proto__' }),
    answer: [],
  },
  { promise: 'nothing is withdrawn from no group', given: [], when: (s) => withdrawFromGroup(s, { streamId: 'a' }), answer: [] },
  { promise: 'a finished stream is not withdrawn', given: oneDone, when: (s) => withdrawFromGroup(s, { streamId: 'a' }), answer: [] },
  {
    promise: 'a withdrawal that leaves finished streams only completes the group',
    given: [created, joined('a'), joined('b'), finished('a')],
    when: (s) => withdrawFromGroup(s, { streamId: 'b' }),
    answer: [withdrawn('b'), completed],
  },
  {
    promise: 'a withdrawal does not complete a group again',
    given: [...oneDone, joined('b')],
    when: (s) => withdrawFromGroup(s, { streamId: 'b' }),
    answer: [withdrawn('b')],
  },
  {
    promise: 'a withdrawal lets a group expire that nothing else kept',
    given: [...oneDone, joined('b'), left('a')],
    when: (s) => withdrawFromGroup(s, { streamId: 'b' }),
    answer: [withdrawn('b'), expired],
  },

  { promise: 'the last stream completes the group', given: [created, joined('a')], when: finish('a'), answer: [finished('a'), completed] },
  {
    promise: 'a stream that is not the last completes nothing',
    given: [created, joined('a'), joined('b')],
    when: finish('a'),
    answer: [finished('a')],
  },
  {
    promise: 'one failed stream fails the group',
    given: [created, joined('a'), joined('b'), finished('a', 'FAILED')],
    when: finish('b'),
    answer: [finished('b'), failed],
  },
  { promise: 'a stream finishes once', given: oneDone, when: finish('a', 'FAILED'), answer: [] },
  {
    promise: 'the group completes again after a later stream',
    given: [...oneDone, joined('b')],
    when: finish('b'),
    answer: [finished('b'), completed],
  },
  {
    promise: 'the group fails after a later stream failed',
    given: [...oneDone, joined('b')],
    when: finish('b', 'FAILED'),
    answer: [finished('b', 'FAILED'), failed],
  },
  {
    promise: 'an expired member counts with the state it had',
    given: [created, joined('a'), joined('b'), finished('a', 'FAILED'), left('a')],
    when: finish('b'),
    answer: [finished('b'), failed],
  },
  {
    promise: 'a stream that was withdrawn too early joins first',
    given: [created, joined('a'), withdrawn('a')],
    when: finish('a'),
    answer: [joined('a'), finished('a'), completed],
  },
  {
    promise: 'a stream whose join was lost makes the group first',
    given: [],
    when: finish('a'),
    answer: [created, joined('a'), finished('a'), completed],
  },

  {
    promise: 'a group of several outlives its first expired stream',
    given: [created, joined('a'), joined('b'), finished('a'), finished('b'), completed],
    when: (s) => expireInGroup(s, { streamId: 'a' }),
    answer: [left('a')],
  },
  {
    promise: 'the last expired stream takes the group with it',
    given: [created, joined('a'), joined('b'), finished('a'), finished('b'), completed, left('a')],
    when: (s) => expireInGroup(s, { streamId: 'b' }),
    answer: [left('b'), expired],
  },
  {
    promise: 'a stream expires once',
    given: [...oneDone, left('a'), expired],
    when: (s) => expireInGroup(s, { streamId: 'a' }),
    answer: [],
  },
  {
    promise: 'a running stream does not expire',
    given: [created, joined('a')],
    when: (s) => expireInGroup(s, { streamId: 'a' }),
    answer: [],
  },
  { promise: 'nothing expires in no group', given: [], when: (s) => expireInGroup(s, { streamId: 'a' }), answer: [] },
];

const outcomeOf = (work: () => readonly GroupEvent[]): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return { refused: error.statusCode };
    throw error;
  }
};

describe('group decisions', () => {
  test.each(rows)('$promise', (row) => {
    expect(outcomeOf(() => row.when(given(...row.given)))).toEqual(row.answer);
  });
});

const shown = (...events: GroupEvent[]) => {
  const state = given(...events);
  return state && groupResource(state);
};

describe('group state', () => {
  test('is CREATED for a new group', () => {
    expect(shown(created, joined('a'))).toEqual({
      groupId: GROUP,
      state: 'CREATED',
      creatorId: OWNER,
      createdTimestamp: time(0),
      finalizedTimestamp: null,
      streamsCount: 1,
    });
  });

  test('is COMPLETED or FAILED at its end, and CREATED again while a later stream runs', () => {
    expect(shown(...oneDone)).toMatchObject({ state: 'COMPLETED', finalizedTimestamp: time(3) });
    expect(shown(created, joined('a'), finished('a', 'FAILED'), failed)).toMatchObject({ state: 'FAILED' });
    expect(shown(...oneDone, joined('b'))).toMatchObject({ state: 'CREATED', finalizedTimestamp: null, streamsCount: 2 });
  });

  test('does not change when a later stream is withdrawn', () => {
    expect(shown(...oneDone, joined('b'), withdrawn('b'))).toEqual(shown(...oneDone));
  });

  test('keeps the end and the count of an expired group', () => {
    expect(shown(...oneDone, left('a'), expired)).toMatchObject({ state: 'EXPIRED', finalizedTimestamp: time(3), streamsCount: 1 });
  });
});

test('refuses a stream above the limit of a group with 429, but no member, and changes nothing for a larger group from before', () => {
  const group = given(created, joined('a'), joined('b'), joined('c'));
  const full = expect.objectContaining({ statusCode: 429, internalErrorName: 'STREAM_USAGE_LIMIT_REACHED', headers: {} });
  expect(() => joinGroup(group, joining('d'), 2)).toThrow(full);
  expect(joinGroup(group, joining('b'), 2)).toEqual([]);
  expect(finish('b')(group)).toHaveLength(1);
  expect(group?.counts.members).toBe(3);
});

test('decides and folds each stream of a large group in constant time, and finishes each once', { timeout: 20_000 }, () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `stream-${n}`);
  let state: GroupAggregate | null = null;
  const decide = (decision: (group: GroupAggregate | null) => readonly GroupEvent[]): number => {
    const events = decision(state);
    for (const event of events) state = evolveGroup(state, event, time(0));
    return events.length;
  };
  for (const id of ids) decide((group) => join(group, joining(id)));
  for (const id of ids) expect(decide(finish(id))).toBeGreaterThan(0);
  for (const id of ids) expect(decide(finish(id, 'FAILED'))).toBe(0);
  for (const id of ids) expect(decide((group) => join(group, joining(id)))).toBe(0);
  const all = state as GroupAggregate | null;
  expect(all?.counts).toEqual({ members: 10_000, finished: 10_000, failed: 0, expired: 0 });
  expect(all?.state).toBe('COMPLETED');
});
