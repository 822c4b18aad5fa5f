import { firstBatch } from '../../stores/inBatches.ts';
import { Serial } from '../../stores/serial.ts';
import { END, Items } from '../../supervision/items.ts';
import { givingWay, ownTurn } from '../../supervision/ownTurn.ts';

const MOST_AT_ONCE = 64;
/** Below this size, the next batch is larger. */
const SMALL_BATCH_CHARACTERS = 65_536;

/** Batches of one user are prepared one at a time, however many lists the user requests. */
const preparing = new Serial();

/**
 * JSON texts of the items of a list. Items are loaded, rendered and written in small batches, each when the reader has taken the previous one, so
 * that a list of large items is never in memory as a whole. Items removed since `ids` was read are left out.
 * A batch has at most `most` items.
 */
export const itemTexts = <Id>(
  ids: readonly Id[],
  {
    user,
    load,
    most = MOST_AT_ONCE,
  }: { readonly user: string; readonly load: (ids: readonly Id[]) => Promise<readonly object[]>; readonly most?: number },
): Items<string> => {
  const texts: string[] = [];
  let from = 0;
  let size = Math.min(firstBatch(), most);
  let areLarge = false;
  const next = async (): Promise<IteratorResult<string, undefined> | null> => {
    const text = texts.shift();
    if (text !== undefined) return { done: false, value: text };
    if (from >= ids.length) return END;
    const batch = ids.slice(from, from + size);
    from += batch.length;
    texts.push(...(await preparing.run(user, async () => textsOf(await load(batch), areLarge))));
    areLarge = texts.reduce((sum, { length }) => sum + length, 0) >= SMALL_BATCH_CHARACTERS;
    size = areLarge ? 1 : Math.min(size * 4, most);
    return null;
  };
  return new Items(next, () => {});
};

/** Large items are written in turns of their own: loading them has taken its time already. */
const textsOf = async (items: readonly object[], areLarge: boolean): Promise<string[]> => {
  const giveWay = areLarge ? ownTurn : givingWay();
  const texts: string[] = [];
  for (const item of items) {
    await giveWay();
    texts.push(JSON.stringify(item));
  }
  return texts;
};
