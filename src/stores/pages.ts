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

/** The events of an event stream, `limit` of them at a time, from a revision on. */
export const eventStreamPages = <Event extends { readonly revision: bigint }>(
  reader: StreamReader<Event>,
  eventStream: string,
  limit: number,
  first = 0n,
): AsyncGenerator<readonly Event[], void, undefined> =>
  pages((last) => reader.readStream(eventStream, { from: last ? last.revision + 1n : first, limit }), limit);

/** The events of the log, `limit` of them at a time, after a position. */
export const logPages = <Event extends { readonly position: Position }>(
  reader: LogReader<Event>,
  { after, ...options }: ReadAllOptions,
): AsyncGenerator<readonly Event[], void, undefined> => pages((last) => reader.readAll({ ...options, after: last?.position ?? after }));

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
