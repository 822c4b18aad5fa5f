import type { Position } from '../eventStore.ts';
import type { EventLog, RecordedEvent } from './eventLog.ts';

const BATCH_EVENTS = 100;

interface Batch {
  readonly events: readonly RecordedEvent[];
  /** This batch and earlier ones contain all events of the wanted types up to here. */
  readonly position: Position | null;
}

/** Follows the log after a position and collects available events, at most `most`. A batch ends when it is full, at the head, or when the next item must be awaited. */
export async function* batches(
  log: EventLog,
  after: Position | null,
  types: readonly string[],
  signal: AbortSignal,
  most = BATCH_EVENTS,
): AsyncGenerator<Batch, void, undefined> {
  const done = new AbortController();
  const iterator = log.subscribe({ after, filter: { types }, signal: AbortSignal.any([signal, done.signal]) })[Symbol.asyncIterator]();
  const pull = () => {
    const next = iterator.next();
    // It may reject while a batch is being handled; the rejection is handled afterwards.
    next.catch(() => undefined);
    return next;
  };
  let events: RecordedEvent[] = [];
  const taken = (position: Position | null): Batch => {
    const batch = { events, position };
    events = [];
    return batch;
  };
  try {
    let next = pull();
    // One timer for the whole batch: available events come first.
    let over: Promise<'idle'> | null = null;
    for (;;) {
      const last = events.at(-1);
      if (last) over ??= idle();
      else over = null;
      const item = over ? await Promise.race([next, over]) : await next;
      if (last && (item === 'idle' || item.done)) yield taken(last.position);
      if (item === 'idle') continue;
      if (item.done) return;
      next = pull();
      if (item.value.kind === 'caughtUp') yield taken(item.value.position);
      else if (events.push(item.value.event) >= most) yield taken(item.value.event.position);
    }
  } finally {
    // Abort first: `return` waits for a generator that waits for news, and the signal ends that wait.
    done.abort();
    await iterator.return?.().catch(() => undefined);
  }
}

const idle = (): Promise<'idle'> => new Promise((resolve) => setImmediate(() => resolve('idle')));
