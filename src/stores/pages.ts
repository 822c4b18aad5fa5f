import { END, Items } from '../supervision/items.ts';
import { givingWay } from '../supervision/ownTurn.ts';
import { limitBetween, type Memory, processMemory } from '../supervision/scarceMemory.ts';
import { weightOf } from '../weight.ts';
import type { Documents, FindOptions, StoredDocument } from './documents.ts';
import type { Position, ReadAllOptions, ReadStreamOptions } from './eventStore.ts';

/**
 * Reads page after page; `read` gets the last item of the page before, and the number of all items so far. A page with fewer than `full` items is
 * the last one. Default: reads until a page is empty.
 */
export async function* pages<Item>(
  read: (last: Item | undefined, skip: number) => Promise<readonly Item[]>,
  full = 1,
): AsyncGenerator<readonly Item[], void, undefined> {
  let last: Item | undefined;
  for (let skip = 0; ; ) {
    const page = await read(last, skip);
    if (page.length > 0) yield page;
    if (page.length < full) return;
    last = page.at(-1);
    skip += page.length;
  }
}

interface StreamReader<Event> {
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<Event[]>;
}

interface LogReader<Event> {
  readAll(options: ReadAllOptions): Promise<Event[]>;
}

/** Most events of the first page: the event streams of most streams are shorter. An event may take 6 MB in memory. */
const FIRST_EVENTS = 8;
const PAGE_MEMORY_BYTES = 4_194_304;

/**
 * The events of an event stream from a revision on, at most `limit` of them at a time, fewer if those of the page before take much memory. Gives way to
 * other work between pages: the embedded store reads them without waiting, and an event stream may have a thousand short pages.
 */
export const eventStreamPages = <Event extends { readonly revision: bigint }>(
  reader: StreamReader<Event>,
  eventStream: string,
  limit: number,
  first = 0n,
): AsyncIterableIterator<readonly Event[], undefined> => {
  const giveWay = givingWay();
  let from = first;
  let count = Math.min(limit, FIRST_EVENTS);
  let isOver = false;
  const next = async (): Promise<IteratorResult<readonly Event[], undefined>> => {
    if (isOver) return END;
    if (from > first) await giveWay();
    const page = await reader.readStream(eventStream, { from, limit: count });
    const last = page.at(-1);
    isOver = !last || page.length < count;
    if (!last) return END;
    from = last.revision + 1n;
    if (!isOver) count = Math.max(1, Math.min(limit, Math.floor((page.length * PAGE_MEMORY_BYTES) / weightOf(page))));
    return { done: false, value: page };
  };
  return new Items(next, () => {});
};

/** Most bytes of a page of the log while memory is ample and while it is scarce. Parsed, they may take twenty times as much. */
const [PAGE_BYTES, PAGE_BYTES_WHILE_SCARCE] = [1_048_576, 65_536];

export const pageBytes = (memory: Memory = processMemory): number => Math.round(limitBetween(PAGE_BYTES, PAGE_BYTES_WHILE_SCARCE, memory));

/** The events of the log after a position, at most `limit` of them and 1 MiB at a time (64 KiB while memory is scarce). */
export const logPages = <Event extends { readonly position: Position }>(
  reader: LogReader<Event>,
  { after, ...options }: ReadAllOptions,
): AsyncGenerator<readonly Event[], void, undefined> =>
  pages((last) => reader.readAll({ maxBytes: pageBytes(), ...options, after: last?.position ?? after }));

/** The pages up to and including a position, which may lie within the last one. */
export async function* upTo<Event extends { readonly position: Position }>(
  through: Position | null,
  all: AsyncIterable<readonly Event[]>,
): AsyncGenerator<readonly Event[], void, undefined> {
  if (through === null) return;
  for await (const page of all) {
    const within: readonly Event[] = page.filter(({ position }) => position <= through);
    if (within.length > 0) yield within;
    if (within.length < page.length || within.at(-1)?.position === through) return;
  }
}

const LOOK_TOGETHER = 100;

/** The newest event before a position (`null`: of the whole log) that matches; `null` if none does. */
export const findBackwards = async <Event extends { readonly position: Position }>(
  reader: LogReader<Event>,
  before: Position | null,
  matches: (event: Event) => boolean,
): Promise<Event | null> => {
  for await (const page of logPages(reader, { after: before, limit: LOOK_TOGETHER, direction: 'backwards' })) {
    const found = page.find(matches);
    if (found) return found;
  }
  return null;
};

/** The documents of a collection, `limit` of them at a time. */
export const documentPages = (
  documents: Pick<Documents, 'find'>,
  collection: string,
  options: Omit<FindOptions, 'skip' | 'limit'>,
  limit: number,
): AsyncGenerator<readonly StoredDocument[], void, undefined> =>
  pages((_, skip) => documents.find(collection, { ...options, skip, limit }), limit);
