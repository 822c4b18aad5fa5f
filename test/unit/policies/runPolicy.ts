import { onTestFinished } from 'vitest';

export type Policy<Deps> = (deps: Deps, signal: AbortSignal) => Promise<void>;

/** Runs a policy until the returned function is called, or the test ends. */
export const runPolicy = <Deps>(policy: Policy<Deps>, deps: Deps): (() => Promise<void>) => {
  const ending = new AbortController();
  const ended = policy(deps, ending.signal);
  const stop = async () => {
    ending.abort();
    await ended;
  };
  onTestFinished(stop);
  return stop;
};
