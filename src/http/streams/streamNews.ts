import type { Clock } from '../../clock.ts';
import type { StreamEvent } from '../../domain/stream/events.ts';
import type { EventStore } from '../../stores/eventStore.ts';
import { supervise } from '../../supervision/supervise.ts';

/** Announces when a stream is created, one of its runs starts, or it ends, so that waiting requests can poll rarely. Works on any node. */
export interface StreamNews {
  /** `id` of a stream, or of a group for news of its streams. Call `stop` at the end. */
  listen(id: string): NewsListener;
}

export interface NewsListener {
  /** Whether there is news: `true` at once if there was some since the last call, `false` after `milliseconds`. Rejects when the signal aborts. */
  next(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  stop(): void;
}

export interface StreamNewsDeps {
  readonly store: Pick<EventStore, 'subscribe' | 'head'>;
  readonly clock: Clock;
}

const TYPES = [
  'StreamCreated',
  'ProcessorStarted',
  'StreamCompleted',
  'StreamFailed',
  'StreamCanceled',
  'StreamExpired',
] satisfies StreamEvent['type'][];

/** Follows the log while there are listeners. */
export const openStreamNews = (deps: StreamNewsDeps): StreamNews => new LogNews(deps);

class LogNews implements StreamNews {
  readonly #deps: StreamNewsDeps;
  readonly #listeners = new Map<string, Set<Listener>>();
  #following: AbortController | null = null;

  constructor(deps: StreamNewsDeps) {
    this.#deps = deps;
  }

  listen(id: string): NewsListener {
    const listener = new Listener(this.#deps.clock, () => this.#left(id, listener));
    this.#listeners.set(id, (this.#listeners.get(id) ?? new Set()).add(listener));
    if (!this.#following) {
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    }
    return listener;
  }

  #left(id: string, listener: Listener): void {
    const listeners = this.#listeners.get(id);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(id);
    if (this.#listeners.size > 0) return;
    this.#following?.abort();
    this.#following = null;
  }

  /** Failures need not be logged: listeners poll as well. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    let isFirst = true;
    await supervise(
      async (progressed) => {
        const after = await store.head();
        // There may have been news since the last subscription broke off.
        if (!isFirst) for (const id of this.#listeners.keys()) this.#tell(id);
        isFirst = false;
        for await (const item of store.subscribe({ after, filter: { types: TYPES }, signal })) {
          progressed();
          if (item.kind === 'caughtUp') continue;
          this.#tell(item.event.eventStream.slice('stream-'.length));
          if (typeof item.event.data.groupId === 'string') this.#tell(item.event.data.groupId);
        }
      },
      { clock, signal },
    );
  }

  #tell(id: string): void {
    for (const listener of this.#listeners.get(id) ?? []) listener.tell();
  }
}

class Listener implements NewsListener {
  readonly #clock: Clock;
  readonly #left: () => void;
  #news = false;
  #told = new AbortController();

  constructor(clock: Clock, left: () => void) {
    this.#clock = clock;
    this.#left = left;
  }

  tell(): void {
    this.#news = true;
    this.#told.abort();
  }

  async next(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#news) {
      await this.#clock.pause(milliseconds, AbortSignal.any([signal, this.#told.signal]));
      signal.throwIfAborted();
    }
    const news = this.#news;
    if (news) this.#told = new AbortController();
    this.#news = false;
    return news;
  }

  stop(): void {
    this.#left();
  }
}
