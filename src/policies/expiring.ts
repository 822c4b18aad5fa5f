import type { Clock } from '../clock.ts';
import { carryOutDeletion, expireStream } from '../commands/expireStream.ts';
import type { Expiries, Expiry, RetentionClass } from '../commands/expiries.ts';
import { loadStream } from '../commands/loadStream.ts';
import { correlationOf, knownCorrelation } from '../commands/streamCorrelation.ts';
import type { RetentionPeriods } from '../domain/stream/retention.ts';
import type { Logger } from '../logger.ts';
import type { LiveReaders } from '../stores/leases/liveReaders.ts';
import type { AppendContext, EventLog } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';

export interface ExpiringDeps {
  readonly log: EventLog;
  readonly topics: Topics;
  readonly expiries: Expiries;
  readonly liveReaders: LiveReaders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly periods: RetentionPeriods;
}

/** Interval of checks of a class while nothing is known to be due: streams noted meanwhile are seen in time. */
const LONGEST_LOOK_MILLISECONDS = 60_000;
/** The same for streams whose owner chose the time, which may be noted shortly before it. */
const KEPT_LOOK_MILLISECONDS = 5_000;
const CLASSES: readonly RetentionClass[] = ['deleted', 'ephemeral', 'persistent', 'kept'];
const TOGETHER = 64;
/** A deletion not carried out for this long was interrupted. */
const DELETION_MILLISECONDS = 5_000;
/** Delay after a failed expiry, so that it does not block others. */
const STAND_BACK_MILLISECONDS = 10_000;
const AGAIN_MILLISECONDS = 1_000;
const REASON = 'Retention';

/** Expires streams that are due. The earliest of a class determines the next check, so that it costs almost nothing while none is due. */
export class Expiring {
  readonly #deps: ExpiringDeps;
  readonly #periods: Readonly<Record<RetentionClass, number>>;
  /** Time of the next check of each class, milliseconds since the epoch. */
  readonly #next = new Map<RetentionClass, number>();

  constructor(deps: ExpiringDeps) {
    this.#deps = deps;
    this.#periods = { ...deps.periods, kept: 0, deleted: DELETION_MILLISECONDS };
  }

  /** Expires all streams known to be due. Call it every second. Rejects if the store is away. */
  async due(): Promise<void> {
    for (const retention of CLASSES)
      if ((this.#next.get(retention) ?? 0) <= this.#deps.clock.now()) this.#next.set(retention, await this.#expireClass(retention));
  }

  /** Resolves with the time of the next check. */
  async #expireClass(retention: RetentionClass): Promise<number> {
    const period = this.#periods[retention];
    const { expiries, clock } = this.#deps;
    for (;;) {
      const now = clock.now();
      const earliest = await expiries.earliest(retention, TOGETHER);
      const due = earliest.filter(({ since }) => since + period <= now);
      await Promise.all(due.map((expiry) => this.#settle(expiry)));
      if (due.length === TOGETHER) continue;
      // Streams that could not expire now have another time.
      if (due.length > 0) return now;
      const rest = retention === 'kept' ? KEPT_LOOK_MILLISECONDS : Math.min(period, LONGEST_LOOK_MILLISECONDS);
      return Math.min(now + rest, ...earliest.map(({ since }) => since + period));
    }
  }

  async #settle(expiry: Expiry): Promise<void> {
    try {
      await this.#expire(expiry);
    } catch (error) {
      const { log, logger } = this.#deps;
      const { streamId } = expiry;
      logger.warn({ err: error, streamId, correlationId: knownCorrelation(log, streamId) }, 'expiring a stream failed; retrying');
      await this.#countFrom(expiry, this.#deps.clock.now() - this.#periods[expiry.retention] + STAND_BACK_MILLISECONDS);
    }
  }

  async #expire(expiry: Expiry): Promise<void> {
    const { expiries, liveReaders } = this.#deps;
    const { streamId, retention } = expiry;
    const correlationId = await correlationOf(this.#deps.log, streamId);
    const context: AppendContext = { subject: '', actor: 'policy:retention', correlationId, causationId: streamId };
    if (retention === 'deleted') await carryOutDeletion(this.#deps, streamId, context);
    else if ((await this.#isKept(expiry)) || (retention === 'ephemeral' && (await this.#stillRead(expiry)))) return;
    else await expireStream(this.#deps, { streamId, reason: REASON }, context);
    await expiries.done(streamId);
    await liveReaders.forget(streamId);
  }

  /** The log decides: the note may be older than the owner's request. */
  async #isKept({ streamId }: Expiry): Promise<boolean> {
    const until = Date.parse((await loadStream(this.#deps.log, streamId))?.keptUntil ?? '');
    if (!(until > this.#deps.clock.now())) return false;
    await this.#deps.expiries.renote({ streamId, retention: 'kept', since: until });
    return true;
  }

  /** Its time counts from when its last live reader left; a current reader has not left yet. */
  async #stillRead(expiry: Expiry): Promise<boolean> {
    const { liveReaders, clock, periods } = this.#deps;
    const read = await liveReaders.lastRead(expiry.streamId);
    if (!read) return false;
    const now = clock.now();
    const since = read.reading ? Math.max(read.seen, now - periods.ephemeral + AGAIN_MILLISECONDS) : read.seen;
    if (since + periods.ephemeral <= now) return false;
    await this.#countFrom(expiry, since);
    return true;
  }

  #countFrom(expiry: Expiry, since: number): Promise<void> {
    return this.#deps.expiries.renote({ ...expiry, since });
  }
}
