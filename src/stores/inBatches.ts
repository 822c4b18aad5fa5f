import { setImmediate } from 'node:timers/promises';

/** Loads the items `most` at a time. Each batch is loaded when the one before has been handled. */
export async function* inBatches<Id, Item>(
  ids: readonly Id[],
  most: number,
  load: (ids: readonly Id[]) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let from = 0; from < ids.length; from += most) {
    if (from > 0) await setImmediate();
    yield await load(ids.slice(from, from + most));
  }
}
