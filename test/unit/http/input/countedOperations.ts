import { type Profiler, Session } from 'node:inspector';

/** Methods of arrays that walk or move all items in native code, where V8 counts nothing. */
const WALKING = [
  'concat',
  'copyWithin',
  'fill',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'reverse',
  'shift',
  'slice',
  'sort',
  'splice',
  'unshift',
];

/**
 * Runs `work` and counts the blocks of JavaScript that V8 executes for it, in this project, its packages and Node itself, and the array items that
 * native methods and spreads touch. The count does not depend on the machine's speed. It misses what regular expressions and
 * strings do in native code.
 */
export const operationsOf = (work: () => void): number => {
  session ??= counting();
  // Forgets what has been counted before.
  session.post(COUNTS);
  const items = countItems();
  try {
    work();
  } catch {
    // A refusal is an outcome too: only its cost is counted.
  } finally {
    items.stop();
  }
  return items.stop() + blocksSinceLast(session);
};

const COUNTS = 'Profiler.takePreciseCoverage';

let session: Session | null = null;

/** Counts until the process ends, because to start it takes longer than most work. Files that use it have a process of their own. */
const counting = (): Session => {
  const started = new Session();
  started.connect();
  started.post('Profiler.enable');
  started.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return started;
};

const blocksSinceLast = (counter: Session): number => {
  let blocks = 0;
  counter.post(COUNTS, (error: Error | null, { result }: Profiler.TakePreciseCoverageReturnType) => {
    if (error) throw error;
    for (const { functions } of result) for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  });
  return blocks;
};

const countItems = (): { stop(): number } => {
  const natives = new Map<PropertyKey, unknown>();
  let count = 0;
  for (const name of [...WALKING, Symbol.iterator]) {
    const native: unknown = Reflect.get(Array.prototype, name);
    if (typeof native !== 'function') throw new Error(`arrays have no method ${String(name)}`);
    natives.set(name, native);
    const counted = function (this: readonly unknown[], ...given: unknown[]): unknown {
      count += this.length;
      return Reflect.apply(native, this, given);
    };
    Reflect.defineProperty(Array.prototype, name, { value: counted, configurable: true, writable: true });
  }
  return {
    stop: () => {
      for (const [name, native] of natives)
        Reflect.defineProperty(Array.prototype, name, { value: native, configurable: true, writable: true });
      return count;
    },
  };
};
