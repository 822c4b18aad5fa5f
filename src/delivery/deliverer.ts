import { setMaxListeners } from 'node:events';
import { isoTime } from '../clock.ts';
import { isSealsEvent } from '../domain/audit/events.ts';
import { WEBHOOK_ENDPOINTS_EVENT_TYPES } from '../domain/webhookEndpoints/events.ts';
import type { Documents } from '../stores/documents.ts';
import { DamagedEventStream, type Position } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { Lease, Leases } from '../stores/leases/leases.ts';
import { batches } from '../stores/log/batches.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import { aborted } from '../supervision/aborted.ts';
import { every } from '../supervision/every.ts';
import { type Progressed, retrying } from '../supervision/retrying.ts';
import { deliveredElsewhere } from './facts/imported.ts';
import { type UserCheckpoint, UserCheckpoints } from './facts/userCheckpoints.ts';
import { earlier, type HeldPartition, PARTITIONS, partitionLease, partitionOf } from './partition.ts';
import { SealListeners } from './plan/sealListeners.ts';
import { WEBHOOK_SOURCE_TYPES } from './plan/webhookTypes.ts';
import type { DispatcherLoad } from './queue/dispatcher.ts';
import { UserDeliveries, type UserDeps } from './userDeliveries.ts';

export interface DelivererDeps extends Omit<UserDeps, 'checkpointOf' | 'onProgress'> {
  readonly documents: Documents;
  readonly leases: Leases;
  /** Number of delivering nodes, including this one. */
  readonly deliverers: () => Promise<number>;
  /** No other node delivers. */
  readonly exclusive?: boolean;
}

/** Event types of the log that the deliverer reads. */
const READ_TYPES = [...WEBHOOK_SOURCE_TYPES, ...WEBHOOK_ENDPOINTS_EVENT_TYPES];
/** Checkpoints are saved at the same moments as those of consumers, so that a store can write them together. */
const SAVE_MILLISECONDS = 1_000;
const SHARE_MILLISECONDS = 2_000;
const HOUSEKEEPING_MILLISECONDS = 3_600_000;
const DRAIN_MILLISECONDS = 10_000;
/** The longest wait for the log at a stop. Attempts whose results could not be recorded are repeated. */
const STOP_MILLISECONDS = 20_000;
/** Facts expire after 30 days. Users without a new fact for 20 days get a `DeliveryCarried`, which repeats what still matters. */
const CARRY_MILLISECONDS = 20 * 86_400_000;
const REMEMBERED_USERS = 5_000;
const RESUMED_TOGETHER = 16;
/** How long a node holds more than its share before it gives some away, and how long the others have to take them. */
const CROWDED_MILLISECONDS = 5_000;

/**
 * Sends the webhooks of the users whose partitions this node holds: reads the log once for all of them, and gives each user's events to a
 * `UserDeliveries`, which does the rest.
 */
export class Deliverer {
  readonly #deps: UserDeps & DelivererDeps;
  readonly #checkpoints: UserCheckpoints;
  readonly #sealListeners: SealListeners;
  readonly #held = new Map<number, HeldPartition>();
  readonly #users = new Map<string, UserDeliveries>();
  /** By user: the position of the last fact in the saved checkpoint. */
  readonly #saved = new Map<string, Position>();
  /** Aborts with the signal of `run`. */
  readonly #stopping = new AbortController();
  /** Aborts when no more facts may be written. */
  readonly #over = new AbortController();
  #changed = new AbortController();
  /** Since when this node has held more than its share. */
  #crowdedSince: number | null = null;
  #unsaved = false;
  /** Under way while something is unsaved, so that a deliverer at rest has no timer. */
  #saving: Promise<void> | null = null;

  constructor(deps: DelivererDeps) {
    this.#checkpoints = new UserCheckpoints(deps.documents, deps.log);
    this.#sealListeners = new SealListeners(deps.documents, deps.log);
    this.#deps = { ...deps, checkpointOf: (subject) => this.#checkpoints.of(subject), onProgress: () => this.#progressed() };
  }

  load(): DispatcherLoad {
    return this.#deps.dispatcher.load;
  }

  /** Runs until the signal aborts. Then running attempts get ten seconds, and recording their results up to twenty. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // Each partition listens, and each user whose results wait for more attempts to record together, or for a store.
    setMaxListeners(0, signal, this.#over.signal);
    const stopped = new AbortController();
    signal.addEventListener(
      'abort',
      () => {
        this.#stopping.abort();
        void this.#endAfter(STOP_MILLISECONDS, stopped.signal);
      },
      { once: true },
    );
    await this.#persist(signal, async () => {
      await this.#checkpoints.ensure();
      await this.#deps.excerpts.ensure();
      return 'done';
    });
    const holding: Promise<void>[] = [];
    const first = Array.from(
      { length: PARTITIONS },
      (_, number) => new Promise<void>((tried) => holding.push(this.#holdForever(number, signal, tried))),
    );
    // Waits until every partition was tried once, so that the reading does not start again for each.
    await Promise.all(first);
    const working = [this.#readForever(signal), this.#every(HOUSEKEEPING_MILLISECONDS, signal, () => this.#tidyUp())];
    if (!this.#deps.exclusive) working.push(this.#every(SHARE_MILLISECONDS, signal, () => this.#share()));
    await Promise.all(working);
    await this.#deps.dispatcher.stop(DRAIN_MILLISECONDS);
    await Promise.all([...this.#users.values()].map((user) => user.settled()));
    await this.#saving;
    await this.#save().catch(() => undefined);
    this.#over.abort();
    stopped.abort();
    await Promise.all(holding);
    this.#deps.sender.close();
  }

  async #endAfter(milliseconds: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.pause(milliseconds, signal);
    this.#over.abort();
  }

  /** Drops all cached personal data. */
  forget(): void {
    this.#deps.contexts.forget();
    this.#deps.bodies.forget();
  }

  /** Takes a partition when it is free, and releases it when it is lost or the deliverer stops. */
  async #holdForever(number: number, stopping: AbortSignal, tried: () => void): Promise<void> {
    await this.#persist(stopping, async () => {
      const name = partitionLease(number);
      const free = await this.#deps.leases.tryAcquire(name);
      if (!free) tried();
      const lease = free ?? (await this.#deps.leases.acquire(name, stopping));
      const givenAway = await this.#hold(number, lease, tried).finally(() => lease.release());
      if (givenAway) await this.#deps.clock.pause(CROWDED_MILLISECONDS, stopping);
      return this.#over.signal.aborted ? 'done' : 'again';
    });
    tried();
  }

  /** Holds a partition until it is lost, given away or the deliverer stops. Returns whether it was given away. */
  async #hold(number: number, lease: Lease, tried: () => void): Promise<boolean> {
    const signal = AbortSignal.any([lease.signal, this.#over.signal]);
    const givenAway = new AbortController();
    setMaxListeners(0, lease.signal, signal);
    const position = (await this.#checkpoints.position(number)) ?? (await deliveredElsewhere(this.#deps.log));
    const partition: HeldPartition = { number, lease, signal, givenAway, position, saved: position, resumed: false };
    this.#held.set(number, partition);
    this.#changed.abort();
    tried();
    await aborted(AbortSignal.any([signal, givenAway.signal]));
    // From here the next holder handles its events.
    this.#held.delete(number);
    this.#changed.abort();
    if (!signal.aborted) await this.#handOver(partition);
    for (const [subject] of this.#usersOf(partition)) this.#forget(subject);
    return givenAway.signal.aborted;
  }

  /** Finishes running attempts and saves their results, so that the next holder sends nothing twice. */
  async #handOver(partition: HeldPartition): Promise<void> {
    await Promise.all(this.#usersOf(partition).map(([, user]) => user.close()));
    await this.#savePartition(partition).catch(() => undefined);
  }

  /** Gives away partitions beyond this node's share, once it has held too many for a while. */
  async #share(): Promise<void> {
    const most = Math.ceil(PARTITIONS / Math.max(1, await this.#deps.deliverers()));
    const now = this.#deps.clock.monotonic();
    const surplus = [...this.#held.values()].slice(most);
    if (surplus.length === 0) this.#crowdedSince = null;
    else this.#crowdedSince ??= now;
    if (this.#crowdedSince === null || now - this.#crowdedSince < CROWDED_MILLISECONDS) return;
    this.#crowdedSince = null;
    for (const { givenAway } of surplus) givenAway.abort();
  }

  #usersOf({ number }: HeldPartition): [string, UserDeliveries][] {
    return [...this.#users].filter(([subject]) => partitionOf(subject) === number);
  }

  /** Reads the log once for all held partitions, and again from the start when those change. */
  async #readForever(signal: AbortSignal): Promise<void> {
    await this.#persist(signal, async () => {
      this.#changed = new AbortController();
      const reading = AbortSignal.any([signal, this.#changed.signal]);
      const held = [...this.#held.values()];
      if (held.length === 0) await this.#deps.clock.pause(HOUSEKEEPING_MILLISECONDS, reading);
      else {
        await this.#resume(held.filter(({ resumed }) => !resumed));
        await this.#sealListeners.load(reading);
        await this.#read(held, reading);
      }
      return 'again';
    });
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
          if (partition && this.#holds(partition))
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
      await this.#handle(events);
      this.#sealListeners.passed(position);
      for (const partition of held) {
        if (!this.#holds(partition)) continue;
        if (position !== null && (partition.position === null || partition.position < position)) partition.position = position;
      }
      this.#progressed();
    }
  }

  async #handle(events: readonly RecordedEvent[]): Promise<void> {
    const bySubject = new Map<string, RecordedEvent[]>();
    const give = (subject: string, event: RecordedEvent): void => {
      const partition = this.#held.get(partitionOf(subject));
      if (!partition || (partition.position !== null && event.position <= partition.position)) return;
      const own = bySubject.get(subject);
      if (own) own.push(event);
      else bySubject.set(subject, [event]);
    };
    for (const event of events) {
      if (!this.#isReadable(event)) continue;
      this.#sealListeners.learn(event);
      if (isSealsEvent(event)) for (const subject of this.#sealListeners.subjects) give(subject, event);
      else give(event.metadata.subject, event);
    }
    await Promise.all(
      [...bySubject].map(async ([subject, own]) => {
        const partition = this.#held.get(partitionOf(subject));
        // The log reports a damaged event stream. The other users still get their webhooks.
        if (partition) await unlessDamaged(this.#user(subject, partition).handle(own, partition.position), undefined);
      }),
    );
  }

  /** An event that cannot be read is passed over: repeating would not help, and other users wait. */
  #isReadable(event: RecordedEvent): boolean {
    try {
      return event.metadata.subject !== undefined;
    } catch (error) {
      if (!(error instanceof DamagedEventStream)) throw error;
      this.#deps.logger.error({ eventId: event.id, reason: error.message }, 'event passed over');
      return false;
    }
  }

  #holds(partition: HeldPartition): boolean {
    return this.#held.get(partition.number) === partition;
  }

  /** Call it only while the partition is held: an object made later could not write. */
  #user(subject: string, { signal }: HeldPartition): UserDeliveries {
    const known = this.#users.get(subject);
    if (known) return known;
    const user = new UserDeliveries(subject, this.#deps, signal);
    this.#users.set(subject, user);
    return user;
  }

  #forget(subject: string): void {
    this.#users.delete(subject);
    this.#saved.delete(subject);
  }

  #progressed(): void {
    this.#unsaved = true;
    this.#saving ??= this.#saveLater();
  }

  /** Never rejects: what a store could not take is saved later. */
  async #saveLater(): Promise<void> {
    const { clock, logger } = this.#deps;
    const untilNextMoment = () => SAVE_MILLISECONDS - (clock.monotonic() % SAVE_MILLISECONDS);
    while (this.#unsaved && (await clock.pause(untilNextMoment(), this.#stopping.signal)) === 'elapsed') {
      this.#unsaved = false;
      try {
        await this.#save();
      } catch (error) {
        this.#unsaved = true;
        logger.debug({ err: error }, 'saving delivery checkpoints failed; retrying');
      }
    }
    this.#saving = null;
  }

  async #save(): Promise<void> {
    await Promise.all([...this.#held.values()].map((partition) => this.#savePartition(partition)));
    for (const [subject, user] of this.#users) {
      if (this.#users.size <= REMEMBERED_USERS) break;
      if (user.idle) this.#forget(subject);
    }
  }

  async #savePartition(partition: HeldPartition): Promise<void> {
    // The position first: the facts of everything before it are durable, and in the checkpoints taken afterwards.
    const users = this.#usersOf(partition);
    const heldBack = users.map(([, user]) => user.heldBackTo).filter((position) => position !== undefined);
    const position = heldBack.reduce(earlier, partition.position);
    const checkpoints: UserCheckpoint[] = [];
    for (const [subject, user] of users) {
      const checkpoint = await user.checkpoint();
      if (checkpoint && this.#saved.get(subject) !== checkpoint.position)
        checkpoints.push({ subject, partition: partition.number, ...checkpoint });
    }
    // The users of a lost partition stopped before their work was durable.
    if (partition.signal.aborted) return;
    if (checkpoints.length === 0 && position === partition.saved) return;
    await this.#checkpoints.save(partition, position, checkpoints);
    partition.saved = position;
    for (const checkpoint of checkpoints) this.#saved.set(checkpoint.subject, checkpoint.position);
  }

  async #tidyUp(): Promise<void> {
    const { clock, excerpts } = this.#deps;
    const quiet = isoTime(clock.now() - CARRY_MILLISECONDS);
    for (const partition of [...this.#held.values()]) {
      for (const subject of await this.#checkpoints.quietSince(partition.number, quiet))
        if (this.#holds(partition)) await this.#user(subject, partition).carry();
    }
    await this.#sealListeners.save();
    await excerpts.sweep();
    this.#progressed();
  }

  /** Repeats `work` until it returns `done` or the signal aborts, with pauses after failures. */
  async #persist(signal: AbortSignal, work: () => Promise<'done' | 'again'>): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'delivery paused; retrying');
    const repeat = async (progressed: Progressed): Promise<void> => {
      while (!signal.aborted && (await work()) === 'again') progressed();
    };
    await retrying(repeat, { clock, signal, onFailure }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #every(milliseconds: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.debug({ err: error }, 'periodic delivery work failed; retrying');
    return every(work, { clock, milliseconds, signal, onFailure });
  }
}
