import type { ServerResponse } from 'node:http';

/** The end of a request: its answer has been sent, or its client has left. */
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

const ends = new WeakMap<ServerResponse, RequestEnd>();

/** The end of the request that this answers: one listener for everything that ends with it. */
export const endOf = (outgoing: ServerResponse): RequestEnd => {
  const known = ends.get(outgoing);
  if (known) return known;
  const end = new RequestEnd(outgoing);
  ends.set(outgoing, end);
  return end;
};
