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

/** Age up to which a count of a user's streams is used, and one of all streams. */
const COUNTED_MILLISECONDS = 1_000;
const ALL_COUNTED_MILLISECONDS = 10_000;
const REMEMBERED_OWNERS = 10_000;
const REMEMBERED_RELEASES = 10_000;
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
  /** Holders that the counts no longer include. A refusal and the policy of open streams may both release one. */
  readonly #released = new LRUCache<string, true>({ max: REMEMBERED_RELEASES });

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
    if (!(await this.#all.reserve())) {
      if (await this.#has(holder)) return async () => {};
      throw new ServerFull();
    }
    const count = this.#countOf(owner);
    let isOurs = false;
    try {
      if (!(await count.reserve())) return (await this.#has(holder)) ? async () => {} : null;
      try {
        isOurs = await this.#create(owner, holder, await this.#deps.node());
      } finally {
        count.settle(isOurs);
      }
    } finally {
      this.#all.settle(isOurs);
    }
    return isOurs ? () => this.release(owner, holder) : async () => {};
  }

  async release(owner: string, holder: string): Promise<void> {
    // Before the document is gone: a count meanwhile gives too many rather than too few.
    if (!this.#released.has(holder)) {
      this.#released.set(holder, true);
      this.#all.release();
      this.#ofOwner.get(owner)?.release();
    }
    await this.#deps.documents.remove(COLLECTION, holder, { state: 'running' });
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
    this.#released.delete(holder);
    const since = this.#deps.clock.now();
    return this.#deps.documents.create(COLLECTION, holder, { owner, state: 'running', since, ...(node !== null && { node }) });
  }

  async #has(holder: string): Promise<boolean> {
    return (await this.#deps.documents.getMany(COLLECTION, [holder])).some(({ body }) => body.state === 'running');
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

/** Number of streams that run at all nodes: the last count, and this node's changes since. Never too few of this node's own. */
class Count {
  readonly #deps: CountDeps;
  #held = 0;
  /** Reservations whose document is not stored yet: a count may miss them. */
  #unsettled = 0;
  /** Reservations so far. */
  #reserved = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  get held(): number {
    return this.#held;
  }

  /** Counts one more stream; `false` at the limit. Call `settle` when its document is stored, or is not. */
  async reserve(): Promise<boolean> {
    await this.isFull();
    // Simultaneous callers get here one after the other.
    if (this.#held >= this.#deps.limit) return false;
    this.#held += 1;
    this.#unsettled += 1;
    this.#reserved += 1;
    return true;
  }

  settle(isStored: boolean): void {
    this.#unsettled -= 1;
    if (!isStored) this.release();
  }

  release(): void {
    this.#held = Math.max(0, this.#held - 1);
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
    const began = this.#deps.clock.monotonic();
    const [unsettled, reserved] = [this.#unsettled, this.#reserved];
    const counted = await this.#deps.count();
    // The count may include some of these: the next one corrects that.
    this.#held = counted + unsettled + (this.#reserved - reserved);
    this.#countedAt = began;
  }
}
