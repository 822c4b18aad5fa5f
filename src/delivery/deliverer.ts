import { setMaxListeners } from 'node:events';
import { DAY_MILLISECONDS, isoTime } from '../clock.ts';
import { isSealsEvent } from '../domain/audit/events.ts';
import { WEBHOOK_ENDPOINTS_EVENT_TYPES } from '../domain/webhookEndpoints/events.ts';
import type { Documents } from '../stores/documents.ts';
import { DamagedEventStream } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { Leases } from '../stores/leases/leases.ts';
import { batches } from '../stores/log/batches.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import { every } from '../supervision/every.ts';
import { type Progressed, retrying } from '../supervision/retrying.ts';
import { supervise } from '../supervision/supervise.ts';
import { CheckpointSaver } from './checkpointSaver.ts';
import { RETENTION_SECONDS } from './facts/factWriter.ts';
import { UserCheckpoints } from './facts/userCheckpoints.ts';
import { earlier, type HeldPartition, partitionOf } from './partition.ts';
import { PartitionHolder } from './partitionHolder.ts';
import { WEBHOOK_SOURCE_TYPES } from './plan/webhookTypes.ts';
import type { DispatcherLoad } from './queue/dispatcher.ts';
import { UserDeliveries, type UserDeps } from './userDeliveries.ts';

export interface DelivererDeps extends Omit<UserDeps, 'checkpointOf'> {
  readonly documents: Documents;
  readonly leases: Leases;
  /** Number of delivering nodes, including this one. */
  readonly deliverers: () => Promise<number>;
  /** Between two saves of the checkpoints. */
  readonly saveMilliseconds: number;
}

/** Event types of the log that the deliverer reads. */
const READ_TYPES = [...WEBHOOK_SOURCE_TYPES, ...WEBHOOK_ENDPOINTS_EVENT_TYPES];
const SHARE_MILLISECONDS = 2_000;
const HOUSEKEEPING_MILLISECONDS = 3_600_000;
const DRAIN_MILLISECONDS = 10_000;
/** The longest wait for the log at a stop. Attempts whose results could not be recorded are repeated. */
const STOP_MILLISECONDS = 20_000;
/** Facts expire after 30 days. Each user gets a `DeliveryCarried` every 20 days, which repeats what still matters. */
const CARRY_MILLISECONDS = 20 * DAY_MILLISECONDS;
const REMEMBERED_USERS = 5_000;
const RESUMED_TOGETHER = 16;

/**
 * Sends the webhooks of the users whose partitions this node holds (`PartitionHolder`): reads the log once for all of them, and gives each user's
 * events to a `UserDeliveries`, which does the rest. `CheckpointSaver` remembers how far it has come.
 */
export class Deliverer {
  readonly #deps: UserDeps & DelivererDeps;
  readonly #checkpoints: UserCheckpoints;
  readonly #saver: CheckpointSaver;
  readonly #partitions: PartitionHolder;
  readonly #users = new Map<string, UserDeliveries>();
  /** Aborts when no more facts may be written. */
  readonly #noMoreFacts = new AbortController();

  constructor(deps: DelivererDeps) {
    const { documents, log } = deps;
    this.#checkpoints = new UserCheckpoints(documents, log);
    this.#saver = new CheckpointSaver({
      checkpoints: this.#checkpoints,
      partitions: () => this.#partitions.held,
      usersOf: (partition) => this.#usersOf(partition),
      onSaved: () => this.#dropIdleUsers(),
    });
    this.#partitions = new PartitionHolder(deps, {
      positionOf: (number) => this.#checkpoints.position(number),
      handOver: (partition) => this.#handOver(partition),
      onReleased: (partition) => {
        for (const [subject] of this.#usersOf(partition)) this.#dropUser(subject);
      },
    });
    this.#deps = { ...deps, checkpointOf: (subject) => this.#checkpoints.of(subject) };
  }

  load(): DispatcherLoad {
    return this.#deps.dispatcher.load;
  }

  /** Runs until the signal aborts. Then running attempts have ten seconds, and recording their results has twenty in all. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // Many listeners: one for each partition, and one for each user whose results are not written yet.
    setMaxListeners(0, signal, this.#noMoreFacts.signal);
    const stopped = new AbortController();
    signal.addEventListener('abort', () => void this.#endAfter(STOP_MILLISECONDS, stopped.signal), { once: true });
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'preparing the deliverer failed; retrying');
    await retrying(() => this.#checkpoints.ensure(), { clock, signal, onFailure }).catch(() => undefined);
    // The node tries to take every partition before the reading begins, so that the reading does not start again for each.
    const holding = await this.#partitions.start(signal, this.#noMoreFacts.signal);
    const saving = this.#every(this.#deps.saveMilliseconds, signal, () => this.#saver.save());
    await Promise.all([
      this.#readForever(signal),
      this.#every(HOUSEKEEPING_MILLISECONDS, signal, () => this.#tidyUp()),
      this.#every(SHARE_MILLISECONDS, signal, () => this.#partitions.share()),
    ]);
    await this.#deps.dispatcher.stop(DRAIN_MILLISECONDS);
    await Promise.all([...this.#users.values()].map((user) => user.settled()));
    await saving;
    await this.#saver.save().catch(() => undefined);
    this.#noMoreFacts.abort();
    stopped.abort();
    await holding.ended;
    this.#deps.sender.close();
  }

  async #endAfter(milliseconds: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.pause(milliseconds, signal);
    this.#noMoreFacts.abort();
  }

  /** Drops all cached personal data. */
  forget(): void {
    this.#deps.contexts.forget();
    this.#deps.bodies.forget();
  }

  /** Finishes running attempts and saves their results, so that the next holder sends nothing twice. */
  async #handOver(partition: HeldPartition): Promise<void> {
    await Promise.all(this.#usersOf(partition).map(([, user]) => user.close()));
    await this.#saver.savePartition(partition).catch(() => undefined);
  }

  #usersOf({ number }: HeldPartition): [string, UserDeliveries][] {
    return [...this.#users].filter(([subject]) => partitionOf(subject) === number);
  }

  /**
   * Step 0 of a webhook (see `UserDeliveries`): reads the log once for all held partitions. When these change, the reading starts again where the
   * partition that is furthest behind has come to.
   */
  async #readForever(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const read = async (progressed: Progressed): Promise<void> => {
      while (!signal.aborted) {
        const reading = AbortSignal.any([signal, this.#partitions.nextChange()]);
        const { held } = this.#partitions;
        if (held.length === 0) await clock.pause(HOUSEKEEPING_MILLISECONDS, reading);
        else {
          await this.#resume(held.filter(({ resumed }) => !resumed));
          await this.#read(held, reading);
        }
        progressed();
      }
    };
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'reading the log for webhooks failed; retrying');
    await supervise(read, { clock, signal, onFailure });
  }

  /** Queues the deliveries that were pending when the partitions were taken over. */
  async #resume(partitions: readonly HeldPartition[]): Promise<void> {
    if (partitions.length === 0) return;
    const theirs = new Map(partitions.map((partition) => [partition.number, partition]));
    const after = partitions.map(({ position }) => position).reduce(earlier);
    const open = await this.#checkpoints.open(partitions, after, (subject) => theirs.has(partitionOf(subject)));
    const subjects = [...open];
    for (let n = 0; n < subjects.length; n += RESUMED_TOGETHER) {
      await Promise.all(
        subjects.slice(n, n + RESUMED_TOGETHER).map(async (subject) => {
          const partition = theirs.get(partitionOf(subject));
          if (partition && this.#partitions.holds(partition))
            await unlessDamaged(this.#user(subject, partition).resume(partition.position), undefined);
        }),
      );
    }
    for (const partition of partitions) partition.resumed = true;
  }

  async #read(held: readonly HeldPartition[], signal: AbortSignal): Promise<void> {
    const after = held.map(({ position }) => position).reduce(earlier);
    for await (const { events, position } of batches(this.#deps.log, after, READ_TYPES, signal)) {
      if (signal.aborted) return;
      await this.#handle(events, signal);
      for (const partition of held) {
        if (!this.#partitions.holds(partition)) continue;
        if (position !== null && (partition.position === null || partition.position < position)) partition.position = position;
      }
    }
  }

  async #handle(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> {
    const bySubject = new Map<string, RecordedEvent[]>();
    const give = (subject: string, event: RecordedEvent): void => {
      const partition = this.#partitions.of(subject);
      if (!partition || (partition.position !== null && event.position <= partition.position)) return;
      const own = bySubject.get(subject);
      if (own) own.push(event);
      else bySubject.set(subject, [event]);
    };
    for (const event of events) {
      const owner = this.#ownerOf(event);
      if (owner === null) continue;
      // A seal belongs to no user.
      if (isSealsEvent(event)) for (const subject of await this.#deps.index.sealListeners(event.position, signal)) give(subject, event);
      else give(owner, event);
    }
    await Promise.all(
      [...bySubject].map(async ([subject, own]) => {
        const partition = this.#partitions.of(subject);
        // The log reports a damaged event stream. The other users still get their webhooks.
        if (partition) await unlessDamaged(this.#user(subject, partition).handle(own, partition.position), undefined);
      }),
    );
  }

  /** The user of an event; `null` for an event that cannot be read. It is passed over: repeating would not help, and other users wait. */
  #ownerOf(event: RecordedEvent): string | null {
    try {
      return event.metadata.subject;
    } catch (error) {
      if (!(error instanceof DamagedEventStream)) throw error;
      this.#deps.logger.error({ eventId: event.id, reason: error.message }, 'event passed over');
      return null;
    }
  }

  /** Call it only while the partition is held: an object made later could not write. */
  #user(subject: string, { signal }: HeldPartition): UserDeliveries {
    const known = this.#users.get(subject);
    if (known) return known;
    const user = new UserDeliveries(subject, this.#deps, signal);
    this.#users.set(subject, user);
    return user;
  }

  #dropUser(subject: string): void {
    this.#users.delete(subject);
    this.#saver.forget(subject);
  }

  #dropIdleUsers(): void {
    for (const [subject, user] of this.#users) {
      if (this.#users.size <= REMEMBERED_USERS) break;
      if (user.idle) this.#dropUser(subject);
    }
  }

  async #tidyUp(): Promise<void> {
    const { clock, excerpts } = this.#deps;
    const due = isoTime(clock.now() - CARRY_MILLISECONDS);
    for (const partition of this.#partitions.held) {
      for (const subject of await this.#checkpoints.carriedBefore(partition.number, due))
        if (this.#partitions.holds(partition)) await this.#user(subject, partition).carry();
    }
    await this.#forgetOutdated();
    await excerpts.sweep();
  }

  /** Takes deliveries whose facts have expired out of the read model. */
  async #forgetOutdated(): Promise<void> {
    const before = isoTime(this.#deps.clock.now() - RETENTION_SECONDS * 1_000);
    for await (const bySubject of this.#deps.index.outdated(before)) {
      for (const [subject, deliveryIds] of bySubject) {
        const partition = this.#partitions.of(subject);
        if (partition) await unlessDamaged(this.#user(subject, partition).forgetDeliveries(before, deliveryIds), undefined);
      }
    }
  }

  #every(milliseconds: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.debug({ err: error }, 'periodic delivery work failed; retrying');
    return every(work, { clock, milliseconds, signal, onFailure });
  }
}
