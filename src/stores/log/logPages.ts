import type { EventStore, Position, StoredEvent } from '../eventStore.ts';
import { type ChainLink, linkOfText } from '../integrity/chainLink.ts';
import { SEALS } from '../integrity/seals.ts';
import { eventStreamPages, pages, upTo } from '../pages.ts';

/** An event may take 1 MiB. */
const [PAGE, PAGE_BYTES] = [100, 1_048_576];

/** The log page by page, up to and including `through`. */
export const chainPages = (store: EventStore, through: Position | null): AsyncIterable<readonly ChainLink[]> =>
  upTo(
    through,
    pages(async (last: ChainLink | undefined) => {
      const texts = await store.readTexts({ after: last?.position ?? null, limit: PAGE, maxBytes: PAGE_BYTES });
      return texts.map(linkOfText);
    }),
  );

const SEALS_AT_ONCE = 16;

/** The log's own seals up to and including `through`. */
export async function* sealsOf(store: EventStore, through: Position | null): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const page of upTo(through, eventStreamPages(store, SEALS, SEALS_AT_ONCE))) yield* page;
}
