import { type Clock, isoTime } from '../../clock.ts';
import { type DeliveryEvent, deliveryEventStream, isDeliveryEvent, type RecordedAttempt } from '../../domain/delivery/events.ts';
import { type DeliveryCheckpoint, PendingDeliveries, type PendingDelivery } from '../../domain/delivery/state.ts';
import type { Logger } from '../../logger.ts';
import { AppendTooLarge, type EventStore, type Position, WrongExpectedRevision } from '../../stores/eventStore.ts';
import type { EventLog, StreamHead } from '../../stores/log/eventLog.ts';
import { eventStreamPages } from '../../stores/pages.ts';
import { OVER } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';

/** Facts to append, given the pending deliveries. May run again after a conflict. */
export type Decision = (state: PendingDeliveries) => readonly DeliveryEvent[];

export interface FactDeps {
  readonly log: EventLog;
  readonly store: Pick<EventStore, 'setRetention'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The end of `delivery-<subject>`, and its folded state. */
interface Loaded {
  readonly state: PendingDeliveries;
  readonly head: StreamHead;
  readonly last: { readonly position: Position; readonly at: string } | null;
}

/** Gets deliveries that have become pending, when their facts are durable. After a failed append it gets everything pending again, as new objects. */
export type OnDue = (pending: Iterable<PendingDelivery>) => void;

/** `dropped`: the log cannot take these facts, because they exceed an append by themselves. */
export type Written = 'durable' | 'dropped';

/** Something to write, and whom to tell when it is durable. */
interface Waiting<T> {
  readonly item: T;
  readonly resolve: (written: Written) => void;
  /** An earlier append with it may have reached the log. */
  readonly isRepeated?: boolean;
}

/** The content of one append. Waiting decisions are added while they fit. */
interface Batch {
  attempts: readonly Waiting<RecordedAttempt>[];
  decisions: Waiting<Decision>[];
  /** An earlier append of the batch failed: its outcome may be unknown. */
  isRepeated: boolean;
  /** Nothing more is added: the log has refused it as too large. */
  isFull: boolean;
}

const PAGE = 500;
/** The log keeps facts this long. */
export const RETENTION_SECONDS = 30 * 86_400;
const BATCH_MILLISECONDS = 50;
const BATCH_ATTEMPTS = 200;
/** Characters of facts in one append, roughly: far below the store's limit of 1 MiB. */
const APPEND_CHARACTERS = 500_000;

const factCharacters = (event: DeliveryEvent): number => {
  if (event.type === 'AttemptsRecorded') return event.data.attempts.length * 500;
  if (event.type === 'DeliveriesStopped' || event.type === 'DeliveriesForgotten') return event.data.deliveryIds.length * 40;
  if (event.type === 'DeliveryCarried') return Object.keys(event.data.sequences).length * 60 + Object.keys(event.data.failing).length * 70;
  const deliveries: readonly { url: string | null }[] = event.data.deliveries;
  return deliveries.reduce((sum, { url }) => sum + 500 + (url?.length ?? 0) * 2, 500);
};

const load = async ({ log }: FactDeps, subject: string, checkpoint: DeliveryCheckpoint | null): Promise<Loaded> => {
  const state = new PendingDeliveries(checkpoint);
  for (const part of checkpoint?.many ?? []) state.restore(part);
  let head: StreamHead = { revision: 'no stream', hash: null };
  let last: Loaded['last'] = null;
  // Reads at least the last fact in the checkpoint, because the next one is chained to it.
  const from = checkpoint ? [BigInt(checkpoint.foldFrom), BigInt(checkpoint.revision)].reduce((a, b) => (a < b ? a : b)) : 0n;
  for await (const page of eventStreamPages(log, deliveryEventStream(subject), PAGE, from))
    for (const event of page) {
      if (isDeliveryEvent(event)) state.evolve(event, event.revision, event.metadata.time);
      head = { revision: event.revision, hash: event.metadata.hash };
      last = { position: event.position, at: event.metadata.time };
    }
  return { state, head, last };
};

/**
 * The only writer of a user's `delivery-<subject>` while its node holds the partition. Each decision is applied to the state that the earlier
 * ones left; what arrives during an append goes into the next one together. Each append expects the last revision: if another node has written,
 * the writer reads the facts again and repeats the decisions.
 */
export class FactWriter {
  readonly #deps: FactDeps;
  readonly #subject: string;
  /** Where it began. All facts may have expired since: then only it has the sequences. */
  readonly #checkpoint: DeliveryCheckpoint | null;
  readonly #onDue: OnDue;
  readonly #signal: AbortSignal;
  #loaded: Loaded;
  readonly #decisions: Waiting<Decision>[] = [];
  readonly #attempts: Waiting<RecordedAttempt>[] = [];
  #running: Promise<void> | null = null;
  /** The append in progress. Until it ends, the state is ahead of the log. */
  #writing: Promise<void> | null = null;
  /** The last revision of the event stream as a conflict reported it: all its facts may have expired. */
  #reportedRevision: bigint | null = null;
  /** Set while attempts wait for more of them, to be written together. */
  #gathering: AbortController | null = null;
  #flushedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    deps: FactDeps,
    { subject, checkpoint }: { subject: string; checkpoint: DeliveryCheckpoint | null },
    loaded: Loaded,
    onDue: OnDue,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#subject = subject;
    this.#checkpoint = checkpoint;
    this.#loaded = loaded;
    this.#onDue = onDue;
    this.#signal = signal;
  }

  /** Pending deliveries are in `state`; `onDue` gets later ones. Rejects with `StoreUnavailable`. */
  static async open(
    deps: FactDeps,
    { subject, checkpoint }: { subject: string; checkpoint: DeliveryCheckpoint | null },
    onDue: OnDue,
    signal: AbortSignal,
  ): Promise<FactWriter> {
    return new FactWriter(deps, { subject, checkpoint }, await load(deps, subject, checkpoint), onDue, signal);
  }

  get state(): PendingDeliveries {
    return this.#loaded.state;
  }

  /** Nothing is being written or waits to be written. */
  get quiet(): boolean {
    return this.#running === null;
  }

  /**
   * Resolves when the facts are durable, or when the partition is lost: then the next holder decides again. `dropped` if they exceed an append by
   * themselves; that is logged. The facts of a decision are never divided, because a crash in between would lose some of them.
   */
  decide(decide: Decision): Promise<Written> {
    return new Promise((resolve) => {
      this.#decisions.push({ item: decide, resolve });
      this.#gathering?.abort(OVER);
      this.#start();
    });
  }

  /** Resolves when everything that was decided before is durable, or the partition is lost. Unlike `settled`, it does not wait for what comes later. */
  async caughtUp(): Promise<void> {
    await this.decide(() => []);
  }

  /** The same as `decide` for an attempt. Many attempts are recorded together. */
  record(attempt: RecordedAttempt): Promise<Written> {
    return new Promise((resolve) => {
      this.#attempts.push({ item: attempt, resolve });
      if (this.#attempts.length >= BATCH_ATTEMPTS) this.#gathering?.abort(OVER);
      this.#start();
    });
  }

  /** Position of the last fact; `null` before the first one. */
  async lastPosition(): Promise<Position | null> {
    while (this.#writing) await this.#writing;
    return this.#loaded.last?.position ?? null;
  }

  /** State to start a later fold from, with the position of the last fact; `null` before the first one, and if `saved` is that position. */
  async checkpoint(saved?: Position): Promise<{ state: DeliveryCheckpoint; position: Position; carriedAt: string; open: boolean } | null> {
    while (this.#writing) await this.#writing;
    const { state, head, last } = this.#loaded;
    if (head.revision === 'no stream' || !last || last.position === saved) return null;
    return { state: state.checkpoint(head.revision), ...last, carriedAt: state.carriedAt ?? last.at, open: state.pending.size > 0 };
  }

  /** Resolves when everything given so far is written. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#decisions.length + this.#attempts.length > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    while (this.#decisions.length + this.#attempts.length > 0) {
      await this.#gather();
      this.#writing = this.#write();
      await this.#writing;
      this.#writing = null;
      this.#flushedAt = this.#deps.clock.monotonic();
    }
  }

  /** Shortly after a write, attempts without decisions wait for more of them. */
  async #gather(): Promise<void> {
    const wait = this.#flushedAt + BATCH_MILLISECONDS - this.#deps.clock.monotonic();
    if (wait <= 0 || this.#decisions.length > 0 || this.#attempts.length >= BATCH_ATTEMPTS || this.#signal.aborted) return;
    const gathering = new AbortController();
    this.#gathering = gathering;
    const stop = () => gathering.abort(OVER);
    this.#signal.addEventListener('abort', stop, { once: true });
    await this.#deps.clock.pause(wait, gathering.signal);
    this.#signal.removeEventListener('abort', stop);
    this.#gathering = null;
  }

  /** Writes one batch. Repeats it until it is durable, or the partition is lost: then another holder decides again. */
  async #write(): Promise<void> {
    const batch: Batch = { attempts: this.#attempts.splice(0, BATCH_ATTEMPTS), decisions: [], isRepeated: false, isFull: false };
    const onFailure = (error: unknown) => {
      if (error instanceof WrongExpectedRevision || error instanceof AppendTooLarge) return;
      this.#deps.logger.warn({ err: error, subject: this.#subject }, 'writing delivery facts failed; retrying');
    };
    await retrying(() => this.#tryToWrite(batch), { clock: this.#deps.clock, signal: this.#signal, onFailure }).catch(() => undefined);
    if (this.#signal.aborted) batch.decisions.push(...this.#decisions.splice(0));
    for (const { resolve } of [...batch.decisions, ...batch.attempts]) resolve('durable');
  }

  async #tryToWrite(batch: Batch): Promise<void> {
    // The failed append has changed the state, and may have reached the log.
    if (batch.isRepeated) await this.#reload();
    try {
      await this.#append(batch);
    } catch (error) {
      if (error instanceof WrongExpectedRevision) this.#reportedRevision = error.actual === 'no stream' ? null : error.actual;
      if (error instanceof AppendTooLarge) this.#reduce(batch, error);
      batch.isRepeated = true;
      throw error;
    }
  }

  /** Divides a batch that is too large for one append. Drops what is too large by itself, so that the user's other facts can be written. */
  #reduce(batch: Batch, error: AppendTooLarge): void {
    const { attempts, decisions } = batch;
    const total = attempts.length + decisions.length;
    batch.isFull = true;
    if (total === 1) {
      this.#deps.logger.error({ err: error, subject: this.#subject }, 'delivery facts are too large for the log; dropped');
      for (const { resolve } of [...attempts, ...decisions]) resolve('dropped');
      batch.attempts = [];
      batch.decisions = [];
      return;
    }
    // The same order as in `#append`. What is left over comes next.
    const kept = Math.floor(total / 2);
    batch.attempts = attempts.slice(0, kept);
    batch.decisions = decisions.slice(0, Math.max(0, kept - attempts.length));
    this.#attempts.unshift(
      ...attempts.slice(kept).map((waiting) => ({ ...waiting, isRepeated: batch.isRepeated || waiting.isRepeated === true })),
    );
    this.#decisions.unshift(...decisions.slice(batch.decisions.length));
  }

  /** Decides, applies and appends. */
  async #append({ attempts, decisions, isRepeated, isFull }: Batch): Promise<void> {
    const { state, head } = this.#loaded;
    const time = isoTime(this.#deps.clock.now());
    const facts: DeliveryEvent[] = [];
    const due: PendingDelivery[] = [];
    let revision = head.revision === 'no stream' ? -1n : head.revision;
    let characters = 0;
    const apply = (fact: DeliveryEvent): void => {
      revision += 1n;
      characters += factCharacters(fact);
      facts.push(fact);
      due.push(...state.evolve(fact, revision, time));
    };
    const isNew = (one: Waiting<RecordedAttempt>) => !(isRepeated || one.isRepeated) || isUnrecorded(state, one.item);
    const recorded = attempts.filter(isNew).map(({ item }) => item);
    if (recorded.length > 0) apply({ type: 'AttemptsRecorded', data: { attempts: recorded } });
    for (const { item } of decisions) for (const fact of item(state)) apply(fact);
    while (characters < APPEND_CHARACTERS && !isFull) {
      const next = this.#decisions.shift();
      if (!next) break;
      decisions.push(next);
      for (const fact of next.item(state)) apply(fact);
    }
    if (facts.length > 0) await this.#store(facts, time);
    if (due.length > 0) this.#onDue(due);
  }

  async #store(facts: readonly DeliveryEvent[], time: string): Promise<void> {
    const { state, head } = this.#loaded;
    const eventStream = deliveryEventStream(this.#subject);
    if (head.revision === 'no stream') await this.#deps.store.setRetention(eventStream, RETENTION_SECONDS);
    const context = { subject: this.#subject, actor: 'delivery', correlationId: eventStream, causationId: eventStream };
    const appended = await this.#deps.log.append(eventStream, head, facts, context);
    this.#loaded = { state, head: appended.head, last: { position: appended.position, at: time } };
  }

  async #reload(): Promise<void> {
    const loaded = await load(this.#deps, this.#subject, this.#checkpoint);
    const expired = loaded.head.revision === 'no stream' && this.#reportedRevision !== null;
    this.#loaded = expired ? { ...loaded, head: { revision: this.#reportedRevision ?? 'no stream', hash: null } } : loaded;
    this.#onDue(loaded.state.pending.values());
  }
}

/** Whether an append with an unknown outcome has left the attempt out. */
const isUnrecorded = (state: PendingDeliveries, { deliveryId, attempt }: RecordedAttempt): boolean => {
  const pending = state.pending.get(deliveryId);
  return pending !== undefined && pending.attempts < attempt;
};
