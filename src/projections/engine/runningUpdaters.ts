import type { BuildUpdater } from './buildUpdater.ts';

/** The updaters of one read model that are at work in this process. */
export class RunningUpdaters {
  readonly #runs = new Map<BuildUpdater, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  /** It runs until it is stopped, or the signal aborts. */
  begin(updater: BuildUpdater, signal: AbortSignal | null): void {
    const stop = new AbortController();
    const ended = updater.run(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    this.#runs.set(updater, { stop, ended });
  }

  /** Resolves when it has ended; one that was never begun is left to others. */
  async stop(updater: BuildUpdater): Promise<void> {
    const run = this.#runs.get(updater);
    if (!run) return updater.leave();
    run.stop.abort();
    await run.ended;
    this.#runs.delete(updater);
  }

  /** Resolves when all have ended that run now. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }
}
