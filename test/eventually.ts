/** Factor for all waits of the tests: in the cluster form, three processes and two stores share the machine. */
export const PATIENCE = process.env.TRIBUTARY_FORM === 'cluster' ? 6 : 1;

/** Factor for promises of a time: they hold on an idle machine, and other tests run beside this one. */
const BESIDE_TESTS = 3;
export const BESIDE_OTHERS = BESIDE_TESTS * PATIENCE;
/** For `eventually`, what a promise of a second may take beside other tests: 3 s in the embedded form, 6 s in the cluster form. */
export const IN_A_SECOND = Math.min(3_000, 6_000 / PATIENCE);

/** The pause before the next look in milliseconds: 10 at first, later a twentieth of the time waited so far, at most 100. */
export const nextPause = (waited: number): number => Math.min(100, Math.max(10, waited / 20));

/**
 * Repeats `attempt` until it neither throws nor returns `undefined` or `false`; rejects with its last failure after `milliseconds` times `PATIENCE`.
 */
export const eventually = <T>(attempt: () => T | Promise<T>, milliseconds = 20_000): Promise<Exclude<T, undefined | false>> =>
  repeated(attempt, milliseconds, nextPause);

/** As `eventually`, for an attempt that advances a clock and so needs many repetitions: 10 ms lie between them. */
export const advancing = <T>(attempt: () => T | Promise<T>, milliseconds = 20_000): Promise<Exclude<T, undefined | false>> =>
  repeated(attempt, milliseconds, () => 10);

const repeated = async <T>(
  attempt: () => T | Promise<T>,
  milliseconds: number,
  pauseAfter: (waited: number) => number,
): Promise<Exclude<T, undefined | false>> => {
  const began = performance.now();
  let failure: unknown = new Error('it never held');
  for (;;) {
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result as Exclude<T, undefined | false>;
    } catch (error) {
      failure = error;
    }
    const waited = performance.now() - began;
    if (waited > milliseconds * PATIENCE) throw failure;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(waited)));
  }
};
