import { describe, expect, it, onTestFinished } from 'vitest';
import { itemTexts } from '../../../src/http/answers/itemTexts.ts';
import { listJson } from '../../../src/http/answers/list.ts';
import { watchMemory } from '../../../src/supervision/scarceMemory.ts';
import { collectGarbage } from '../collectGarbage.ts';

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

/** Loads items whose text has about `characters`, and notes the batches. */
const source = (characters: number) => {
  const batches: number[] = [];
  const load = async (ids: readonly string[]) => {
    batches.push(ids.length);
    return ids.filter((id) => id !== 'gone').map((id) => ({ id, text: 'x'.repeat(characters) }));
  };
  return { batches, load };
};

const read = async (texts: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const text of texts) all.push(JSON.parse(text).id);
  return all;
};

describe('the items of a list', () => {
  it('come in the order of their ids, in growing batches if they are small', async () => {
    const { batches, load } = source(10);
    expect(await read(itemTexts(idsOf(200), { user: 'a', load }))).toEqual(idsOf(200));
    expect(batches).toEqual([4, 16, 64, 64, 52]);
  });

  it('loads large items one by one', async () => {
    const { batches, load } = source(100_000);
    expect(await read(itemTexts(idsOf(7), { user: 'a', load }))).toEqual(idsOf(7));
    expect(batches).toEqual([4, 1, 1, 1]);
  });

  it('are loaded in batches of at most the given size', async () => {
    const { batches, load } = source(10);
    expect(await read(itemTexts(idsOf(3), { user: 'a', load, most: 1 }))).toEqual(idsOf(3));
    expect(batches).toEqual([1, 1, 1]);
  });

  it('start with one item while memory is scarce', async () => {
    watchMemory({ scarcity: 1 });
    onTestFinished(() => watchMemory({ scarcity: 0 }));
    const { batches, load } = source(10);
    expect(await read(itemTexts(idsOf(30), { user: 'a', load }))).toEqual(idsOf(30));
    expect(batches).toEqual([1, 4, 16, 9]);
  });

  it('are loaded only after the reader has taken the previous batch', async () => {
    const { batches, load } = source(100_000);
    const texts = itemTexts(idsOf(100), { user: 'a', load });
    for (let n = 0; n < 4; n += 1) await texts.next();
    expect(batches).toEqual([4]);
    await texts.next();
    expect(batches).toEqual([4, 1]);
    await texts.return();
  });

  it('leave out an item that was removed since the ids were read', async () => {
    const { load } = source(10);
    expect(await read(itemTexts(['0', 'gone', '1'], { user: 'a', load }))).toEqual(['0', '1']);
  });

  it('are prepared one batch at a time for each user', async () => {
    let [running, most] = [0, 0];
    const users: string[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const load = (user: string) => async (ids: readonly string[]) => {
      users.push(user);
      if (user === 'a') most = Math.max(most, ++running);
      await opened;
      if (user === 'a') running -= 1;
      return ids.map((id) => ({ id }));
    };
    const reading = ['a', 'a', 'a', 'b'].map((user) => read(itemTexts(idsOf(3), { user, load: load(user) })));
    await new Promise((resolve) => setImmediate(resolve));
    expect(users).toEqual(['a', 'b']);
    open();
    expect((await Promise.all(reading)).flat()).toHaveLength(12);
    expect(most).toBe(1);
  });

  it('are let go once they are written, while the list waits for its next item', async () => {
    let end = () => {};
    const over = new Promise<readonly object[]>((resolve) => {
      end = () => resolve([]);
    });
    const list = async (user: string) => {
      const load = async (ids: readonly string[]) => (ids.includes('4') ? over : ids.map((id) => ({ id, text: id.repeat(1_000_000) })));
      const json = await listJson({ content: itemTexts(idsOf(9), { user, load }) });
      if (typeof json === 'string') throw new Error('the list is long');
      for (let n = 0; n < 4; n += 1) await json.next();
      return { json, next: json.next() };
    };
    await collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const lists = await Promise.all(Array.from({ length: 20 }, (_, n) => list(`user ${n}`)));
    await collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    end();
    await Promise.all(lists.map(async ({ json, next }) => [await next, await json.return()]));
  });
});
