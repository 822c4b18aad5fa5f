/** Three processes and two stores on the machine of one. */
const PATIENCE_MILLISECONDS = process.env.TRIBUTARY_FORM === 'cluster' ? 20_000 : 5_000;

/** Repeats `attempt` until it neither throws nor answers `undefined` or `false`; rejects with its last failure after `milliseconds`. */
export const eventually = async <T>(
  attempt: () => T | Promise<T>,
  milliseconds = PATIENCE_MILLISECONDS,
): Promise<Exclude<T, undefined | false>> => {
  const deadline = performance.now() + milliseconds;
  let failure: unknown = new Error('it never held');
  for (;;) {
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result as Exclude<T, undefined | false>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
