import type { EventLoopUtilityFunction } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';

export interface ThreadHandlers<Message> {
  /** Starts the thread. Throws if it cannot be started. */
  readonly start: () => Worker;
  readonly onMessage: (message: Message) => void;
  /** The thread died: all work sent to it is lost. */
  readonly onLost: (reason: string) => void;
  /** Milliseconds of any clock that never runs back. Default: `performance.now`. */
  readonly now?: () => number;
}

/** Milliseconds between starts while none succeeds: callers would start threads all the time, which takes half a core. */
const PAUSE = 1_000;

const NOT_RUNNING = { idle: 0, active: 0, utilization: 0 };

/** A worker thread of a store. It starts at its first use, and again at the next use after it died; after a failed start, not for a second. */
export class RestartedThread<Message> {
  readonly #handlers: ThreadHandlers<Message>;
  readonly #now: () => number;
  #worker: Worker | null = null;
  /** Whether the running thread has sent anything: its start has succeeded. */
  #works = false;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(handlers: ThreadHandlers<Message>) {
    this.#handlers = handlers;
    this.#now = handlers.now ?? (() => performance.now());
  }

  /** The running thread, or a new one. Throws if none can be started now. */
  get worker(): Worker {
    return this.#worker ?? this.#spawn();
  }

  /** See `performance.eventLoopUtilization`: how long the running thread has been idle and at work. */
  readonly utilization: EventLoopUtilityFunction = (after, before) =>
    this.#worker?.performance.eventLoopUtilization(after, before) ?? NOT_RUNNING;

  /** Treats the thread as dead and ignores its messages. */
  lose(reason: string): void {
    if (!this.#worker) return;
    this.#worker = null;
    if (!this.#works) this.#notBefore = this.#now() + PAUSE;
    this.#handlers.onLost(reason);
  }

  /** Ends the thread with the message `goodbye`. Wait for its work first. */
  async close(goodbye: (worker: Worker) => void): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = null;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    goodbye(worker);
    await ended;
  }

  #spawn(): Worker {
    if (this.#now() < this.#notBefore) throw new Error('it could not be started a moment ago');
    const worker = this.#handlers.start();
    this.#worker = worker;
    this.#works = false;
    worker.on('message', (message: Message) => {
      if (worker !== this.#worker) return;
      this.#handlers.onMessage(message);
      this.#works = true;
    });
    const lost = (reason: string) => {
      if (worker === this.#worker) this.lose(reason);
    };
    worker.on('error', (error) => lost(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => lost('the thread ended'));
    return worker;
  }
}
