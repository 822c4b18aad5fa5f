import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Lease, Leases } from '../stores/leases/leases.ts';
import { aborted } from '../supervision/aborted.ts';
import type { Progressed } from '../supervision/retrying.ts';
import { supervise } from '../supervision/supervise.ts';
import { type HeldPartition, PARTITIONS, partitionLease, partitionOf } from './partition.ts';

export interface HolderDeps {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of delivering nodes, including this one. */
  readonly deliverers: () => Promise<number>;
}

/** Calls to the deliverer. */
export interface HolderCalls {
  /** Events of the partition's users up to here have become facts. */
  readonly positionOf: (partition: number) => Promise<Position | null>;
  /** The partition was given away: finish what runs, and save it, so that the next holder sends nothing twice. */
  readonly handOver: (partition: HeldPartition) => Promise<void>;
  /** Called when the partition is released or lost. The deliverer drops its users. */
  readonly onReleased: (partition: HeldPartition) => void;
}

/** A node that has held more than its share for this long gives some away. The others have as long to take them. */
const CROWDED_MILLISECONDS = 5_000;

/** The partitions of a node: takes those that are free, and gives away those beyond the node's share. */
export class PartitionHolder {
  readonly #deps: HolderDeps;
  readonly #calls: HolderCalls;
  readonly #held = new Map<number, HeldPartition>();
  #changed = new AbortController();
  /** Since when this node has held more than its share. */
  #crowdedSince: number | null = null;

  constructor(deps: HolderDeps, calls: HolderCalls) {
    this.#deps = deps;
    this.#calls = calls;
  }

  get held(): HeldPartition[] {
    return [...this.#held.values()];
  }

  /** The held partition of a user. */
  of(subject: string): HeldPartition | undefined {
    return this.#held.get(partitionOf(subject));
  }

  holds(partition: HeldPartition): boolean {
    return this.#held.get(partition.number) === partition;
  }

  /** Aborts at the next change of the held partitions. */
  nextChange(): AbortSignal {
    this.#changed = new AbortController();
    return this.#changed.signal;
  }

  /** Resolves when every partition was tried once. Holds them until `noMoreFacts`, and takes no further ones from `stopping` on. */
  async start(stopping: AbortSignal, noMoreFacts: AbortSignal): Promise<{ readonly ended: Promise<void> }> {
    const partitions = Array.from({ length: PARTITIONS }, (_, number) => this.#holdForever(number, stopping, noMoreFacts));
    await Promise.all(partitions.map(({ tried }) => tried));
    return { ended: Promise.all(partitions.map(({ ended }) => ended)).then(() => undefined) };
  }

  /** Gives away partitions beyond this node's share, once it has held too many for a while. */
  async share(): Promise<void> {
    const most = Math.ceil(PARTITIONS / Math.max(1, await this.#deps.deliverers()));
    const now = this.#deps.clock.monotonic();
    const surplus = this.held.slice(most);
    if (surplus.length === 0) this.#crowdedSince = null;
    else this.#crowdedSince ??= now;
    if (this.#crowdedSince === null || now - this.#crowdedSince < CROWDED_MILLISECONDS) return;
    this.#crowdedSince = null;
    for (const { givenAway } of surplus) givenAway.abort();
  }

  /** Takes a partition when it is free, and releases it when it is lost or the deliverer stops. */
  #holdForever(number: number, stopping: AbortSignal, noMoreFacts: AbortSignal): { tried: Promise<void>; ended: Promise<void> } {
    let onTried = (): void => {};
    const tried = new Promise<void>((resolve) => {
      onTried = resolve;
    });
    const { leases, clock, logger } = this.#deps;
    const hold = async (progressed: Progressed): Promise<void> => {
      while (!stopping.aborted) {
        const name = partitionLease(number);
        const free = await leases.tryAcquire(name);
        if (!free) onTried();
        const lease = free ?? (await leases.acquire(name, stopping));
        const isGivenAway = await this.#hold(number, lease, noMoreFacts, onTried).finally(() => lease.release());
        if (isGivenAway) await clock.pause(CROWDED_MILLISECONDS, stopping);
        progressed();
      }
    };
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'taking a partition failed; retrying');
    return { tried, ended: supervise(hold, { clock, signal: stopping, onFailure }).finally(onTried) };
  }

  /** Holds a partition until it is lost, given away or the deliverer stops. Returns whether it was given away. */
  async #hold(number: number, lease: Lease, noMoreFacts: AbortSignal, onHeld: () => void): Promise<boolean> {
    const signal = AbortSignal.any([lease.signal, noMoreFacts]);
    const givenAway = new AbortController();
    setMaxListeners(0, lease.signal, signal);
    const position = await this.#calls.positionOf(number);
    const partition: HeldPartition = { number, lease, signal, givenAway, position, saved: position, resumed: false };
    this.#held.set(number, partition);
    this.#changed.abort();
    onHeld();
    await aborted(AbortSignal.any([signal, givenAway.signal]));
    // From here the next holder handles its events.
    this.#held.delete(number);
    this.#changed.abort();
    if (!signal.aborted) await this.#calls.handOver(partition);
    this.#calls.onReleased(partition);
    return givenAway.signal.aborted;
  }
}
