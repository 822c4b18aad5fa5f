import { describe, expect, it } from 'vitest';
import { END, forEachItem, Items, mapItems, STOP } from '../../../src/supervision/items.ts';
import { eventually } from '../../eventually.ts';
import { collectGarbage } from '../collectGarbage.ts';

/** Numbers from 1 to `count`. `left` is set when the reader has left or has got all. */
const numbers = (count: number) => {
  const seen = { left: 0 };
  async function* source(): AsyncGenerator<number> {
    try {
      for (let n = 1; n <= count; n += 1) yield n;
    } finally {
      seen.left += 1;
    }
  }
  return { seen, items: source() };
};

const allOf = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** Referred to from outside, so that what waits for it stays in memory. */
const NEVER = new Promise<never>(() => {});

/** One item, and then nothing more for as long as the test runs. */
const oneAndNoMore = () => {
  let asked = 0;
  const given: WeakRef<object>[] = [];
  const next = (): Promise<IteratorResult<object, undefined>> => {
    asked += 1;
    if (asked > 1) return NEVER;
    const item = { large: new Array(1_000).fill(0) };
    given.push(new WeakRef(item));
    return Promise.resolve({ done: false, value: item });
  };
  return { given, items: () => new Items(next, () => {}), waits: () => asked > 1 };
};

describe('items one after another', () => {
  it('are each used before the next one is asked for', async () => {
    const { items, seen } = numbers(3);
    const used: string[] = [];
    await forEachItem(items, async (n) => {
      used.push(`begin ${n}`);
      await null;
      used.push(`end ${n}`);
    });
    expect(used).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
    expect(seen.left).toBe(1);
  });

  it('end when their use returns STOP, or fails, and the source is told', async () => {
    const stopped = numbers(3);
    const used: number[] = [];
    await forEachItem(stopped.items, (n) => (used.push(n) < 2 ? undefined : STOP));
    expect(used).toEqual([1, 2]);
    expect(stopped.seen.left).toBe(1);
    const failed = numbers(3);
    const fail = () => {
      throw new Error('not this one');
    };
    await expect(forEachItem(failed.items, fail)).rejects.toThrow('not this one');
    expect(failed.seen.left).toBe(1);
  });

  it('are mapped one at a time, and those with the result null are left out', async () => {
    const { items, seen } = numbers(4);
    const even = mapItems(items, async (n) => (n % 2 === 0 ? n * 10 : null));
    expect(await allOf(even)).toEqual([20, 40]);
    expect(await even.next()).toEqual(END);
    expect(seen.left).toBe(1);
  });

  it('close their source once when mapping fails or the reader leaves', async () => {
    const failed = numbers(4);
    const failing = mapItems(failed.items, (n) => {
      if (n === 2) throw new Error('not this one');
      return n;
    });
    await expect(allOf(failing)).rejects.toThrow('not this one');
    expect(await failing.next()).toEqual(END);
    expect(failed.seen.left).toBe(1);
    const left = numbers(4);
    for await (const n of mapItems(left.items, (m) => m)) if (n === 2) break;
    expect(left.seen.left).toBe(1);
  });

  it('are closed only after the step that makes the next one', async () => {
    const order: string[] = [];
    let go = (): void => {};
    const items = new Items<number>(
      async () => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        order.push('made');
        return END;
      },
      () => order.push('closed'),
    );
    const next = items.next();
    const left = items.return();
    go();
    await Promise.all([next, left]);
    expect(order).toEqual(['made', 'closed']);
  });
});

describe('a reader that waits for the next item', () => {
  it('holds none of those before it', async () => {
    const { given, items, waits } = oneAndNoMore();
    void forEachItem(
      mapItems(items(), (item) => item),
      (item) => Promise.resolve(item),
    );
    await eventually(waits);
    await collectGarbage();
    expect(given.map((item) => item.deref())).toEqual([undefined]);
  });

  it('in a loop holds the last one: if this test fails, these functions are no longer needed', async () => {
    const { given, items, waits } = oneAndNoMore();
    const read = async (): Promise<void> => {
      for await (const item of items()) await item;
    };
    void read();
    await eventually(waits);
    await collectGarbage();
    expect(given[0]?.deref()).toBeDefined();
  });
});
