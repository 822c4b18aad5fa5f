import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import {
  type BulkRerunRequest,
  cancelBulkRerun,
  MAX_WAITING_STREAMS,
  recordHandled,
  requestReruns,
} from '../../../src/domain/reruns/decisions.ts';
import type { RerunsEvent } from '../../../src/domain/reruns/events.ts';
import { nextBulkRerun, type RerunsState, rerunsDecider } from '../../../src/domain/reruns/state.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const given = (...events: readonly RerunsEvent[]): RerunsState =>
  events.reduce((state, event) => rerunsDecider.evolve(state, event, TIME), rerunsDecider.initialState());
const ALL = { state: null, since: null, until: null, streamConfigurationTemplateId: null, errorName: null, groupId: null };
const request = (changes: Partial<BulkRerunRequest> = {}): BulkRerunRequest => ({
  ...{ requestId: 'one', filter: { ...ALL, state: 'FAILED' }, from: null, patches: { language: 'ro' }, reason: 'again' },
  ...{ requestedBy: 'credential', correlationId: 'call', idempotency: null },
  ...changes,
});
const found = (...streamIds: string[]) => ({ total: streamIds.length, streamIds });
const ONE = requestReruns(given(), request(), found('a', 'b', 'c'));

describe('a bulk rerun', () => {
  test('queues the streams that it found, in order', () => {
    expect(nextBulkRerun(given(...ONE))).toMatchObject({ state: 'RUNNING', matched: 3, queued: 3, waiting: ['a', 'b', 'c'], started: 0 });
  });

  test('ends when the last stream is handled, and then drops its patches', () => {
    const some = recordHandled(given(...ONE), 'one', ['a', 'b'], [{ streamId: 'b', statusCode: 410, message: 'gone' }]);
    const state = given(...ONE, ...some);
    expect(nextBulkRerun(state)).toMatchObject({ waiting: ['c'], started: 1, refused: 1, patches: { language: 'ro' } });
    const [ended] = given(...ONE, ...some, ...recordHandled(state, 'one', ['c'], [])).requests;
    expect(ended).toMatchObject({ state: 'COMPLETED', waiting: [], started: 2, refused: 1, patches: {}, endedTimestamp: TIME });
  });

  test('records a stream once even if two nodes handled it', () => {
    const gone = (streamId: string) => ({ streamId, statusCode: 410, message: 'gone' });
    const first = recordHandled(given(...ONE), 'one', ['a', 'b'], [gone('a')]);
    const state = given(...ONE, ...first);
    expect(recordHandled(state, 'one', ['a', 'b'], [gone('a')])).toEqual([]);
    const further = recordHandled(state, 'one', ['a', 'b', 'c'], [gone('a'), gone('c')]);
    expect(further).toEqual([{ type: 'QueuedRerunsHandled', data: { requestId: 'one', handled: 1, refused: [gone('c')] } }]);
  });

  test('records no stream after one that still waits', () => {
    const gone = { streamId: 'c', statusCode: 410, message: 'gone' };
    const [recorded] = recordHandled(given(...ONE), 'one', ['a', 'c'], [gone]);
    expect(recorded?.data).toEqual({ requestId: 'one', handled: 1, refused: [] });
    expect(recordHandled(given(...ONE), 'one', ['b', 'c'], [gone])).toEqual([]);
  });

  test('ends at once if it found no stream', () => {
    const state = given(...requestReruns(given(), request(), found()));
    expect(nextBulkRerun(state)).toBeUndefined();
    expect(state.requests[0]).toMatchObject({ state: 'COMPLETED', matched: 0, queued: 0 });
  });

  test('does not queue a stream that already waits', () => {
    const state = given(...ONE, ...recordHandled(given(...ONE), 'one', ['a'], []));
    const second = given(
      ...ONE,
      ...recordHandled(given(...ONE), 'one', ['a'], []),
      ...requestReruns(state, request({ requestId: 'two' }), found('a', 'b', 'd')),
    );
    expect(second.requests[1]).toMatchObject({ matched: 3, queued: 2, waiting: ['a', 'd'] });
    expect(nextBulkRerun(second)?.requestId).toBe('one');
  });

  test('queues the oldest streams up to the limit of all waiting streams', () => {
    const many = Array.from({ length: MAX_WAITING_STREAMS + 5 }, (_, n) => `s${n}`);
    const events = requestReruns(given(...ONE), request({ requestId: 'two' }), { total: 12_000, streamIds: many });
    expect(events.map(({ type }) => type)).toEqual(['BulkRerunRequested', ...Array.from({ length: 10 }, () => 'RerunsQueued')]);
    const [, two] = given(...ONE, ...events).requests;
    expect(two).toMatchObject({ matched: 12_000, queued: MAX_WAITING_STREAMS - 3 });
    expect(two?.waiting).toEqual(many.slice(0, MAX_WAITING_STREAMS - 3));
  });

  test('is created once for the same key and body; another body is 409', () => {
    const idempotency = { keyId: 'key', fingerprint: 'a'.repeat(64) };
    const state = given(...requestReruns(given(), request({ idempotency }), found('a')));
    expect(requestReruns(state, request({ requestId: 'two', idempotency }), found('b'))).toEqual([]);
    const other = () => requestReruns(state, request({ idempotency: { ...idempotency, fingerprint: 'b'.repeat(64) } }), found('b'));
    expect(other).toThrow(expect.objectContaining({ statusCode: 409 }));
  });

  test('is refused with 429 while twenty others are running', () => {
    const twenty = Array.from({ length: 20 }, (_, n) => requestReruns(given(), request({ requestId: `r${n}` }), found(`s${n}`))).flat();
    expect(() => requestReruns(given(...twenty), request({ requestId: 'more' }), found('x'))).toThrow(Problem);
    expect(() => requestReruns(given(...twenty.slice(2)), request({ requestId: 'more' }), found('x'))).not.toThrow();
  });

  test('can be stopped: waiting streams are not started, and a late record changes nothing', () => {
    const canceled = given(...ONE, ...cancelBulkRerun(given(...ONE), 'one'));
    expect(nextBulkRerun(canceled)).toBeUndefined();
    expect(canceled.requests[0]).toMatchObject({ state: 'CANCELED', waiting: [] });
    expect(cancelBulkRerun(canceled, 'one')).toEqual([]);
    expect(recordHandled(canceled, 'one', ['a'], [])).toEqual([]);
    expect(() => cancelBulkRerun(canceled, 'other')).toThrow(expect.objectContaining({ statusCode: 404 }));
  });

  test('ends when its owner is erased, and drops its patches', () => {
    const [requested, queued] = ONE;
    if (requested?.type !== 'BulkRerunRequested' || !queued) throw new Error('not queued');
    // What an erased personal member reads as.
    const erased = JSON.parse(JSON.stringify({ ...requested, data: { ...requested.data, patches: null, reason: null } }));
    expect(nextBulkRerun(given(erased, queued))).toBeUndefined();
  });
});
