import { Serial } from '../../stores/serial.ts';
import { givingWay, ownTurn } from '../../supervision/ownTurn.ts';

const FIRST_BATCH = 4;
const MOST_AT_ONCE = 64;
/** Below this size, the next batch is larger. */
const SMALL_BATCH_CHARACTERS = 65_536;

/** Batches of one user are prepared one at a time, however many lists the user requests. */
const preparing = new Serial();

/**
 * JSON texts of the items of a list. Items are loaded, rendered and written in small batches, each when the reader has taken the previous one, so
 * that a list of large items is never in memory as a whole. Items removed since `ids` was read are left out.
 */
export async function* itemTexts<Id>(
  ids: readonly Id[],
  { user, load }: { readonly user: string; readonly load: (ids: readonly Id[]) => Promise<readonly object[]> },
): AsyncGenerator<string, void, undefined> {
  let size = FIRST_BATCH;
  let areLarge = false;
  for (let from = 0; from < ids.length; ) {
    const batch = ids.slice(from, from + size);
    from += batch.length;
    const texts = await preparing.run(user, async () => textsOf(await load(batch), areLarge));
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    areLarge = characters >= SMALL_BATCH_CHARACTERS;
    size = areLarge ? 1 : Math.min(size * 4, MOST_AT_ONCE);
    yield* texts;
  }
}

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
