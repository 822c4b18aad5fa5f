import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MEBIBYTE = 1_048_576;
/** What the heap may grow by before the next full collection. */
const ROOM_BYTES = 80 * MEBIBYTE;
/** Below this limit, V8's own choice is better. */
const PLENTY_BYTES = 2 ** 31;

/**
 * How far the heap may grow before the next full collection, in percent of what is alive. A small heap may double, because each collection costs
 * processor time. A large one, as under attack, grows by a third, so that the process stays small.
 */
export const heapGrowthFor = (liveBytes: number): number =>
  Math.max(35, Math.min(100, Math.round((ROOM_BYTES / Math.max(1, liveBytes)) * 100)));

/**
 * Adjusts the growth of V8's heap after each full collection. With plenty of memory, V8 would let it grow to four times its live size, and a server
 * under attack would take far more memory than it needs.
 */
export const limitHeapGrowth = (): void => {
  if (getHeapStatistics().heap_size_limit < PLENTY_BYTES) return;
  let growth = 0;
  const adjust = (): void => {
    const next = heapGrowthFor(process.memoryUsage().heapUsed);
    if (next !== growth) setFlagsFromString(`--heap-growing-percent=${next}`);
    growth = next;
  };
  adjust();
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) adjust();
  }).observe({ entryTypes: ['gc'] });
};

const isFullCollection = (entry: object): boolean => {
  const detail = 'detail' in entry ? entry.detail : null;
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
};
