import { setImmediate } from 'node:timers/promises';
import type { Documents, FindOptions, StoredDocument } from './documents.ts';
import type { Position, ReadAllOptions, ReadStreamOptions } from './eventStore.ts';

/**
 * Reads page after page; `read` gets the last item of the page before, and the number of all items so far. A page with fewer than `full` items is
 * the last one. Default: reads until a page is empty. Other work runs between pages: the embedded store reads them without waiting.
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
    await setImmediate();
  }
}

interface StreamReader<Event> {
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<Event[]>;
}

interface LogReader<Event> {
  readAll(options: ReadAllOptions): Promise<Event[]>;
}

/** The events of an event stream from a revision on, at most `limit` of them at a time. */
export const eventStreamPages = <Event extends { readonly revision: bigint }>(
  reader: StreamReader<Event>,
  eventStream: string,
  limit: number,
  first = 0n,
): AsyncGenerator<readonly Event[], void, undefined> =>
  pages((last) => reader.readStream(eventStream, { from: last ? last.revision + 1n : first, limit }), limit);

/** Text of a page of the log. */
export const PAGE_BYTES = 1_048_576;

/** The events of the log after a position, at most `limit` of them and 1 MiB at a time. */
export const logPages = <Event extends { readonly position: Position }>(
  reader: LogReader<Event>,
  { after, ...options }: ReadAllOptions,
): AsyncGenerator<readonly Event[], void, undefined> =>
  pages((last) => reader.readAll({ maxBytes: PAGE_BYTES, ...options, after: last?.position ?? after }));

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
