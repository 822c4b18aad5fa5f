import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { scarcityOf } from './scarceMemory.ts';

const MEBIBYTE = 1_048_576;
/** Growth of the heap until the next full collection, while memory is ample. */
const ROOM_BYTES = 80 * MEBIBYTE;
/** Above this scarcity of memory, V8 compacts the heap more. */
const COMPACT_SCARCITY = 0.5;
const [LEAST_PERCENT, LEAST_AMPLE_PERCENT, MOST_PERCENT] = [5, 35, 100];
/** Below this limit, V8's own choice is better. */
const PLENTY_BYTES = 2 ** 31;

/**
 * Growth of the heap until the next full collection, in percent of its live bytes. A small heap may double, because each collection costs processor
 * time. A large one grows by a third. As memory becomes scarce, as under attack, both grow by less.
 */
export const heapGrowthFor = (liveBytes: number, scarcity: number): number => {
  const ample = Math.max(LEAST_AMPLE_PERCENT, Math.min(MOST_PERCENT, (ROOM_BYTES / Math.max(1, liveBytes)) * 100));
  return Math.round(ample + (LEAST_PERCENT - ample) * scarcity);
};

/** The parts of V8 and of the process that are read and changed. */
interface Heap {
  readonly liveBytes: () => number;
  readonly residentBytes: () => number;
  readonly setFlag: (flag: string) => void;
}

const heap: Heap = {
  liveBytes: () => process.memoryUsage().heapUsed,
  residentBytes: () => process.memoryUsage.rss(),
  setFlag: setFlagsFromString,
};

/**
 * Sets the growth of the heap. V8 reads it at the end of each full collection, so it must be current before one begins. While memory is scarce,
 * V8 also empties pages that are mostly free, and keeps the young generation small.
 */
export class HeapGrowth {
  readonly #scarceBytes: number;
  readonly #heap: Heap;
  #live: number;
  #percent = 0;
  #isCompact = false;

  constructor(scarceBytes: number, used: Heap = heap) {
    this.#scarceBytes = scarceBytes;
    this.#heap = used;
    this.#live = used.liveBytes();
  }

  /** Call it after each collection. Only a full one shows how much is alive. */
  collected(isFull: boolean): void {
    if (isFull) this.#live = this.#heap.liveBytes();
    const scarcity = scarcityOf(this.#heap.residentBytes(), this.#scarceBytes);
    const percent = heapGrowthFor(this.#live, scarcity);
    if (percent !== this.#percent) this.#heap.setFlag(`--heap-growing-percent=${percent}`);
    this.#percent = percent;
    const isCompact = scarcity > COMPACT_SCARCITY;
    if (isCompact !== this.#isCompact) this.#heap.setFlag(isCompact ? '--optimize-for-size' : '--no-optimize-for-size');
    this.#isCompact = isCompact;
  }
}

/**
 * Adjusts the growth of V8's heap after each collection. With plenty of memory, V8 would let it grow to four times its live size, and a server under
 * attack would take far more memory than it needs. `scarceBytes`: see `scarcityOf`.
 */
export const limitHeapGrowth = (scarceBytes: number): void => {
  if (getHeapStatistics().heap_size_limit < PLENTY_BYTES) return;
  const growth = new HeapGrowth(scarceBytes);
  growth.collected(true);
  new PerformanceObserver((list) => growth.collected(list.getEntries().some(isFullCollection))).observe({ entryTypes: ['gc'] });
};

const isFullCollection = (entry: object): boolean => {
  const detail = 'detail' in entry ? entry.detail : null;
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
};
