import { createContext, Script } from 'node:vm';

const CALL = new Script('work()');

/** A caller's schema may take as long as it likes to check (references that double, patterns that backtrack): it gets so much. */
const MILLISECONDS = 500;

/** Runs `work` and ends it when it takes too long; then, and when it throws, this throws. */
export const bounded = <T>(work: () => T): T => {
  let result: { value: T } | null = null;
  const context = createContext({
    work: () => {
      result = { value: work() };
    },
  });
  CALL.runInContext(context, { timeout: MILLISECONDS });
  return resultOf(result);
};

const resultOf = <T>(result: { value: T } | null): T => {
  if (!result) throw new Error('it was not done');
  return result.value;
};
