import { createContext, Script } from 'node:vm';

const CALL = new Script('work()');

/** A caller's schema may take as long as it likes to check (references that double, patterns that backtrack): it gets so much. */
const MILLISECONDS = 500;
/** What took that long without using it has waited for a busy machine, and is done again: so often in all. */
const TURNS = 4;

/** Runs `work` and ends it when it takes too long; then, and when it throws, this throws. It may run `work` again, and ends it without its `finally`. */
export const bounded = <T>(work: () => T): T => {
  for (let turn = 1; ; turn += 1) {
    const began = process.cpuUsage();
    try {
      return once(work);
    } catch (error) {
      const { user, system } = process.cpuUsage(began);
      if (turn === TURNS || !isTimeout(error) || user + system > (MILLISECONDS / 2) * 1_000) throw error;
    }
  }
};

const once = <T>(work: () => T): T => {
  let result: { value: T } | null = null;
  const context = createContext({
    work: () => {
      result = { value: work() };
    },
  });
  CALL.runInContext(context, { timeout: MILLISECONDS });
  return resultOf(result);
};

/** It is an `Error` of the context that was ended, not of this one. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const resultOf = <T>(result: { value: T } | null): T => {
  if (!result) throw new Error('it was not done');
  return result.value;
};
