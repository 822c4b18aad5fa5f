import { isStreamEvent, type StreamEvent } from '../../domain/stream/events.ts';
import type { DomainEvent, EventLog } from '../../stores/log/eventLog.ts';
import { observedLog } from '../../stores/log/observedLog.ts';
import { type Slots, slotHolder } from './slots.ts';

const STREAM = 'stream-';

/** The events that end an attempt of a stream. */
export const ATTEMPT_ENDS = ['StreamCompleted', 'StreamFailed', 'StreamCanceled'] satisfies StreamEvent['type'][];

/** The slot's holder that a stream's event is about, by the event's attempt; without one, the upload. */
export const holderOf = (eventStream: string, { data }: StreamEvent): string =>
  slotHolder(eventStream.slice(STREAM.length), 'attempt' in data ? data.attempt : undefined);

const isEnd = (event: DomainEvent): event is StreamEvent => isStreamEvent(event) && ATTEMPT_ENDS.some((type) => type === event.type);

/**
 * The log of a lone node, which frees a slot as soon as the end of its attempt is durable, so that the next upload can take it. The completion
 * policy frees slots too, but follows the log and may be behind.
 */
export const freeingSlots = (log: EventLog, slots: Pick<Slots, 'free'>): EventLog =>
  observedLog(log, async ({ eventStream, events, context }, append) => {
    const appended = await append();
    const end = eventStream.startsWith(STREAM) ? events.find(isEnd) : undefined;
    // A document that cannot be removed now is swept at the next start.
    if (end) slots.free(context.subject, holderOf(eventStream, end)).catch(() => undefined);
    return appended;
  });
