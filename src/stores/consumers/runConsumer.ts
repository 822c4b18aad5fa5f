import { type Holding, underLease } from '../../supervision/underLease.ts';
import { StaleEpoch } from '../documents.ts';
import { DamagedEventStream, type Position } from '../eventStore.ts';
import type { EventLog, RecordedEvent } from '../log/eventLog.ts';
import type { Consumer, ConsumerDeps, ConsumerProgress } from './consumer.ts';

const BATCH_EVENTS = 500;
/** How often progress becomes a checkpoint; a restart repeats what came since. */
const SAVE_MILLISECONDS = 1_000;
const COLLECTION = 'consumers';

/** Name of a consumer's checkpoint, and of its lease. */
export const consumerCheckpoint = (name: string): string => `consumer/${name}`;

/** Follows the log for a consumer from its checkpoint, on one node at a time, until the signal aborts. Never rejects. */
export const runConsumer = async (deps: ConsumerDeps, consumer: Consumer, signal: AbortSignal): Promise<void> => {
  const logger = deps.logger.child({ consumer: consumer.name });
  const progress: ConsumerProgress = { handled: 0, failures: 0, oldest: null };
  const follow = async (holding: Holding): Promise<void> => {
    deps.progress?.set(consumer.name, progress);
    try {
      await new Following(deps, consumer, progress, holding).run();
    } catch (error) {
      if (!signal.aborted && !(error instanceof StaleEpoch)) progress.failures += 1;
      throw error;
    } finally {
      if (holding.signal.aborted && !signal.aborted) deps.progress?.delete(consumer.name);
    }
  };
  const onFailure = (error: unknown) => {
    if (!(error instanceof StaleEpoch)) logger.warn({ err: error }, 'consumer interrupted; retrying');
  };
  const { leases, clock } = deps;
  await underLease(follow, { leases, name: consumerCheckpoint(consumer.name), clock, signal, onFailure });
};

/** One holding of the lease. A rejection ends it; the next one begins at the checkpoint. */
class Following {
  readonly #deps: ConsumerDeps;
  readonly #consumer: Consumer;
  readonly #progress: ConsumerProgress;
  readonly #holding: Holding;
  #handled: Position | null = null;
  #saved: Position | null = null;
  /** Under way while something is unsaved, so that a consumer at rest has no timer. */
  #saving: Promise<void> | null = null;

  constructor(deps: ConsumerDeps, consumer: Consumer, progress: ConsumerProgress, holding: Holding) {
    this.#deps = deps;
    this.#consumer = consumer;
    this.#progress = progress;
    this.#holding = holding;
  }

  async run(): Promise<void> {
    const { signal, progressed } = this.#holding;
    const { documents, log } = this.#deps;
    await documents.ensureCollection({ name: COLLECTION, indexes: [] });
    const checkpoint = await documents.readCheckpoint(consumerCheckpoint(this.#consumer.name));
    this.#handled = this.#saved = checkpoint?.position ?? null;
    const ended = new AbortController();
    try {
      for await (const batch of batches(log, this.#handled, this.#consumer.types, signal)) {
        if (signal.aborted) break;
        this.#progress.oldest = timeOf(batch.events[0]);
        if (batch.events.length > 0) await this.#handle(batch.events, signal);
        this.#progress.oldest = null;
        this.#progress.handled += batch.events.length;
        progressed();
        this.#handled = batch.position;
        if (this.#handled !== this.#saved) this.#saving ??= this.#saveLater(ended.signal);
      }
    } finally {
      ended.abort();
      await this.#saving;
      await this.#save().catch(() => undefined);
    }
  }

  /** Passes over an event that needs a damaged event stream, so that the damage does not block the others: repeating would not help. */
  async #handle(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> {
    try {
      await this.#consumer.handle(events, signal);
    } catch (error) {
      if (!(error instanceof DamagedEventStream)) throw error;
      const [event] = events;
      if (events.length > 1) for (const one of events) await this.#handle([one], signal);
      else this.#deps.logger.error({ eventId: event?.id, consumer: this.#consumer.name, reason: error.message }, 'event passed over');
    }
  }

  /** Never rejects: what a store could not take is saved later. A lost lease ends the work through its signal. */
  async #saveLater(ended: AbortSignal): Promise<void> {
    while (this.#handled !== this.#saved && (await this.#deps.clock.pause(SAVE_MILLISECONDS, ended)) === 'elapsed')
      await this.#save().catch(() => undefined);
    this.#saving = null;
  }

  async #save(): Promise<void> {
    if (this.#handled === null || this.#handled === this.#saved) return;
    const position = this.#handled;
    await this.#consumer.settle?.();
    const name = consumerCheckpoint(this.#consumer.name);
    await this.#deps.documents.writeBatch(COLLECTION, [], { name, position, epoch: this.#holding.epoch });
    this.#saved = position;
  }
}

/** An event that cannot be read has no time. */
const timeOf = (event: RecordedEvent | undefined): string | null => {
  try {
    return event?.metadata.time ?? null;
  } catch {
    return null;
  }
};

interface Batch {
  readonly events: readonly RecordedEvent[];
  /** All events of the consumer's types up to here are in this batch or in an earlier one. */
  readonly position: Position | null;
}

/** Takes together what is there at once: a batch ends when it is full, at the head, or when the next item has to be waited for. */
export async function* batches(
  log: EventLog,
  after: Position | null,
  types: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const done = new AbortController();
  const iterator = log.subscribe({ after, filter: { types }, signal: AbortSignal.any([signal, done.signal]) })[Symbol.asyncIterator]();
  const pull = () => {
    const next = iterator.next();
    // It may fail while a batch is being handled: it is looked at after that.
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
    // One for the whole batch: what is there at once comes before it.
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
      else if (events.push(item.value.event) >= BATCH_EVENTS) yield taken(item.value.event.position);
    }
  } finally {
    // First the signal: a generator that waits for news ends its wait by it, and `return` waits for that.
    done.abort();
    await iterator.return?.().catch(() => undefined);
  }
}

const idle = (): Promise<'idle'> => new Promise((resolve) => setImmediate(() => resolve('idle')));
