import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Documents, FindOptions } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { runningStream } from './loneRunning.ts';
import { OPEN_STREAMS, type Release, type RunningStream, type RunningStreams, ServerFull } from './openStreams.ts';

interface SharedRunningDeps {
  readonly documents: Pick<Documents, 'create' | 'find' | 'getMany' | 'count' | 'remove'>;
  readonly clock: Clock;
  /** Of each user. */
  readonly limit: number;
  readonly totalLimit: number;
  /** This node's name for other nodes. May reject with `StoreUnavailable`. */
  readonly node: () => Promise<string | null>;
}

/** How long a count of a user's streams is used, and one of all. */
const COUNTED_MILLISECONDS = 1_000;
const ALL_COUNTED_MILLISECONDS = 10_000;
const REMEMBERED_OWNERS = 10_000;
const PAGE = 1_000;
const { name: COLLECTION } = OPEN_STREAMS;

/**
 * The running streams of nodes that share their stores: a document each, from before its stream is created. Limits count them, at most a second ago for a
 * user and ten for all, and again before a refusal: what other nodes have started since may exceed a limit.
 */
export class SharedRunning implements RunningStreams {
  readonly total = null;
  readonly limit: number;
  readonly #deps: SharedRunningDeps;
  readonly #all: Count;
  readonly #ofOwner = new LRUCache<string, Count>({ max: REMEMBERED_OWNERS });

  constructor(deps: SharedRunningDeps) {
    this.#deps = deps;
    this.limit = deps.limit;
    const { documents, clock, totalLimit } = deps;
    const count = () => documents.count(COLLECTION, { state: 'running' });
    this.#all = new Count({ clock, limit: totalLimit, count, freshMilliseconds: ALL_COUNTED_MILLISECONDS });
  }

  async refuseAboveTotal(): Promise<void> {
    if (await this.#all.isFull()) throw new ServerFull();
  }

  async remaining(owner: string): Promise<number> {
    const count = this.#countOf(owner);
    await count.isFull();
    return Math.max(0, this.limit - count.held);
  }

  isFull(owner: string): Promise<boolean> {
    return this.#countOf(owner).isFull();
  }

  async reserve(owner: string, holder: string): Promise<Release | null> {
    if (!(await this.#all.reserve())) throw new ServerFull();
    const count = this.#countOf(owner);
    let isOurs = false;
    try {
      if (!(await count.reserve())) return null;
      try {
        isOurs = await this.#create(owner, holder, await this.#deps.node());
      } finally {
        if (!isOurs) count.add(-1);
      }
    } finally {
      if (!isOurs) this.#all.add(-1);
    }
    return isOurs ? () => this.release(owner, holder) : async () => {};
  }

  async release(owner: string, holder: string): Promise<void> {
    await this.#deps.documents.remove(COLLECTION, holder, { state: 'running' });
    this.#all.add(-1);
    this.#ofOwner.get(owner)?.add(-1);
  }

  async ensure(streams: readonly Omit<RunningStream, 'since'>[], stillRuns: (holder: string) => Promise<boolean>): Promise<void> {
    if (streams.length === 0) return;
    const found = await this.#deps.documents.getMany(
      COLLECTION,
      streams.map(({ holder }) => holder),
    );
    const known = new Set(found.map(({ id }) => id));
    const missing = streams.filter(({ holder }) => !known.has(holder));
    await Promise.all(missing.map(async ({ owner, holder }) => (await stillRuns(holder)) && this.#create(owner, holder, null)));
  }

  async running(owner?: string, limit?: number): Promise<RunningStream[]> {
    const where = { state: 'running', ...(owner !== undefined && { owner }) };
    if (limit !== undefined) return (await this.#deps.documents.find(COLLECTION, { where, limit })).map(runningStream);
    return this.#allOf({ where });
  }

  takenBy(node: string): Promise<RunningStream[]> {
    return this.#allOf({ where: { node, state: 'running' } });
  }

  /** They are documents from the start. */
  async store(): Promise<void> {}

  /** `node`: `null` if it is not known which one took the upload. */
  #create(owner: string, holder: string, node: string | null): Promise<boolean> {
    const since = this.#deps.clock.now();
    return this.#deps.documents.create(COLLECTION, holder, { owner, state: 'running', since, ...(node !== null && { node }) });
  }

  async #allOf(selection: Pick<FindOptions, 'where'>): Promise<RunningStream[]> {
    const found: RunningStream[] = [];
    for await (const page of documentPages(this.#deps.documents, COLLECTION, selection, PAGE)) found.push(...page.map(runningStream));
    return found;
  }

  #countOf(owner: string): Count {
    const known = this.#ofOwner.get(owner);
    if (known) return known;
    const { documents, clock, limit } = this.#deps;
    const count = () => documents.count(COLLECTION, { owner, state: 'running' });
    const added = new Count({ clock, limit, count, freshMilliseconds: COUNTED_MILLISECONDS });
    this.#ofOwner.set(owner, added);
    return added;
  }
}

interface CountDeps {
  readonly limit: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** May reject with `StoreUnavailable`. */
  readonly count: () => Promise<number>;
  readonly freshMilliseconds: number;
}

/** How many streams run at all nodes: a count, and what this node has changed since. */
class Count {
  readonly #deps: CountDeps;
  #held = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  get held(): number {
    return this.#held;
  }

  add(streams: 1 | -1): void {
    this.#held = Math.max(0, this.#held + streams);
  }

  /** Counts one more stream; `false` at the limit. Call `add(-1)` if it is not started after all. */
  async reserve(): Promise<boolean> {
    await this.isFull();
    // Simultaneous callers get here one after the other.
    if (this.#held >= this.#deps.limit) return false;
    this.#held += 1;
    return true;
  }

  /** Counts if the last count is too old, and again before it is `true`. */
  async isFull(): Promise<boolean> {
    const { clock, limit, freshMilliseconds } = this.#deps;
    if (clock.monotonic() - this.#countedAt > freshMilliseconds) await this.#recount();
    else if (this.#held >= limit) await this.#recount();
    return this.#held >= limit;
  }

  /** Of simultaneous callers, one counts. */
  #recount(): Promise<void> {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    return this.#counting;
  }

  async #count(): Promise<void> {
    this.#countedAt = this.#deps.clock.monotonic();
    const before = this.#held;
    const counted = await this.#deps.count();
    // The count may already include changes made during it. They are added again; the next count corrects that.
    this.#held = Math.max(0, counted + this.#held - before);
  }
}
