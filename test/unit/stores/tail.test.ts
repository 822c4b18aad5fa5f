import { describe, expect, test } from 'vitest';
import type { Position } from '../../../src/stores/eventStore.ts';
import { Tail } from '../../../src/stores/log/tail.ts';

const at = (n: number): Position => String(n).padStart(20, '0') as Position;
const events = (first: number, last: number, bytes = 1) =>
  Array.from({ length: last - first + 1 }, (_, n) => ({ position: at(first + n), bytes }));
const positions = (found: readonly { position: Position }[] | null) => found?.map(({ position }) => Number(position));
const bytesOf = ({ bytes }: { bytes: number }): number => bytes;
/** Never reached. */
const BOUNDS = { bytes: 1_000, bytesOf: () => 1 };

describe('the tail of a log', () => {
  test('gives the events after a position, as many as were asked for', () => {
    const tail = new Tail(at(10), { ...BOUNDS, items: 5 });
    tail.add(events(11, 14));
    expect(positions(tail.after(at(10), 9))).toEqual([11, 12, 13, 14]);
    expect(positions(tail.after(at(11), 2))).toEqual([12, 13]);
    expect(positions(tail.after(at(14), 2))).toEqual([]);
  });

  test('knows nothing of what was before its floor', () => {
    const tail = new Tail(at(10), { ...BOUNDS, items: 5 });
    tail.add(events(11, 12));
    expect(tail.after(at(9), 9)).toBeNull();
    expect(tail.after(null, 9)).toBeNull();
    expect(positions(new Tail(null, { ...BOUNDS, items: 5 }).after(null, 9))).toEqual([]);
  });

  test('drops the oldest events when it holds twice as many as it keeps, and raises its floor', () => {
    const tail = new Tail(null, { ...BOUNDS, items: 3 });
    tail.add(events(1, 6));
    expect(positions(tail.after(null, 9))).toEqual([1, 2, 3, 4, 5, 6]);
    tail.add(events(7, 7));
    expect(tail.floor).toBe(at(4));
    expect(tail.after(at(3), 9)).toBeNull();
    expect(positions(tail.after(at(4), 9))).toEqual([5, 6, 7]);
  });

  test('drops the oldest events when they have twice as many bytes as it keeps', () => {
    const tail = new Tail<{ position: Position; bytes: number }>(null, { items: 100, bytes: 10, bytesOf });
    tail.add(events(1, 4, 5));
    expect(tail.floor).toBeNull();
    tail.add(events(5, 5, 1));
    expect(tail.floor).toBe(at(3));
    expect(positions(tail.after(at(3), 9))).toEqual([4, 5]);
  });

  test('keeps its end when it is cleared', () => {
    const tail = new Tail(null, { ...BOUNDS, items: 3 });
    tail.add(events(1, 2));
    tail.clear();
    expect([tail.floor, tail.end]).toEqual([at(2), at(2)]);
    expect(tail.after(at(1), 9)).toBeNull();
    expect(positions(tail.after(at(2), 9))).toEqual([]);
  });
});
