import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { scarcityOf } from './scarceMemory.ts';

const MEBIBYTE = 1_048_576;
/** Growth of the heap until the next full collection, while memory is ample. */
const ROOM_BYTES = 80 * MEBIBYTE;
/** Above this resident memory, V8 compacts the heap more. */
const COMPACT_BYTES = 450 * MEBIBYTE;
const [LEAST_PERCENT, LEAST_AMPLE_PERCENT, MOST_PERCENT] = [5, 35, 100];
/** Below this limit, V8's own choice is better. */
const PLENTY_BYTES = 2 ** 31;

/**
 * Growth of the heap until the next full collection, in percent of its live bytes. A small heap may double, because each collection costs processor
 * time. A large one grows by a third. Above 400 MiB of resident memory, as under attack, both grow by less.
 */
export const heapGrowthFor = (liveBytes: number, residentBytes: number): number => {
  const ample = Math.max(LEAST_AMPLE_PERCENT, Math.min(MOST_PERCENT, (ROOM_BYTES / Math.max(1, liveBytes)) * 100));
  return Math.round(ample + (LEAST_PERCENT - ample) * scarcityOf(residentBytes));
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
 * Sets the growth of the heap. V8 reads it at the end of each full collection, so it must be current before one begins. Above 450 MiB of
 * resident memory, V8 also empties pages that are mostly free, and keeps the young generation small.
 */
export class HeapGrowth {
  readonly #heap: Heap;
  #live: number;
  #percent = 0;
  #isCompact = false;

  constructor(used: Heap = heap) {
    this.#heap = used;
    this.#live = used.liveBytes();
  }

  /** Call it after each collection. Only a full one shows how much is alive. */
  collected(isFull: boolean): void {
    if (isFull) this.#live = this.#heap.liveBytes();
    const residentBytes = this.#heap.residentBytes();
    const percent = heapGrowthFor(this.#live, residentBytes);
    if (percent !== this.#percent) this.#heap.setFlag(`--heap-growing-percent=${percent}`);
    this.#percent = percent;
    const isCompact = residentBytes > COMPACT_BYTES;
    if (isCompact !== this.#isCompact) this.#heap.setFlag(isCompact ? '--optimize-for-size' : '--no-optimize-for-size');
    this.#isCompact = isCompact;
  }
}

/**
 * Adjusts the growth of V8's heap after each collection. With plenty of memory, V8 would let it grow to four times its live size, and a server under
 * attack would take far more memory than it needs.
 */
export const limitHeapGrowth = (): void => {
  if (getHeapStatistics().heap_size_limit < PLENTY_BYTES) return;
  const growth = new HeapGrowth();
  growth.collected(true);
  new PerformanceObserver((list) => growth.collected(list.getEntries().some(isFullCollection))).observe({ entryTypes: ['gc'] });
};

const isFullCollection = (entry: object): boolean => {
  const detail = 'detail' in entry ? entry.detail : null;
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
};
