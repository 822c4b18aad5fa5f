type Settle<Answer> = (answer: Answer) => void;

/** Answers that are forgotten together: to shift each from a long array would cost as much as the array is long. */
const FORGOTTEN_TOGETHER = 4_096;

/** What callers of a writer thread wait for. The thread answers in the order in which it was asked. */
export class AnswersInOrder<Answer> {
  /** One for each question, oldest first; those before `#answered` are done. */
  #settles: Settle<Answer>[] = [];
  #answered = 0;
  #whenIdle: (() => void) | null = null;

  /** Questions that wait for their answers. */
  get waiting(): number {
    return this.#settles.length - this.#answered;
  }

  /** `settle` is called once, with the answer. */
  expect(settle: Settle<Answer>): void {
    this.#settles.push(settle);
  }

  /** The answer to the oldest question. */
  settle(answer: Answer): void {
    const settle = this.#settles[this.#answered];
    this.#answered += 1;
    if (this.#answered === this.#settles.length || this.#answered === FORGOTTEN_TOGETHER) {
      this.#settles = this.#settles.slice(this.#answered);
      this.#answered = 0;
    }
    if (this.waiting === 0) this.#whenIdle?.();
    settle?.(answer);
  }

  /** The same answer to the oldest questions. */
  settleOldest(count: number, answer: Answer): void {
    for (let n = 0; n < count; n += 1) this.settle(answer);
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    if (this.waiting > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }
}
