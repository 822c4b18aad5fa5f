import type { Runner } from './runner.ts';

/** The runners of one read model that are at work in this process. */
export class Runs {
  readonly #runs = new Map<Runner, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  /** It runs until it is stopped, or the signal aborts. */
  begin(runner: Runner, signal: AbortSignal | null): void {
    const stop = new AbortController();
    const ended = runner.run(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    this.#runs.set(runner, { stop, ended });
  }

  /** Resolves when it has ended; one that was never begun is left to others. */
  async stop(runner: Runner): Promise<void> {
    const run = this.#runs.get(runner);
    if (!run) return runner.leave();
    run.stop.abort();
    await run.ended;
    this.#runs.delete(runner);
  }

  /** Resolves when all have ended that run now. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }
}
