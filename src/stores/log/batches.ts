import type { Position } from '../eventStore.ts';
import type { EventLog, RecordedEvent } from './eventLog.ts';

const BATCH_EVENTS = 100;

interface Batch {
  readonly events: readonly RecordedEvent[];
  /** This batch and earlier ones contain all events of the wanted types up to here. */
  readonly position: Position | null;
}

interface BatchOptions {
  /** The most events of a batch. */
  readonly most?: number;
  /** A batch ends when this resolves, called at its first item. Default: when the next item must be awaited. */
  readonly gather?: () => Promise<unknown>;
}

/** Follows the log after a position and collects events until a batch is full or `gather` ends it. A batch at the head may be empty. */
export async function* batches(
  log: Pick<EventLog, 'subscribe'>,
  after: Position | null,
  types: readonly string[],
  signal: AbortSignal,
  { most = BATCH_EVENTS, gather = idle }: BatchOptions = {},
): AsyncGenerator<Batch, void, undefined> {
  const done = new AbortController();
  const iterator = log.subscribe({ after, filter: { types }, signal: AbortSignal.any([signal, done.signal]) })[Symbol.asyncIterator]();
  const pull = () => {
    const next = iterator.next();
    // It may reject while a batch is being handled; the rejection is handled afterwards.
    next.catch(() => undefined);
    return next;
  };
  let batch: { events: RecordedEvent[]; position: Position | null; over: Promise<'over'> } | null = null;
  try {
    for (let next = pull(); ; ) {
      const item = batch ? await Promise.race([next, batch.over]) : await next;
      const ended = item === 'over' || item.done;
      if (!ended) {
        next = pull();
        const { value } = item;
        batch ??= { events: [], position: null, over: gather().then(() => 'over') };
        batch.position = value.kind === 'event' ? value.event.position : value.position;
        if (value.kind === 'event') batch.events.push(value.event);
      }
      if (batch && (ended || batch.events.length >= most)) {
        yield { events: batch.events, position: batch.position };
        batch = null;
      }
      if (item !== 'over' && item.done) return;
    }
  } finally {
    // Abort first: `return` waits for a generator that waits for news, and the signal ends that wait.
    done.abort();
    await iterator.return?.().catch(() => undefined);
  }
}

const idle = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
