import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { OPEN_STREAMS, type Release, type RunningStream, type RunningStreams, ServerFull } from './openStreams.ts';

interface Entry extends RunningStream {
  /** Its document is stored or being stored. */
  stored: boolean;
}

interface LoneRunningDeps {
  readonly documents: Pick<Documents, 'create' | 'find' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Of each user. */
  readonly limit: number;
  readonly totalLimit: number;
}

const PAGE = 1_000;
const { name: COLLECTION } = OPEN_STREAMS;
const NONE: ReadonlyMap<string, Entry> = new Map();

/**
 * The running streams of a lone node, decided in memory. Only those that still run when a checkpoint is saved become documents, so a short stream costs
 * none: after a restart, the documents and the log from that checkpoint restore all.
 */
export class LoneRunning implements RunningStreams {
  readonly #deps: LoneRunningDeps;
  readonly limit: number;
  readonly #ofOwner = new Map<string, Map<string, Entry>>();
  readonly #unstored = new Set<Entry>();
  #held = 0;
  #loading: Promise<void> | null = null;

  constructor(deps: LoneRunningDeps) {
    this.#deps = deps;
    this.limit = deps.limit;
  }

  get total(): { held: number; limit: number } {
    return { held: this.#held, limit: this.#deps.totalLimit };
  }

  async refuseAboveTotal(): Promise<void> {
    await this.#loaded();
    this.#refuseAboveTotal();
  }

  async remaining(owner: string): Promise<number> {
    await this.#loaded();
    return Math.max(0, this.limit - this.#of(owner).size);
  }

  async isFull(owner: string): Promise<boolean> {
    return (await this.remaining(owner)) === 0;
  }

  async reserve(owner: string, holder: string): Promise<Release | null> {
    await this.#loaded();
    // No await until it is added, so that a burst cannot exceed the limits.
    if (this.#of(owner).has(holder)) return async () => {};
    this.#refuseAboveTotal();
    if (this.#of(owner).size >= this.limit) return null;
    this.#add({ owner, holder, since: this.#deps.clock.now(), stored: false });
    return () => this.release(owner, holder);
  }

  async release(owner: string, holder: string): Promise<void> {
    await this.#loaded();
    const own = this.#ofOwner.get(owner);
    const entry = own?.get(holder);
    if (!own || !entry) return;
    own.delete(holder);
    if (own.size === 0) this.#ofOwner.delete(owner);
    this.#held -= 1;
    this.#unstored.delete(entry);
    // A document being stored is written first: the store keeps the order of calls.
    if (entry.stored) await this.#deps.documents.remove(COLLECTION, holder, { state: 'running' });
  }

  async ensure(streams: readonly Omit<RunningStream, 'since'>[], stillRuns: (holder: string) => Promise<boolean>): Promise<void> {
    await this.#loaded();
    for (const { owner, holder } of streams) {
      if (this.#of(owner).has(holder) || !(await stillRuns(holder)) || this.#of(owner).has(holder)) continue;
      this.#add({ owner, holder, since: this.#deps.clock.now(), stored: false });
    }
  }

  async running(owner?: string, limit?: number): Promise<RunningStream[]> {
    await this.#loaded();
    const all = owner === undefined ? [...this.#ofOwner.values()].flatMap((own) => [...own.values()]) : [...this.#of(owner).values()];
    return all.slice(0, limit).map(({ stored: _, ...stream }) => stream);
  }

  /** There are no other nodes. */
  async takenBy(): Promise<RunningStream[]> {
    return [];
  }

  async store(): Promise<void> {
    await this.#loaded();
    await Promise.all([...this.#unstored].map((entry) => this.#store(entry)));
  }

  #refuseAboveTotal(): void {
    if (this.#held >= this.#deps.totalLimit) throw new ServerFull();
  }

  async #store(entry: Entry): Promise<void> {
    const { owner, holder, since } = entry;
    this.#unstored.delete(entry);
    entry.stored = true;
    try {
      await this.#deps.documents.create(COLLECTION, holder, { owner, state: 'running', since });
    } catch (error) {
      entry.stored = false;
      if (this.#of(owner).get(holder) === entry) this.#unstored.add(entry);
      throw error;
    }
  }

  /** Call it again after every `await`: other calls add and remove entries meanwhile. */
  #of(owner: string): ReadonlyMap<string, Entry> {
    return this.#ofOwner.get(owner) ?? NONE;
  }

  #add(entry: Entry): void {
    const own = this.#ofOwner.get(entry.owner) ?? new Map<string, Entry>();
    this.#ofOwner.set(entry.owner, own.set(entry.holder, entry));
    this.#held += 1;
    if (!entry.stored) this.#unstored.add(entry);
  }

  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const found: RunningStream[] = [];
    for await (const page of documentPages(this.#deps.documents, COLLECTION, { where: { state: 'running' } }, PAGE))
      found.push(...page.map(runningStream));
    // Nothing is added before the last page is read: a failed load starts over.
    for (const stream of found) this.#add({ ...stream, stored: true });
  }
}

/** A running stream in its document. */
export const runningStream = ({ id, body }: { readonly id: string; readonly body: Readonly<Record<string, unknown>> }): RunningStream => ({
  owner: String(body.owner),
  holder: id,
  since: Number(body.since),
});
