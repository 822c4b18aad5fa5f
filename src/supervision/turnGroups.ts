/** Minimum number of callers that continue in one turn of the event loop. */
const TOGETHER = 16;

/** Callers who come at the same moment continue in groups, each in a turn of the event loop of its own. */
export class TurnGroups {
  #gone = 0;
  #waiting: (() => void)[] = [];

  /** `undefined` if the caller may continue at once. */
  next(): Promise<void> | undefined {
    if (this.#gone === 0) setImmediate(() => this.#turn());
    if (this.#gone < TOGETHER) {
      this.#gone += 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #turn(): void {
    // A quarter of many waiting callers, since one turn may take long.
    const next = this.#waiting.splice(0, Math.max(TOGETHER, Math.ceil(this.#waiting.length / 4)));
    this.#gone = next.length;
    if (next.length > 0) setImmediate(() => this.#turn());
    for (const go of next) go();
  }
}
