import type { Express } from 'express';

/** The requests of a server that have found their route and have not ended. */
export class RunningRequests {
  readonly #running = new Set<Promise<void>>();

  /** Call the returned function when the request has ended. */
  begin(): () => void {
    let end = (): void => {};
    const running = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
      end();
    };
  }

  /** Resolves when all that run now have ended, even if their clients have left. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** The Express application. `settled` resolves when its running requests have ended. */
export type App = Express & Pick<RunningRequests, 'settled'>;
