import type { Clock } from '../clock.ts';
import { within } from '../supervision/within.ts';

/** How long an unanswered request keeps the next one waiting. */
const PATIENCE_MILLISECONDS = 1_000;

interface GatheringDeps<Item, Answer> {
  readonly clock: Clock;
  /** Most items of a request. */
  readonly most: number;
  /** One request for all items. Resolves with the answer or the failure of each, in their order; rejects with the failure of all. */
  readonly send: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Small requests to a server, sent together: those of one turn of the event loop, and those that come while another request is under way. A
 * request is sent at once if no other is running. Under load each request takes more of them, which costs both sides less.
 */
export class Gathering<Item, Answer> {
  readonly #deps: GatheringDeps<Item, Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #working = false;

  constructor(deps: GatheringDeps<Item, Answer>) {
    this.#deps = deps;
  }

  /** The item's answer; it is sent after this call. */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    const { clock, most } = this.#deps;
    this.#working = true;
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await within(clock, PATIENCE_MILLISECONDS, this.#send(this.#waiting.splice(0, most)));
    }
    this.#working = false;
  }

  /** Never rejects. */
  async #send(waiting: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#deps.send(waiting.map(({ item }) => item));
      for (const [n, { resolve, reject }] of waiting.entries()) {
        const answer = answers[n];
        if (answer === undefined) reject(new Error('a request without an answer'));
        else if (answer instanceof Error) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
