import type { ServerResponse } from 'node:http';

/** The end of a request: its answer has been sent, or its client has left. One listener for everything that ends with it. */
export class RequestEnd {
  readonly #ends: (() => void)[] = [];
  #isOver: boolean;

  constructor(outgoing: ServerResponse) {
    this.#isOver = outgoing.destroyed || outgoing.closed;
    if (!this.#isOver)
      outgoing.once('close', () => {
        this.#isOver = true;
        for (const end of this.#ends) end();
      });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls `end` at the end; at once if it has come already. */
  add(end: () => void): void {
    if (this.#isOver) end();
    else this.#ends.push(end);
  }
}
