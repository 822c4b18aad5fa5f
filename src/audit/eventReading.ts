import { setImmediate } from 'node:timers/promises';
import { timeOf } from '../domain/parseTime.ts';
import { notFound } from '../domain/problem.ts';
import type { Position, StoredEvent } from '../stores/eventStore.ts';
import type { EventFilter } from '../stores/log/eventFilter.ts';
import type { EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import { PAGE_BYTES } from '../stores/pages.ts';
import { withoutSecrets } from './withoutSecrets.ts';

/** A read of the log for auditors. */
export interface EventQuery {
  readonly where: EventFilter;
  readonly order: 'asc' | 'desc';
  /** Exclusive; `null` starts at the end at which the order starts. */
  readonly after: Position | null;
  /** `null`: all events. */
  readonly limit: number | null;
  /** `stored`: as hashed, with encrypted personal members. */
  readonly form: 'readable' | 'stored';
}

/** The parameters of a read of the log, as auditors send them. */
export interface EventParameters extends Omit<EventFilter, 'types' | 'id'>, Pick<EventQuery, 'order' | 'form'> {
  readonly type?: string | undefined;
  readonly after?: string | undefined;
}

/** Throws 400 for an invalid time; `prefix` goes before the name of its parameter. */
export const eventQuery = (
  { order, form, after, type, from, to, ...others }: EventParameters,
  limit: number | null,
  prefix = '',
): EventQuery => {
  const time = (text: string | undefined, name: string) => (text === undefined ? undefined : timeOf(text, prefix + name));
  const where = { ...others, types: type === undefined ? undefined : [type], from: time(from, 'from'), to: time(to, 'to') };
  // The store checks the position: only the store knows its format.
  return { where, order, form, after: (after ?? null) as Position | null, limit };
};

/** An event as auditors see it. Revision and position are text, because they may exceed a JSON number. */
export interface ShownEvent {
  readonly id: string;
  readonly eventStream: string;
  readonly type: string;
  readonly revision: string;
  readonly position: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

const PAGE = 500;

const shownEvent = ({ id, eventStream, type, revision, position, data, metadata }: RecordedEvent | StoredEvent): ShownEvent => ({
  id,
  eventStream,
  type,
  revision: String(revision),
  position,
  data,
  metadata,
});

/** Upcast, with readable personal members except secrets; an event that cannot be read (it was tampered with) is shown as stored. */
const readable = async (log: EventLog, events: readonly StoredEvent[]): Promise<ShownEvent[]> => {
  try {
    return (await log.decode(events)).map(withoutSecrets).map(shownEvent);
  } catch {
    const each = events.map(async (event) => {
      const read = await log.decode([event]).catch(() => null);
      return (read?.map(withoutSecrets) ?? [event]).map(shownEvent);
    });
    return (await Promise.all(each)).flat();
  }
};

/**
 * The events up to `through` (the head at the start of the read), in pages: each exactly once, even while the log grows. Rejects with `TypeError`
 * if `after` is not a position of this log.
 */
export async function* readEvents(
  log: EventLog,
  { where, order, after: start, limit, form }: EventQuery,
  through: Position | null,
): AsyncGenerator<ShownEvent[], void, undefined> {
  const direction = order === 'asc' ? 'forwards' : 'backwards';
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let after = start; through !== null && left > 0; ) {
    const wanted = Math.min(PAGE, left);
    const page: StoredEvent[] = await log.readStored({ after, limit: wanted, maxBytes: PAGE_BYTES, direction, where });
    const within = page.filter(({ position }) => position <= through);
    left -= within.length;
    if (within.length > 0) yield form === 'stored' ? within.map(shownEvent) : await readable(log, within);
    after = page.at(-1)?.position ?? after;
    // A page may be short because of its bytes: only an empty one is the last.
    if (page.length === 0 || (order === 'asc' && within.length < page.length)) return;
    // The embedded store reads without waiting.
    await setImmediate();
  }
}

/** `through`: as for `readEvents`. Rejects with 404. */
export const readEvent = async (log: EventLog, id: string, through: Position | null): Promise<ShownEvent> => {
  const query: EventQuery = { where: { id }, order: 'desc', after: null, limit: 1, form: 'readable' };
  for await (const [event] of readEvents(log, query, through)) if (event) return event;
  throw notFound('event');
};

const ANSWER_CHARACTERS = 4_194_304;

/** At least one event, then as many as fit into 4 MiB of JSON; `cut` says that there may be more. */
export const boundedEvents = async (pages: AsyncIterable<readonly ShownEvent[]>): Promise<{ content: ShownEvent[]; cut: boolean }> => {
  const content: ShownEvent[] = [];
  let characters = 0;
  for await (const page of pages)
    for (const event of page) {
      characters += JSON.stringify(event).length;
      if (content.length > 0 && characters > ANSWER_CHARACTERS) return { content, cut: true };
      content.push(event);
    }
  return { content, cut: false };
};
