import { describe, expect, test } from 'vitest';
import type { LoggedEvent } from '../../../src/stores/embedded/logReader.ts';
import { toPosition } from '../../../src/stores/embedded/logReader.ts';
import { RecentEvents } from '../../../src/stores/embedded/recentEvents.ts';

const logged = (...rowids: number[]): LoggedEvent[] =>
  rowids.map((rowid) => ({
    rowid,
    recordedAt: 0,
    eventStream: 'x',
    revision: 0,
    event: { eventStream: 'x', revision: 0n, position: toPosition(rowid), id: String(rowid), type: 'T', data: {}, metadata: {} },
  }));
const rowids = (events: readonly LoggedEvent[] | null) => events?.map(({ rowid }) => rowid);

describe('the remembered end of the log', () => {
  test('returns the events between two positions, or null if some are missing', () => {
    const recent = new RecentEvents();
    expect(recent.between(0, 1)).toBeNull();
    recent.add('x', logged(5, 6), 20);
    recent.add('x', logged(7), 10);
    expect(rowids(recent.between(4, 7))).toEqual([5, 6, 7]);
    expect(rowids(recent.between(6, 7))).toEqual([7]);
    expect(recent.between(3, 7)).toBeNull();
    expect(recent.between(6, 8)).toBeNull();
  });

  test('stores a repeated append once, and starts again after a gap', () => {
    const recent = new RecentEvents();
    recent.add('x', logged(5, 6), 20);
    recent.add('x', logged(5, 6), 20);
    expect(rowids(recent.between(4, 6))).toEqual([5, 6]);
    recent.add('x', logged(9), 10);
    expect(recent.between(4, 9)).toBeNull();
    expect(rowids(recent.between(8, 9))).toEqual([9]);
  });

  test('returns an event stream up to its end, or null if an event is missing', () => {
    const recent = new RecentEvents();
    const of = (eventStream: string, revision: number, rowid: number): LoggedEvent[] =>
      logged(rowid).map((one) => ({ ...one, eventStream, revision, event: { ...one.event, eventStream, revision: BigInt(revision) } }));
    recent.add('a', of('a', 3, 5), 10);
    recent.add('b', of('b', 0, 6), 10);
    recent.add('a', of('a', 4, 7), 10);
    expect(recent.ofStream('a', 3)).toBeNull();
    recent.reached('a', 4);
    expect(rowids(recent.ofStream('a', 3))).toEqual([5, 7]);
    expect(rowids(recent.ofStream('a', 4))).toEqual([7]);
    expect(recent.ofStream('a', 2)).toBeNull();
    // Stored, but not through here.
    recent.reached('a', 5);
    expect(recent.ofStream('a', 4)).toBeNull();
    recent.forget('a');
    expect(recent.ofStream('a', 4)).toBeNull();
  });

  test('is limited by number and size, and keeps the newest events', () => {
    const recent = new RecentEvents();
    for (let rowid = 1; rowid <= 20_000; rowid++) recent.add('x', logged(rowid), 10);
    expect(recent.between(4_000, 20_000)).toBeNull();
    expect(recent.between(16_000, 20_000)).toHaveLength(4_000);
    for (let rowid = 20_001; rowid <= 20_003; rowid++) recent.add('x', logged(rowid), 3 * 1_048_576);
    expect(recent.between(19_999, 20_003)).toBeNull();
    expect(rowids(recent.between(20_002, 20_003))).toEqual([20_003]);
  });

  test('forgets the events of an event stream with those that it drops', () => {
    const recent = new RecentEvents();
    recent.add('x', logged(1), 10);
    recent.reached('x', 0);
    expect(rowids(recent.ofStream('x', 0))).toEqual([1]);
    recent.add('y', logged(9), 10);
    expect(recent.ofStream('x', 0)).toBeNull();
  });

  test('knows the revision of an event stream after an append to it', () => {
    const recent = new RecentEvents();
    expect(recent.endsBefore('x', 3)).toBe(false);
    recent.reached('x', 2);
    recent.reached('x', 1);
    expect(recent.endsBefore('x', 3)).toBe(true);
    expect(recent.endsBefore('x', 2)).toBe(false);
  });
});
