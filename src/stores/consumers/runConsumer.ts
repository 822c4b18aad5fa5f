import { type Holding, underLease } from '../../supervision/underLease.ts';
import { type Documents, StaleEpoch } from '../documents.ts';
import { DamagedEventStream, type Position } from '../eventStore.ts';
import { batches } from '../log/batches.ts';
import type { RecordedEvent } from '../log/eventLog.ts';
import type { Consumer, ConsumerDeps, ConsumerProgress } from './consumer.ts';

/** Interval of checkpoints. A restart repeats the events since the last one. All consumers save at the same moments, so that a store can write them together. */
const SAVE_MILLISECONDS = 1_000;
const COLLECTION = 'consumers';

/** Name of a consumer's checkpoint, and of its lease. */
export const consumerCheckpoint = (name: string): string => `consumer/${name}`;

export const ensureConsumers = (documents: Pick<Documents, 'ensureCollection'>): Promise<void> =>
  documents.ensureCollection({ name: COLLECTION, indexes: [] });

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

/** Works while it holds the lease. A rejection releases it; the next holder starts at the checkpoint. */
class Following {
  readonly #deps: ConsumerDeps;
  readonly #consumer: Consumer;
  readonly #progress: ConsumerProgress;
  readonly #holding: Holding;
  #handled: Position | null = null;
  #saved: Position | null = null;
  /** Runs only while something is unsaved, so that an idle consumer has no timer. */
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
    this.#consumer.begin?.();
    await ensureConsumers(documents);
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

  /** Skips an event that needs a damaged event stream, so that the damage does not block other events. Repeating would not help. */
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

  /** Never rejects: if the store fails, the checkpoint is saved later. If the lease is lost, its signal ends the work. */
  async #saveLater(ended: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const untilNextMoment = () => SAVE_MILLISECONDS - (clock.monotonic() % SAVE_MILLISECONDS);
    while (this.#handled !== this.#saved && (await clock.pause(untilNextMoment(), ended)) === 'elapsed')
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

/** An unreadable event has no time. */
const timeOf = (event: RecordedEvent | undefined): string | null => {
  try {
    return event?.metadata.time ?? null;
  } catch {
    return null;
  }
};
