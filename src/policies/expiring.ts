import type { Clock } from '../clock.ts';
import { deleteUnredacted } from '../commands/deleteUnredacted.ts';
import { carryOutDeletion, type ExpireDeps, expireLoaded } from '../commands/expireStream.ts';
import { loadStream } from '../commands/loadStream.ts';
import { type Expiries, NEVER, periodsOf } from '../commands/openStreams/expiries.ts';
import { type Expiry, RETENTION_CLASSES, type RetentionClass } from '../commands/openStreams/openStreams.ts';
import { correlationOf, knownCorrelation } from '../commands/streamCorrelation.ts';
import { isStreamEvent } from '../domain/stream/events.ts';
import { expiryOf, hasOwnRetention, type RetentionPeriods } from '../domain/stream/retention.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import type { Logger } from '../logger.ts';
import type { LastRead, LiveReaders } from '../stores/leases/liveReaders.ts';
import type { AppendContext, EventLog, RecordedEvent } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';

export interface ExpiringDeps {
  readonly log: EventLog;
  readonly topics: Topics;
  readonly keys: ExpireDeps['keys'];
  readonly expiries: Expiries;
  readonly liveReaders: LiveReaders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly periods: RetentionPeriods;
}

/** Longest interval of checks of a class: streams that end meanwhile are seen in time. */
const LONGEST_LOOK_MILLISECONDS = 60_000;
/** The same for streams whose owner chose the time, which may be noted shortly before it. */
const KEPT_LOOK_MILLISECONDS = 5_000;
const TOGETHER = 64;
/** Delay after a failed expiry, so that it does not block others. */
const STAND_BACK_MILLISECONDS = 10_000;
const AGAIN_MILLISECONDS = 1_000;
/** Expiries that fall due one after the other share a look. */
const LEAST_WAIT_MILLISECONDS = 1_000;
const REASON = 'Retention';
const ACTOR = 'policy:retention';

/** Whether this policy expired the stream because its time was over. It then removes the note itself. */
export const isExpiryByTime = (event: RecordedEvent): boolean =>
  isStreamEvent(event) && event.type === 'StreamExpired' && event.data.reason === REASON && event.metadata.actor === ACTOR;

/** The note of a stream; `null` unless it has ended and not expired. Rejects with `StoreUnavailable`. */
export const expiryOfEnded = async (
  { log, periods, clock }: Pick<ExpiringDeps, 'log' | 'periods'> & { readonly clock: Pick<Clock, 'now'> },
  loaded: StreamAggregate,
): Promise<Expiry | null> => {
  const { streamId, state, finalizedTimestamp } = loaded.stream;
  if (state === 'EXPIRED' || finalizedTimestamp === null) return null;
  const correlationId = await correlationOf(log, streamId);
  if (hasOwnRetention(loaded))
    return { streamId, retention: 'kept', since: expiryOf(loaded, periods, clock.now()) ?? NEVER, correlationId };
  return { streamId, retention: loaded.persist ? 'persistent' : 'ephemeral', since: Date.parse(finalizedTimestamp), correlationId };
};

/** Expires streams that are due. The earliest of a class determines the next check. */
export class Expiring {
  readonly #deps: ExpiringDeps;
  readonly #periods: Readonly<Record<RetentionClass, number>>;
  /** Time of the next check of each class, milliseconds since the epoch. */
  readonly #next = new Map<RetentionClass, number>();

  constructor(deps: ExpiringDeps) {
    this.#deps = deps;
    this.#periods = periodsOf(deps.periods);
  }

  /** Expires all streams known to be due. Rejects if the store is away. */
  async due(): Promise<void> {
    for (const retention of RETENTION_CLASSES) {
      if (this.#nextOf(retention) > this.#deps.clock.now()) continue;
      this.#next.set(retention, await this.#expireClass(retention));
    }
  }

  /** Waits until something may be due, at most this long. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const next = Math.min(...RETENTION_CLASSES.map((retention) => this.#nextOf(retention)));
    const until = Math.min(milliseconds, next - this.#deps.clock.now());
    await this.#deps.clock.pause(Math.max(LEAST_WAIT_MILLISECONDS, until), signal);
  }

  #nextOf(retention: RetentionClass): number {
    return this.#next.get(retention) ?? 0;
  }

  /** Resolves with the time of the next check. */
  async #expireClass(retention: RetentionClass): Promise<number> {
    const period = this.#periods[retention];
    const { expiries, clock } = this.#deps;
    for (;;) {
      const now = clock.now();
      const earliest = await expiries.earliest(retention, TOGETHER);
      const due = earliest.filter(({ since }) => since + period <= now);
      // A deletion does not wait for readers.
      const asked = retention === 'deleted' || retention === 'unredacted' ? [] : due.map(({ streamId }) => streamId);
      const reads = await this.#deps.liveReaders.lastReads(asked);
      await Promise.all(due.map((expiry) => this.#settle(expiry, reads.get(expiry.streamId))));
      if (due.length === TOGETHER) continue;
      // Streams that could not expire now have another time.
      if (due.length > 0) return now;
      return Math.min(now + this.#longestLook(retention), ...earliest.map(({ since }) => since + period));
    }
  }

  #longestLook(retention: RetentionClass): number {
    return retention === 'kept' ? KEPT_LOOK_MILLISECONDS : Math.min(this.#periods[retention], LONGEST_LOOK_MILLISECONDS);
  }

  async #settle(expiry: Expiry, read: LastRead | undefined): Promise<void> {
    try {
      await this.#expire(expiry, read);
    } catch (error) {
      const { log, logger } = this.#deps;
      const { streamId } = expiry;
      logger.warn({ err: error, streamId, correlationId: knownCorrelation(log, streamId) }, 'expiring a stream failed; retrying');
      await this.#countFrom(expiry, this.#deps.clock.now() - this.#periods[expiry.retention] + STAND_BACK_MILLISECONDS);
    }
  }

  async #expire(expiry: Expiry, read: LastRead | undefined): Promise<void> {
    const { log, expiries, liveReaders } = this.#deps;
    const { streamId, retention } = expiry;
    const correlationId = expiry.correlationId ?? (await correlationOf(log, streamId));
    const context: AppendContext = { subject: '', actor: ACTOR, correlationId, causationId: streamId };
    if (retention === 'deleted') {
      await carryOutDeletion(this.#deps, streamId, context);
      return liveReaders.forget(streamId);
    }
    const loaded = await loadStream(log, streamId);
    if (retention === 'unredacted') return this.#redact(expiry, loaded);
    if (await this.#isKept(expiry, loaded)) return;
    if (retention === 'ephemeral' && read && (await this.#isHeldByReaders(expiry, read))) return;
    if (loaded) await expireLoaded(this.#deps, loaded, REASON, context);
    await expiries.remove(streamId);
    if (read) await liveReaders.forget(streamId);
  }

  /** Completes the deletion of what came before the redaction, then notes the stream's time. */
  async #redact(expiry: Expiry, loaded: StreamAggregate | null): Promise<void> {
    const { expiries, topics, clock } = this.#deps;
    if (!loaded || loaded.stream.state === 'EXPIRED') return expiries.remove(expiry.streamId);
    await deleteUnredacted(topics, loaded);
    const ended = await expiryOfEnded(this.#deps, loaded);
    // One that runs again is looked at until it ends.
    await (ended ? expiries.change(ended, expiry.retention) : this.#countFrom(expiry, clock.now()));
  }

  /** The log decides: the note may be older than the owner's request. */
  async #isKept(expiry: Expiry, loaded: StreamAggregate | null): Promise<boolean> {
    if (!loaded || !hasOwnRetention(loaded)) return false;
    const now = this.#deps.clock.now();
    const until = expiryOf(loaded, this.#deps.periods, now) ?? NEVER;
    if (until <= now) return false;
    await this.#deps.expiries.change({ ...expiry, retention: 'kept', since: until }, expiry.retention);
    return true;
  }

  /** Its time counts from when its last live reader left; a current reader has not left yet. */
  async #isHeldByReaders(expiry: Expiry, read: LastRead): Promise<boolean> {
    const { clock, periods } = this.#deps;
    const now = clock.now();
    const since = read.reading ? Math.max(read.seen, now - periods.ephemeral + AGAIN_MILLISECONDS) : read.seen;
    if (since + periods.ephemeral <= now) return false;
    await this.#countFrom(expiry, since);
    return true;
  }

  #countFrom(expiry: Expiry, since: number): Promise<void> {
    return this.#deps.expiries.change({ ...expiry, since }, expiry.retention);
  }
}
