/** Callers that continue in one turn of the event loop. */
const TOGETHER = 16;

/** Callers who come at the same moment continue in groups, each in a turn of the event loop of its own. */
export class TurnGroups {
  readonly #most: number;
  #gone = 0;
  #waiting: (() => void)[] = [];

  /** With `most`, a group of very many callers is a quarter of them, up to this number. */
  constructor(most = TOGETHER) {
    this.#most = most;
  }

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
    const next = this.#waiting.splice(0, Math.min(this.#most, Math.max(TOGETHER, Math.ceil(this.#waiting.length / 4))));
    this.#gone = next.length;
    if (next.length > 0) setImmediate(() => this.#turn());
    for (const go of next) go();
  }
}
