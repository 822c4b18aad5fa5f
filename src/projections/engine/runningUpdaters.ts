import type { BuildUpdater } from './buildUpdater.ts';

/** The updaters of one read model that run in this process. */
export class RunningUpdaters {
  readonly #runs = new Map<BuildUpdater, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  /** Runs the updater until it is stopped or the signal aborts. */
  begin(updater: BuildUpdater, signal: AbortSignal | null): void {
    const stop = new AbortController();
    const ended = updater.run(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    this.#runs.set(updater, { stop, ended });
  }

  /** Resolves when the updater has ended. An updater that never started is left to other nodes. */
  async stop(updater: BuildUpdater): Promise<void> {
    const run = this.#runs.get(updater);
    if (!run) return updater.leave();
    run.stop.abort();
    await run.ended;
    this.#runs.delete(updater);
  }

  /** Resolves when all current updaters have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }
}
