import type { Worker } from 'node:worker_threads';

export interface ThreadHandlers<Message> {
  /** Starts the thread. Throws if it cannot be started. */
  readonly start: () => Worker;
  readonly onMessage: (message: Message) => void;
  /** The thread died: all work sent to it is lost. */
  readonly onLost: (reason: string) => void;
  /** Monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

/** Milliseconds after a failed start. Without this pause, callers that retry start threads continuously, which takes half a core. */
const PAUSE = 1_000;

const NOT_RUNNING = { idle: 0, active: 0, utilization: 0 };

/** A worker thread of a store. Starts at its first use, and restarts at the next use after it died. After a failed start, it waits a second. */
export class RestartedThread<Message> {
  readonly #handlers: ThreadHandlers<Message>;
  readonly #now: () => number;
  #worker: Worker | null = null;
  /** When the next thread may start. A thread that sends a message has started, and needs no pause. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #lastReason = '';

  constructor(handlers: ThreadHandlers<Message>) {
    this.#handlers = handlers;
    this.#now = handlers.now ?? (() => performance.now());
  }

  /** The running thread, or a new one. Throws if none can be started now. */
  get worker(): Worker {
    return this.#worker ?? this.#spawn();
  }

  /** See `performance.eventLoopUtilization`: how long the running thread has been idle and at work. */
  readonly utilization: typeof performance.eventLoopUtilization = (after, before) =>
    this.#worker?.performance.eventLoopUtilization(after, before) ?? NOT_RUNNING;

  /** Treats the thread as dead and ignores its messages. */
  lose(reason: string): void {
    if (!this.#worker) return;
    this.#worker = null;
    this.#lastReason = reason;
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
    if (this.#now() < this.#notBefore)
      throw new Error(`its thread did not start (${this.#lastReason}); the next attempt is within a second`);
    this.#notBefore = this.#now() + PAUSE;
    const worker = this.#handlers.start();
    this.#worker = worker;
    worker.on('message', (message: Message) => {
      if (worker !== this.#worker) return;
      this.#handlers.onMessage(message);
      if (worker === this.#worker) this.#notBefore = Number.NEGATIVE_INFINITY;
    });
    const lost = (reason: string) => {
      if (worker === this.#worker) this.lose(reason);
    };
    worker.on('error', (error) => lost(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => lost('the thread ended'));
    return worker;
  }
}
