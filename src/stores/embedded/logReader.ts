import type { DatabaseSync } from 'node:sqlite';
import type { EventText, Position, StoredEvent, SubscribeOptions } from '../eventStore.ts';
import type { EventFilter } from '../log/eventFilter.ts';
import { storedObject } from '../log/unreadableEvent.ts';
import { PAGE_BYTES } from '../pages.ts';
import { TopicDamaged } from '../topics.ts';
import { openForReading, Statements } from './sqlite.ts';

/** A column order that `toEvent` relies on. */
const COLUMNS = 'position, event_stream, revision, recorded_at, id, type, metadata, data';

type Row = readonly [
  position: number,
  eventStream: string,
  revision: number,
  recordedAt: number,
  id: string,
  type: string,
  metadata: string,
  data: string,
];

/** An event with members that the port does not show: its rowid and when the store recorded it (milliseconds). Reading `event` may parse it, each time. */
export interface LoggedEvent {
  readonly rowid: number;
  readonly recordedAt: number;
  readonly eventStream: string;
  readonly revision: number;
  readonly event: StoredEvent;
}

/** An event in its row, parsed when it is read: a page keeps its text only, and a reader of large events can pause in between. */
export class LoggedRow implements LoggedEvent {
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  get rowid(): number {
    return this.#row[0];
  }

  get eventStream(): string {
    return this.#row[1];
  }

  get revision(): number {
    return this.#row[2];
  }

  get recordedAt(): number {
    return this.#row[3];
  }

  get bytes(): number {
    return this.#row[6].length + this.#row[7].length;
  }

  get event(): StoredEvent {
    return toEvent(this.#row);
  }

  /** Without parsing. */
  get text(): EventText {
    const [rowid, eventStream, revision, , id, type, metadata, data] = this.#row;
    return { id, type, eventStream, revision: BigInt(revision), position: toPosition(rowid), metadata, data };
  }
}

const toEvent = ([rowid, eventStream, revision, , id, type, metadata, data]: Row): StoredEvent => ({
  eventStream,
  revision: BigInt(revision),
  position: toPosition(rowid),
  id,
  type,
  data: storedObject(data),
  metadata: storedObject(metadata),
});

export type Filter = NonNullable<SubscribeOptions['filter']>;

/** Bounds of a read: rowids or revisions, both inclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly direction: 'forwards' | 'backwards';
}

export interface LoggedPage {
  readonly rows: readonly LoggedRow[];
  /** The range has no further rows. Otherwise the page ended because it was full. */
  readonly isLast: boolean;
}

/** Positions are rowids padded to 20 digits, so that they sort as text. */
export const toPosition = (rowid: number): Position => String(rowid).padStart(20, '0') as Position;

/** The rowid of a position. Throws `TypeError` on an invalid position. */
export const toRowid = (position: string): number => {
  if (!/^\d{20}$/.test(position)) throw new TypeError('Not a position of this log: it has 20 digits.');
  return Math.min(Number(position), Number.MAX_SAFE_INTEGER);
};

/** The read connection to `log.db`. Reads pages, until their limit or 1 MiB of text, and leaves no cursor open, which would pin the WAL. */
export class LogReader {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;

  constructor(file: string) {
    this.#db = openForReading(file);
    this.#statements = new Statements(this.#db);
  }

  /** Events of the whole log, by rowid. */
  all({ from, to, limit, direction }: Range): LoggedPage {
    const order = direction === 'forwards' ? 'ASC' : 'DESC';
    const sql = `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ? AND ? ORDER BY position ${order} LIMIT ?`;
    return this.#page(sql, [from, to], limit);
  }

  /** Events of one event stream, by revision. */
  stream(eventStream: string, { from, to, limit, direction }: Range): LoggedPage {
    const order = direction === 'forwards' ? 'ASC' : 'DESC';
    const sql = `SELECT ${COLUMNS} FROM events WHERE event_stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${order} LIMIT ?`;
    return this.#page(sql, [eventStream, from, to], limit);
  }

  /** Events of the whole log that match one of the prefixes or types, forwards. */
  matching(filter: Filter, { from, to, limit }: Range): LoggedPage {
    const prefixes = filter.prefixes ?? [];
    const types = filter.types ?? [];
    const conditions = prefixes.map(() => 'substr(event_stream, 1, ?) = ?');
    if (types.length > 0) conditions.push(`type IN (${types.map(() => '?').join()})`);
    if (conditions.length === 0) return { rows: [], isLast: true };
    const sql = `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ? AND ? AND (${conditions.join(' OR ')}) ORDER BY position LIMIT ?`;
    // SQLite counts code points, like the spread.
    return this.#page(sql, [from, to, ...prefixes.flatMap((prefix) => [[...prefix].length, prefix]), ...types], limit);
  }

  /** Matching events, by rowid. Those of one event stream are found by its index, all others by a scan of the range. */
  selected(where: EventFilter, { from, to, limit, direction }: Range): LoggedPage {
    const order = direction === 'forwards' ? 'ASC' : 'DESC';
    const { conditions, values } = conditionsOf(where);
    const index = where.eventStream === undefined ? '' : 'INDEXED BY events_by_stream';
    const by = where.eventStream === undefined ? 'position' : 'revision';
    const sql = `SELECT ${COLUMNS} FROM events ${index} WHERE position BETWEEN ? AND ?${conditions} ORDER BY ${by} ${order} LIMIT ?`;
    return this.#page(sql, [from, to, ...values], limit);
  }

  /** The segment of a small topic; `null` if it does not exist here. Throws `TopicDamaged` if its bytes were lost before they came here. */
  topic(topic: string): Buffer | null {
    const [row] = this.#selectedRows<[segment: Uint8Array]>('SELECT segment FROM topics WHERE topic = ?', [topic]);
    if (!row) return null;
    const [{ buffer, byteOffset, byteLength }] = row;
    if (byteLength === 0) throw new TopicDamaged(topic, -1);
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  hasTopic(topic: string): boolean {
    return this.#selectedRows('SELECT 1 FROM topics WHERE topic = ?', [topic]).length > 0;
  }

  countTopics(): number {
    const [row] = this.#selectedRows<[number]>('SELECT count(*) FROM topics', []);
    return row?.[0] ?? 0;
  }

  /** Ids of small topics, in their order. */
  topicsAfter(after: string, limit: number): string[] {
    const sql = 'SELECT topic FROM topics WHERE topic > ? ORDER BY topic LIMIT ?';
    return this.#selectedRows<[topic: string]>(sql, [after, limit]).map(([topic]) => topic);
  }

  close(): void {
    this.#db.close();
  }

  #page(sql: string, parameters: readonly (string | number)[], limit: number): LoggedPage {
    const rows: LoggedRow[] = [];
    let bytes = 0;
    for (const row of this.#statements.get(sql).iterate(...parameters, limit)) {
      const logged = new LoggedRow(row as Row);
      rows.push(logged);
      bytes += logged.bytes;
      if (bytes >= PAGE_BYTES) return { rows, isLast: false };
    }
    return { rows, isLast: rows.length < limit };
  }

  #selectedRows<R extends readonly unknown[]>(sql: string, parameters: readonly (string | number)[]): R[] {
    // STRICT tables guarantee the declared column types.
    return this.#statements.get(sql).all(...parameters) as R[];
  }
}

const CATEGORY = `substr(event_stream, 1, instr(event_stream || '-', '-') - 1)`;

/** The SQL text is our own; callers' values are bound. */
const conditionsOf = (where: EventFilter): { conditions: string; values: string[] } => {
  const { eventStream, category, exclude = [], types, id, subject, correlationId, from, to } = where;
  const wanted: [sql: string, values: readonly string[]][] = [];
  if (eventStream !== undefined) wanted.push(['event_stream = ?', [eventStream]]);
  if (category !== undefined) wanted.push([`${CATEGORY} = ?`, [category]]);
  if (exclude.length > 0) wanted.push([`${CATEGORY} NOT IN (${exclude.map(() => '?').join()})`, exclude]);
  if (types !== undefined) wanted.push([`type IN (${types.map(() => '?').join()})`, types]);
  if (id !== undefined) wanted.push(['id = ?', [id]]);
  if (subject !== undefined) wanted.push([`json_extract(metadata, '$.subject') = ?`, [subject]]);
  if (correlationId !== undefined) wanted.push([`json_extract(metadata, '$."$correlationId"') = ?`, [correlationId]]);
  if (from !== undefined) wanted.push([`json_extract(metadata, '$.time') >= ?`, [from]]);
  if (to !== undefined) wanted.push([`json_extract(metadata, '$.time') <= ?`, [to]]);
  return { conditions: wanted.map(([sql]) => ` AND ${sql}`).join(''), values: wanted.flatMap(([, values]) => values) };
};
