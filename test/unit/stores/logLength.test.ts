import { describe, expect, it } from 'vitest';
import type { Position } from '../../../src/stores/eventStore.ts';
import { LogLength } from '../../../src/stores/log/logLength.ts';

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the length of a log', () => {
  it('is counted in events if positions have gaps', async () => {
    const pages = [
      { position: at(1_000), events: 500 },
      { position: at(900_000_000), events: 500 },
    ];
    const length = LogLength.measure(
      {
        countEvents: async function* () {
          yield* pages;
        },
      },
      at(900_000_000),
      never,
    );
    expect(length.share(at(1_000))).toBeNull();
    await settled();
    expect([length.total, length.eventsUpTo(null), length.eventsUpTo(at(1_000))]).toEqual([1_000, 0, 500]);
    expect([length.share(at(1_000)), length.share(at(900_000_000)), length.share(at(900_000_001))]).toEqual([0.5, 1, 1]);
  });

  it('is read from the position if positions count events', () => {
    const length = LogLength.measure({}, at(200), never);
    expect([length.total, length.share(null), length.share(at(50)), length.share(at(200))]).toEqual([200, 0, 0.25, 1]);
  });

  it('stays unknown if the store fails while counting', async () => {
    const failing = {
      // biome-ignore lint/correctness/useYield: it fails before its first page.
      countEvents: async function* (): AsyncGenerator<{ position: Position; events: number }> {
        throw new Error('the store is away');
      },
    };
    const length = LogLength.measure(failing, at(200), never);
    await settled();
    expect([length.total, length.share(at(50))]).toEqual([null, null]);
  });

  it('is complete for an empty log', () => {
    expect(LogLength.measure({}, null, never).share(null)).toBe(1);
  });
});
