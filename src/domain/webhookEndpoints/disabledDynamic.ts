import { ImmutableMap } from '../immutableMap.ts';

/** Why a dynamic webhook is disabled, and since when (ISO 8601). */
interface Disabled {
  readonly reason: string;
  readonly timestamp: string;
  /** Counts from 1. */
  readonly n: number;
}

type Disableds = ImmutableMap<Disabled>;

const NEWEST = 1_000;

/** The newest 1,000 disabled dynamic webhooks by endpoint id. Immutable; adding one takes the same time however many there are. */
export class DisabledDynamic {
  private readonly count: number;
  private readonly newer: Disableds;
  /** The 1,000 before those in `newer`: they leave together. */
  private readonly older: Disableds;

  private constructor(count: number, newer: Disableds, older: Disableds) {
    this.count = count;
    this.newer = newer;
    this.older = older;
  }

  static empty(): DisabledDynamic {
    return new DisabledDynamic(0, ImmutableMap.empty(), ImmutableMap.empty());
  }

  get size(): number {
    return Math.min(this.count, NEWEST);
  }

  get(endpointId: string): Disabled | undefined {
    const found = this.newer.get(endpointId) ?? this.older.get(endpointId);
    return found && found.n > this.count - NEWEST ? found : undefined;
  }

  has(endpointId: string): boolean {
    return this.get(endpointId) !== undefined;
  }

  /** The given webhook is not among them yet. */
  with(endpointId: string, reason: string, timestamp: string): DisabledDynamic {
    const isFull = this.count > 0 && this.count % NEWEST === 0;
    const newer = isFull ? ImmutableMap.empty<Disabled>() : this.newer;
    const n = this.count + 1;
    return new DisabledDynamic(n, newer.with(endpointId, { reason, timestamp, n }), isFull ? this.newer : this.older);
  }
}
