import { type EventQuery, readEvents, type ShownEvent } from '../../audit/eventReading.ts';
import type { Clock } from '../../clock.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';

/** Longest delay of a new event. */
const LOOK_MILLISECONDS = 1_000;
/** Longest duration of a read. To continue, the reader makes another request, which is recorded again. */
const LONGEST_MILLISECONDS = 600_000;

export interface FollowDeps {
  readonly log: EventLog;
  readonly clock: Clock;
}

/** The events after a position, then each as it is appended, for ten minutes or until the signal aborts. */
export async function* followEvents(
  { log, clock }: FollowDeps,
  { where, form, after: start }: EventQuery,
  signal: AbortSignal,
): AsyncGenerator<ShownEvent[], void, undefined> {
  const end = clock.monotonic() + LONGEST_MILLISECONDS;
  let after: Position | null = start;
  while (!signal.aborted && clock.monotonic() < end) {
    const query: EventQuery = { where, form, after, order: 'asc', limit: null };
    for await (const page of readEvents(log, query, await log.head())) {
      // The position of an event that the log has just returned.
      after = (page.at(-1)?.position as Position | undefined) ?? after;
      yield page;
    }
    await clock.pause(LOOK_MILLISECONDS, signal);
  }
}
