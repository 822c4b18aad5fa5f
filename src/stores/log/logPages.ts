import type { EventStore, Position, StoredEvent } from '../eventStore.ts';
import { type ChainLink, linkOf, linkOfText } from '../integrity/chainLink.ts';
import { SEALS } from '../integrity/seals.ts';

/** An event may take 320 KB in the store. */
const PAGE = 100;

/** The log page by page, up to and including `through`. */
export async function* logPages(store: EventStore, through: Position | null): AsyncGenerator<readonly ChainLink[], void, undefined> {
  for (let after: Position | null = null; through !== null && (after === null || after < through); ) {
    const page = await linksBehind(store, after);
    const last = page.at(-1)?.position;
    if (last === undefined) return;
    yield last <= through ? page : page.filter(({ position }) => position <= through);
    after = last;
  }
}

const linksBehind = async (store: EventStore, after: Position | null): Promise<ChainLink[]> =>
  store.readTexts
    ? (await store.readTexts({ after, limit: PAGE })).map(linkOfText)
    : (await store.readAll({ after, limit: PAGE })).map(linkOf);

const SEALS_AT_ONCE = 16;

/** The log's own seals up to and including `through`. */
export async function* sealsOf(store: EventStore, through: Position | null): AsyncGenerator<StoredEvent, void, undefined> {
  for (let from = 0n; through !== null; ) {
    const page = await store.readStream(SEALS, { from, limit: SEALS_AT_ONCE });
    for (const event of page) {
      if (event.position > through) return;
      yield event;
    }
    const last = page.at(-1);
    if (!last || page.length < SEALS_AT_ONCE) return;
    from = last.revision + 1n;
  }
}
