import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { EventStore, Position, StoredEvent } from '../../../src/stores/eventStore.ts';
import { LogLength } from '../../../src/stores/log/logLength.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setTimeout(resolve));
/** Bytes of an event, as its position counts them. */
const BYTES = 1_000;

/** A log whose positions count bytes, of `written` events of streams, each with `deliveries` facts, and a seal after every `sealedEach` of them. */
const gappy = (written: number, { deliveries = 0, sealedEach = Number.POSITIVE_INFINITY } = {}) => {
  const stored: StoredEvent[] = [];
  const revisions = new Map<string, bigint>();
  const put = (eventStream: string, data: JsonObject = {}): void => {
    const revision = (revisions.get(eventStream) ?? -1n) + 1n;
    revisions.set(eventStream, revision);
    const position = at((stored.length + 1) * BYTES);
    stored.push({ id: String(stored.length), type: 'Told', data, metadata: {}, eventStream, revision, position });
  };
  for (let n = 1; n <= written; n += 1) {
    put(`stream-${crypto.randomUUID()}`);
    for (let d = 0; d < deliveries; d += 1) put('delivery-a');
    if (n % sealedEach === 0) put('seals', { count: sealedEach });
  }
  let read = 0;
  const store: Pick<EventStore, 'positionsHaveGaps' | 'readStream' | 'readAll'> = {
    positionsHaveGaps: true,
    readStream: async (eventStream, { from = 0n, limit = 1_000 } = {}) => {
      const found = stored.filter((event) => event.eventStream === eventStream && event.revision >= from).slice(0, limit);
      read += found.length;
      return found;
    },
    readAll: async ({ after, limit, direction = 'forwards' }) => {
      const behind = direction === 'forwards' ? stored : [...stored].reverse();
      const beyond = behind.filter(({ position }) => after === null || (direction === 'forwards' ? position > after : position < after));
      const found = beyond.slice(0, limit);
      read += found.length;
      return found;
    },
  };
  return { store, events: stored.length, positionOf: (n: number) => at(n * BYTES), read: () => read };
};

describe('the length of a log', () => {
  it('is counted if its positions have gaps and nothing is sealed yet', async () => {
    const { store, positionOf } = gappy(1_200);
    const length = LogLength.measure(store, positionOf(1_000), never);
    expect(length.share(positionOf(500))).toBeNull();
    await settled();
    expect([length.total, length.eventsUpTo(null), length.eventsUpTo(positionOf(500)), length.share(positionOf(250))]).toEqual([
      ...[1_000, 0, 500, 0.25],
    ]);
  });

  it('is estimated from seals and samples, without reading the whole log', async () => {
    const { store, events, positionOf, read } = gappy(20_000, { deliveries: 2, sealedEach: 1_000 });
    const length = LogLength.measure(store, positionOf(events), never);
    while (length.total === null) await settled();
    expect(Math.abs(length.total / events - 1)).toBeLessThan(0.02);
    for (const share of [0.1, 0.33, 0.5, 0.9]) expect(length.share(positionOf(Math.round(events * share)))).toBeCloseTo(share, 1);
    expect(length.share(positionOf(events))).toBe(1);
    expect(read()).toBeLessThan(events / 10);
  });

  it('counts the events after the last seal', async () => {
    const { store, events, positionOf } = gappy(1_300, { sealedEach: 1_000 });
    const length = LogLength.measure(store, positionOf(events), never);
    while (length.total === null) await settled();
    expect(Math.abs(length.total - events)).toBeLessThan(10);
    expect(length.eventsUpTo(positionOf(events - 150))).toBeCloseTo(events - 150, -1);
  });

  it('is read from the position if positions count events', () => {
    const length = LogLength.measure(new MemoryEventStore(), at(200), never);
    expect([length.total, length.share(null), length.share(at(50)), length.share(at(200))]).toEqual([200, 0, 0.25, 1]);
  });

  it('stays unknown if the store fails', async () => {
    const away = async (): Promise<never> => {
      throw new Error('the store is away');
    };
    const length = LogLength.measure({ positionsHaveGaps: true, readStream: away, readAll: away }, at(200), never);
    await settled();
    expect([length.total, length.share(at(50))]).toEqual([null, null]);
  });

  it('is complete for an empty log', () => {
    expect(LogLength.measure(new MemoryEventStore(), null, never).share(null)).toBe(1);
  });
});
