import { DamagedEventStream, type Position, type ReadAllOptions, type ReadStreamOptions } from '../eventStore.ts';
import { type EventFilter, matches } from '../log/eventFilter.ts';
import { Tombstoned } from './away.ts';
import type { Connection } from './connection.ts';
import type { Deadlines } from './deadlines.ts';
import type { Driver } from './driver.ts';
import { hidingOf } from './hidings.ts';
import { type Page, readPage } from './readPage.ts';
import { allPage, streamPage } from './readRequest.ts';
import type { EventRecord } from './record.ts';

/** Events of the whole log in one page. */
const PAGE = 500;
const EVERYTHING = Number.MAX_SAFE_INTEGER;
/** Events first read from the end, and at most per page, to find the last one that is not the store's own. */
const [FIRST_LOOK, LONGEST_LOOK] = [4, 1_000];

export interface LogPage {
  /** Includes system events. */
  readonly records: readonly EventRecord[];
  /** The log ended (backwards: began) with this page. */
  readonly last: boolean;
}

/** Reads event streams and the whole log, page by page. */
export class LogReading {
  readonly #driver: Driver;
  readonly #connection: Connection;
  readonly #deadlines: Deadlines;

  constructor(driver: Driver, connection: Connection, deadlines: Deadlines) {
    this.#driver = driver;
    this.#connection = connection;
    this.#deadlines = deadlines;
  }

  async stream(eventStream: string, { from, limit = EVERYTHING, direction = 'forwards' }: ReadStreamOptions): Promise<EventRecord[]> {
    const records: EventRecord[] = [];
    let next = from ?? null;
    while (records.length < limit) {
      const request = streamPage(this.#driver, { eventStream, from: next, count: limit - records.length, direction });
      const page = await this.#page(request).catch((error: unknown) => {
        throw error instanceof Tombstoned ? deleted(eventStream) : error;
      });
      if (page.missing && (await this.#isDeleted(eventStream))) throw deleted(eventStream);
      records.push(...page.records);
      const last = page.records.at(-1)?.revision;
      if (!page.cut || last === undefined || (direction === 'backwards' && last === 0n)) break;
      next = direction === 'forwards' ? last + 1n : last - 1n;
    }
    return records;
  }

  async all({ after, limit, maxBytes = EVERYTHING, direction = 'forwards', where }: ReadAllOptions): Promise<EventRecord[]> {
    if (where?.eventStream !== undefined) return this.#ofStream(where.eventStream, { after, limit, maxBytes, direction, where });
    const records: EventRecord[] = [];
    let bytes = 0;
    let at = after;
    while (records.length < limit && (bytes < maxBytes || records.length === 0)) {
      const page = await this.page(at, where ? PAGE : Math.min(PAGE, limit - records.length), direction, maxBytes);
      for (const record of page.records) {
        bytes += record.bytes;
        if (records.length < limit && isWanted(record, where)) records.push(record);
      }
      at = page.records.at(-1)?.position ?? at;
      if (page.last) break;
    }
    return records;
  }

  /** The server answers the same for a deleted and an unknown event stream. Its metadata tell them apart. */
  async #isDeleted(eventStream: string): Promise<boolean> {
    if (eventStream.startsWith('$')) return false;
    const request = streamPage(this.#driver, { eventStream: `$$${eventStream}`, from: null, count: 1, direction: 'backwards' });
    const { records } = await this.#page(request);
    return records[0] !== undefined && hidingOf(records[0])?.hides === 'all';
  }

  /** Reads the whole log after a position (backwards: before it), including the store's own events. Throws `TypeError` for an invalid position. */
  async page(
    after: Position | null,
    count = PAGE,
    direction: 'forwards' | 'backwards' = 'forwards',
    maxBytes = EVERYTHING,
  ): Promise<LogPage> {
    // One more: forwards, servers start with the event at the position itself.
    const { records, cut } = await this.#page(allPage(this.#driver, after, count + 1, direction), maxBytes);
    const behind = ({ position }: EventRecord) => after === null || (direction === 'forwards' ? position > after : position < after);
    return { records: records.filter(behind), last: !cut && records.length <= count };
  }

  /** Position of the last event that is not the store's own. */
  async head(): Promise<Position | null> {
    let at: Position | null = null;
    for (let count = FIRST_LOOK; ; count = Math.min(LONGEST_LOOK, count * 10)) {
      const { records, last } = await this.page(at, count, 'backwards');
      const found = records.find(({ system }) => !system);
      if (found) return found.position;
      if (last) return null;
      at = records.at(-1)?.position ?? at;
    }
  }

  /** Event by event, since one event stream has far fewer than the whole log. */
  async #ofStream(
    eventStream: string,
    { after, limit, maxBytes = EVERYTHING, direction = 'forwards', where }: ReadAllOptions,
  ): Promise<EventRecord[]> {
    if (after !== null) allPage(this.#driver, after, 1, direction);
    const behind = ({ position }: EventRecord) => after === null || (direction === 'forwards' ? position > after : position < after);
    const records: EventRecord[] = [];
    let bytes = 0;
    let from: bigint | null = null;
    while (records.length < limit && bytes < maxBytes) {
      const page = await this.stream(eventStream, { ...(from === null ? {} : { from }), limit: PAGE, direction });
      for (const record of page) {
        if (records.length >= limit || bytes >= maxBytes || !behind(record) || !isWanted(record, where)) continue;
        records.push(record);
        bytes += record.bytes;
      }
      const last = page.at(-1)?.revision;
      if (page.length < PAGE || last === undefined || (direction === 'backwards' && last === 0n)) break;
      from = direction === 'forwards' ? last + 1n : last - 1n;
    }
    return records;
  }

  #page(request: Parameters<typeof readPage>[1], maxBytes = EVERYTHING): Promise<Page> {
    return this.#connection.run((session) => readPage(session, request, this.#deadlines, maxBytes));
  }
}

const deleted = (eventStream: string): DamagedEventStream => new DamagedEventStream(eventStream, 'it was deleted in EventStoreDB');

const isWanted = (record: EventRecord, where: EventFilter | undefined): boolean => !record.system && (!where || matches(where, record));
