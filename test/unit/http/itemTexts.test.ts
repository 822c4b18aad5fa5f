import { describe, expect, it } from 'vitest';
import { itemTexts } from '../../../src/http/answers/itemTexts.ts';

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
});
