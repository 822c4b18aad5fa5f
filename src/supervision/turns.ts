/** Longest work of all callers of `Turns` together in one turn of the event loop, and of `givingWay` in one turn: each beside its last step. */
export const SLICE_MILLISECONDS = 1;

/**
 * Callers that continue one after another: each runs until it awaits something else. When those of one turn of the event loop have worked for a
 * millisecond, other work goes first.
 */
export class Turns {
  /** Callers that continue together, between two looks at the time. */
  readonly #together: number;
  readonly #waiting: (() => void)[] = [];
  /** When the first caller of this turn began; `null` before. */
  #began: number | null = null;
  /** Callers that are at work. */
  #going = 0;
  #isScheduled = false;

  constructor(together = 1) {
    this.#together = together;
  }

  /** Resolves in a later turn, or in this one behind the callers that are at work. */
  later(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#going === 0) this.#schedule();
    });
  }

  /** `undefined` if the caller may continue at once. */
  next(): Promise<void> | undefined {
    if (this.#waiting.length > 0 || this.#going === this.#together || this.#isOver) return this.later();
    if (this.#going === 0) this.#work();
    this.#going += 1;
    return undefined;
  }

  get #isOver(): boolean {
    return this.#began !== null && performance.now() - this.#began >= SLICE_MILLISECONDS;
  }

  /** The next turn has time for callers again. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#began = null;
      this.#letNextGo();
    });
  }

  #letNextGo(): void {
    const next = this.#waiting.splice(0, this.#together);
    if (next.length === 0) return;
    this.#going = next.length;
    this.#work();
    for (const go of next) go();
  }

  /** Waits until the callers that were let go have done their work, and lets the next ones go. */
  #work(): void {
    this.#began ??= performance.now();
    // Microtasks run first, and with them what the callers do.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#going = 0;
        if (this.#waiting.length > 0 && !this.#isOver) this.#letNextGo();
        else this.#schedule();
      }),
    );
  }
}
