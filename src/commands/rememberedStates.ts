import { LRUCache } from 'lru-cache';
import type { StreamHead } from '../stores/log/eventLog.ts';
import { limitBetween, processMemory } from '../supervision/scarceMemory.ts';
import { HEAVY_BYTES, weightOf } from '../weight.ts';

/** A state with the end of its event stream, and the decider that folded it. */
export interface Remembered {
  readonly state: unknown;
  readonly head: StreamHead;
  readonly decider: unknown;
}

type Left = Omit<Remembered, 'state'> & { readonly state: WeakRef<object> };

/** More than the uploads of a burst that wait for their runs, as a rule. */
const MOST_STATES = 1_024;
/** Larger states have a cache of their own, so that they never push out small ones. */
const SMALL_STATE_BYTES = 1_048_576;
/** More of them, each kept for a short time, make garbage collections long. */
const MOST_LARGE_STATES = 16;
const [SMALL_STATES_BYTES, LARGE_STATES_BYTES] = [16 * 1_048_576, 48 * 1_048_576];
/** Share of these sizes while memory is scarce. */
const SHARE_WHILE_SCARCE = 1 / 3;

const isLarge = (state: unknown): state is object => typeof state === 'object' && state !== null && weightOf(state) > HEAVY_BYTES;

/** Caches states by event stream. Forgets the least recently used ones first. */
export class RememberedStates {
  readonly #small = this.#cache(SMALL_STATES_BYTES, MOST_STATES);
  readonly #large = this.#cache(LARGE_STATES_BYTES, MOST_LARGE_STATES);
  /** Large states that have left the caches but may still be in use: reading one again would hold it in memory twice. */
  readonly #left = new LRUCache<string, Left>({ max: MOST_STATES });

  get(eventStream: string): Remembered | undefined {
    return this.#small.get(eventStream) ?? this.#large.get(eventStream) ?? this.#heldElsewhere(eventStream);
  }

  set(eventStream: string, remembered: Remembered): void {
    const weight = weightOf(remembered.state);
    const [to, from] = weight > SMALL_STATE_BYTES ? [this.#large, this.#small] : [this.#small, this.#large];
    from.delete(eventStream);
    // A state that exceeds the cache is kept too, alone: reading it again for each request would cost more.
    to.set(eventStream, remembered, { size: Math.min(weight, to.maxSize) });
    const share = limitBetween(1, SHARE_WHILE_SCARCE, processMemory);
    for (const cache of [to, from]) while (cache.size > 1 && cache.calculatedSize > share * cache.maxSize) cache.pop();
  }

  #cache(maxSize: number, max: number): LRUCache<string, Remembered> {
    return new LRUCache({
      max,
      maxSize,
      dispose: ({ state, ...rest }, eventStream, reason) => {
        if (reason === 'evict' && isLarge(state)) this.#left.set(eventStream, { ...rest, state: new WeakRef(state) });
      },
    });
  }

  #heldElsewhere(eventStream: string): Remembered | undefined {
    const found = this.#left.get(eventStream);
    this.#left.delete(eventStream);
    const state = found?.state.deref();
    if (!found || !state) return undefined;
    const remembered = { ...found, state };
    this.set(eventStream, remembered);
    return remembered;
  }
}
