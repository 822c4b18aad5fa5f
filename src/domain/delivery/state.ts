import { isoTime } from '../../clock.ts';
import type { DeliveryEvent, DeliverySource, RecordedAttempt, ScheduledDelivery } from './events.ts';

/** Members shared by all deliveries that one fact scheduled. Times in milliseconds since the epoch. */
export interface Scheduling {
  /** The version of the body: see `BODY_VERSIONS` in `delivery/send/rendering.ts`. */
  readonly renderer: number;
  readonly deadline: number;
  /** Only one attempt, whatever its result. */
  readonly once: boolean;
  /** Requested by a person. */
  readonly recovered: boolean;
  /** Position of the event or request that caused it. Disabling an endpoint stops its deliveries from earlier positions. */
  readonly causedAt: string;
  /** Revision of the fact within `delivery-<subject>`. */
  readonly revision: bigint;
}

/** A delivery that is not finished. */
export interface PendingDelivery {
  readonly delivery: ScheduledDelivery;
  readonly source: DeliverySource;
  readonly scheduling: Scheduling;
  /** Attempts made, including earlier schedulings. */
  attempts: number;
  /** Attempts since the last scheduling or request; determines the retry delay. */
  tries: number;
  /** Milliseconds since the epoch. */
  nextAt: number;
  /** A person has asked for the next attempt. */
  asked: boolean;
}

/** State to start a fold from, without pending deliveries: those are folded again from `foldFrom`. Plain JSON. */
export interface DeliveryCheckpoint {
  /** Revision of the last fact included. */
  revision: string;
  foldFrom: string;
  lastSourcePosition: string;
  lastRequestPosition: string;
  /** Absent in older checkpoints. */
  carriedAt?: string | null;
  sequences: Entries<number>;
  failing: Entries<string>;
  /** Absent in older checkpoints. */
  series?: Entries<Series>;
}

/** The attempts of a registered endpoint since its last success. Tests do not count. Times are ISO 8601. */
export type Series = {
  /** In a row. */
  readonly failures: number;
  /** The first of them; `null` without one. */
  readonly since: string | null;
  readonly lastSuccess: string | null;
};

const NO_ATTEMPT: Series = { failures: 0, since: null, lastSuccess: null };

/** Values by endpoint, in pairs: an object with 50,000 members takes ten times as long to build. Older checkpoints have objects. */
type Entries<T> = Record<string, T> | [endpointId: string, value: T][];

const mapOf = <T>(entries: Entries<T>): Map<string, T> => new Map(Array.isArray(entries) ? entries : Object.entries(entries));

const later = (a: string, b: string): string => (a > b ? a : b);

/**
 * Pending deliveries of one user, folded from `delivery-<subject>`. Facts already covered by the checkpoint only add pending deliveries.
 *
 * The same facts give the same state on every node, except for what `restartFailing` and `dropEndpoints` change without a fact. Both repeat: after a new fold
 * from facts, the next failure or the next reading of the log makes the same change again.
 *
 * `projections/deliveries.ts` folds these facts too, for people, and for resends and recoveries, which need deliveries that have ended. A new fact, or a
 * new meaning of one, concerns both.
 */
export class PendingDeliveries {
  readonly pending = new Map<string, PendingDelivery>();
  readonly sequences: Map<string, number>;
  /** By endpoint: its first failure since its last success. ISO 8601. */
  readonly failing: Map<string, string>;
  /** By endpoint, for alerts. */
  readonly #series: Map<string, Series>;
  lastSourcePosition: string;
  lastRequestPosition: string;
  /** When the facts began, or what still matters in them was last repeated (`DeliveryCarried`). ISO 8601; `null` before the first fact. */
  carriedAt: string | null;
  readonly #checkpointRevision: bigint;
  readonly #byEndpoint = new Map<string, Set<PendingDelivery>>();

  constructor(checkpoint: DeliveryCheckpoint | null) {
    this.sequences = mapOf(checkpoint?.sequences ?? {});
    this.failing = mapOf(checkpoint?.failing ?? {});
    this.#series = mapOf(checkpoint?.series ?? {});
    this.lastSourcePosition = checkpoint?.lastSourcePosition ?? '';
    this.lastRequestPosition = checkpoint?.lastRequestPosition ?? '';
    this.carriedAt = checkpoint?.carriedAt ?? null;
    this.#checkpointRevision = checkpoint ? BigInt(checkpoint.revision) : -1n;
  }

  /** Returns the deliveries that became pending. `time` is the fact's, ISO 8601. */
  evolve(event: DeliveryEvent, revision: bigint, time: string): readonly PendingDelivery[] {
    this.carriedAt ??= time;
    switch (event.type) {
      case 'DeliveriesScheduled': {
        const { deliveries, renderer, deadline, ...source } = event.data;
        this.lastSourcePosition = later(this.lastSourcePosition, source.sourcePosition);
        const scheduling = {
          renderer,
          deadline: Date.parse(deadline),
          once: false,
          recovered: false,
          causedAt: source.sourcePosition,
          revision,
        };
        return deliveries.map((one) =>
          this.#add({ delivery: one, source, scheduling, attempts: 0, tries: 0, nextAt: Date.parse(time), asked: false }),
        );
      }
      case 'DeliveriesRecovered':
        return this.#applyRecovery(event.data, revision, time);
      case 'DeliveriesStopped':
        for (const deliveryId of event.data.deliveryIds) this.#remove(deliveryId);
        return [];
      case 'AttemptsRecorded':
        for (const attempt of event.data.attempts) this.#applyAttempt(attempt, revision);
        return [];
      case 'DeliveriesForgotten':
        return [];
      case 'DeliveryCarried':
        this.carriedAt = later(this.carriedAt, time);
        this.lastSourcePosition = later(this.lastSourcePosition, event.data.lastSourcePosition);
        this.lastRequestPosition = later(this.lastRequestPosition, event.data.lastRequestPosition);
        for (const [endpointId, sequence] of Object.entries(event.data.sequences)) this.#count(endpointId, sequence);
        if (revision > this.#checkpointRevision)
          for (const [endpointId, since] of Object.entries(event.data.failing)) this.failing.set(endpointId, since);
        return [];
      default:
        return event satisfies never;
    }
  }

  /** Pending deliveries of one endpoint, in the order of their scheduling. */
  ofEndpoint(endpointId: string): readonly PendingDelivery[] {
    return [...(this.#byEndpoint.get(endpointId) ?? [])];
  }

  seriesOf(endpointId: string): Series {
    return this.#series.get(endpointId) ?? NO_ATTEMPT;
  }

  /** The endpoint has been enabled since it began to fail: its failures count from this one (ISO 8601). */
  restartFailing(endpointId: string, at: string): void {
    this.failing.set(endpointId, at);
    this.#series.set(endpointId, { ...this.seriesOf(endpointId), failures: 1, since: at });
  }

  /** Drops endpoints that can get no more deliveries, because their group has expired or they were deleted. */
  dropEndpoints(endpointIds: readonly string[]): void {
    for (const endpointId of endpointIds) {
      this.sequences.delete(endpointId);
      this.failing.delete(endpointId);
      this.#series.delete(endpointId);
    }
  }

  /** State to start the next fold from; `revision` is that of the last folded fact. */
  checkpoint(revision: bigint): DeliveryCheckpoint {
    // Entries are in the order of their scheduling.
    const oldest = this.pending.values().next().value;
    return {
      revision: String(revision),
      foldFrom: String(oldest?.scheduling.revision ?? revision + 1n),
      lastSourcePosition: this.lastSourcePosition,
      lastRequestPosition: this.lastRequestPosition,
      carriedAt: this.carriedAt,
      sequences: [...this.sequences],
      failing: [...this.failing],
      series: [...this.#series],
    };
  }

  #applyRecovery(data: Extract<DeliveryEvent, { type: 'DeliveriesRecovered' }>['data'], revision: bigint, time: string): PendingDelivery[] {
    if (data.last) this.lastRequestPosition = later(this.lastRequestPosition, data.requestPosition);
    if (data.sendNow !== undefined) return this.#hurry(data.sendNow, Date.parse(time));
    const scheduling = {
      renderer: data.renderer,
      deadline: Date.parse(data.deadline),
      once: data.once,
      recovered: true,
      causedAt: data.requestPosition,
      revision,
    };
    return data.deliveries.map((one) => {
      const { attempts, sourceEventId, sourceEventStream, sourceRevision, sourcePosition, ...delivery } = one;
      const source = { sourceEventId, sourceEventStream, sourceRevision, sourcePosition };
      return this.#add({ delivery, source, scheduling, attempts, tries: 0, nextAt: Date.parse(time), asked: false });
    });
  }

  /** A new object, so that what is queued for the old one is dropped. It keeps its place in the order of scheduling. */
  #hurry(deliveryId: string, nextAt: number): PendingDelivery[] {
    const before = this.pending.get(deliveryId);
    if (!before) return [];
    const pending = { ...before, nextAt, asked: true };
    this.pending.set(deliveryId, pending);
    const others = this.#byEndpoint.get(pending.delivery.endpointId);
    others?.delete(before);
    others?.add(pending);
    return [pending];
  }

  #add(pending: PendingDelivery): PendingDelivery {
    const { deliveryId, endpointId, sequence } = pending.delivery;
    if (sequence !== null) this.#count(endpointId, sequence);
    this.#remove(deliveryId);
    this.pending.set(deliveryId, pending);
    const others = this.#byEndpoint.get(endpointId);
    if (others) others.add(pending);
    else this.#byEndpoint.set(endpointId, new Set([pending]));
    return pending;
  }

  #remove(deliveryId: string): void {
    const pending = this.pending.get(deliveryId);
    if (!pending) return;
    this.pending.delete(deliveryId);
    const { endpointId } = pending.delivery;
    const others = this.#byEndpoint.get(endpointId);
    others?.delete(pending);
    if (others?.size === 0) this.#byEndpoint.delete(endpointId);
  }

  #count(endpointId: string, sequence: number): void {
    if (sequence > (this.sequences.get(endpointId) ?? 0)) this.sequences.set(endpointId, sequence);
  }

  #applyAttempt(attempt: RecordedAttempt, revision: bigint): void {
    const { deliveryId, endpointId, at, outcome, nextAt, endpointFails } = attempt;
    const pending = this.pending.get(deliveryId);
    if (!pending) return;
    pending.attempts = attempt.attempt;
    pending.tries += 1;
    pending.asked = false;
    if (nextAt === null) this.#remove(deliveryId);
    else pending.nextAt = Date.parse(nextAt);
    // The checkpoint's `failing` already includes this attempt.
    if (revision <= this.#checkpointRevision) return;
    this.#extendSeries(pending, attempt);
    if (outcome === 'delivered') this.failing.delete(endpointId);
    // Older facts do not say it: every attempt that was not requested by a person counted. What `dropEndpoints` has dropped does not return.
    else if ((endpointFails ?? !pending.scheduling.once) && this.sequences.has(endpointId) && !this.failing.has(endpointId))
      this.failing.set(endpointId, at);
  }
  #extendSeries({ delivery }: PendingDelivery, { endpointId, at, milliseconds, outcome, endpointFails }: RecordedAttempt): void {
    // A test has no sequence.
    if (delivery.dynamicStreamId !== null || delivery.sequence === null || !this.sequences.has(endpointId)) return;
    const { failures, since, lastSuccess } = this.seriesOf(endpointId);
    if (outcome === 'delivered')
      this.#series.set(endpointId, { failures: 0, since: null, lastSuccess: isoTime(Date.parse(at) + milliseconds) });
    else if (endpointFails) this.#series.set(endpointId, { failures: failures + 1, since: since ?? at, lastSuccess });
  }
}
