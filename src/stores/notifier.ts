/** Wakes whoever waits for news. Holds nothing of those who do not wait. */
export class Notifier {
  readonly #waiting = new Set<() => void>();

  /** Wakes all that wait now. */
  wake(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }

  /** Resolves at the next `wake`, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
