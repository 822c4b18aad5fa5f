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
  /** Items with the same key go one after the other, in their order. Default: items have none. */
  readonly keyOf?: (item: Item) => string;
  /** How long the first item waits for others, in milliseconds. Default: a turn of the event loop. */
  readonly pause?: number;
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
  readonly #keyOf: (item: Item) => unknown;
  #waiting: Waiting<Item, Answer>[] = [];
  /** Keys of items that are sent and not answered. */
  readonly #underWay = new Set<unknown>();
  #working = false;

  constructor(deps: GatheringDeps<Item, Answer>) {
    this.#deps = deps;
    // An item without a key is like no other.
    this.#keyOf = deps.keyOf ?? (() => Symbol());
  }

  /** The item's answer; it is sent after this call. */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    const { clock, pause } = this.#deps;
    this.#working = true;
    if (pause === undefined) await new Promise((resolve) => setImmediate(resolve));
    else await clock.pause(pause);
    for (let next = this.#take(); next.length > 0; next = this.#take()) await within(clock, PATIENCE_MILLISECONDS, this.#send(next));
    this.#working = false;
  }

  #take(): Waiting<Item, Answer>[] {
    const taken: Waiting<Item, Answer>[] = [];
    const left: Waiting<Item, Answer>[] = [];
    const keys = new Set(this.#underWay);
    for (const one of this.#waiting) {
      const key = this.#keyOf(one.item);
      if (taken.length < this.#deps.most && !keys.has(key)) taken.push(one);
      else left.push(one);
      keys.add(key);
    }
    this.#waiting = left;
    return taken;
  }

  /** Never rejects. */
  async #send(waiting: readonly Waiting<Item, Answer>[]): Promise<void> {
    const keys = waiting.map(({ item }) => this.#keyOf(item));
    for (const key of keys) this.#underWay.add(key);
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
    for (const key of keys) this.#underWay.delete(key);
    if (!this.#working && this.#waiting.length > 0) void this.#work();
  }
}
