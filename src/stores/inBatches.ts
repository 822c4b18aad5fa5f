import { limitBetween, processMemory } from '../supervision/scarceMemory.ts';
import { weightOf } from '../weight.ts';

const [FIRST_BATCH, FIRST_WHILE_SCARCE] = [4, 1];

/** Size of the first batch, before the weight of the items is known. */
export const firstBatch = (): number => Math.round(limitBetween(FIRST_BATCH, FIRST_WHILE_SCARCE, processMemory));

/** After a batch with items of this weight, on average, items are loaded one by one. A stream may take 2 MiB in memory. */
const HEAVY_ITEM = 131_072;

/** Loads the items `most` at a time, or one by one while they are large. Each batch is loaded when the one before has been handled. */
export async function* inBatches<Id, Item>(
  ids: readonly Id[],
  most: number,
  load: (ids: readonly Id[]) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  let size = Math.min(firstBatch(), most);
  for (let from = 0; from < ids.length; ) {
    const batch = await load(ids.slice(from, from + size));
    from += size;
    size = batch.length > 0 && weightOf(batch) > HEAVY_ITEM * batch.length ? 1 : Math.min(size * 4, most);
    yield batch;
  }
}
