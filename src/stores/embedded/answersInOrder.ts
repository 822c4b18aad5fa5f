type Settle<Answer> = (answer: Answer) => void;

/** Callers that wait for answers of a writer thread. The thread answers in the order of the questions. */
export class AnswersInOrder<Answer> {
  /** One for each question, oldest first. */
  readonly #settles: Settle<Answer>[] = [];
  #whenIdle: (() => void) | null = null;

  /** Questions that wait for their answers. */
  get waiting(): number {
    return this.#settles.length;
  }

  /** `settle` is called once, with the answer. */
  expect(settle: Settle<Answer>): void {
    this.#settles.push(settle);
  }

  /** Passes the answer on to the oldest waiting question. */
  settle(answer: Answer): void {
    const settle = this.#settles.shift();
    if (this.waiting === 0) this.#whenIdle?.();
    settle?.(answer);
  }

  /** Gives the `count` oldest questions the same answer. */
  settleOldest(count: number, answer: Answer): void {
    for (let n = 0; n < count; n += 1) this.settle(answer);
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    if (this.waiting > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }
}
