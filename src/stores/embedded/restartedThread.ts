import type { EventLoopUtilityFunction } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';

export interface ThreadHandlers<Message> {
  /** Starts the thread. Throws if it cannot be started. */
  readonly start: () => Worker;
  readonly onMessage: (message: Message) => void;
  /** The thread died: all work sent to it is lost. */
  readonly onLost: (reason: string) => void;
}

const NOT_RUNNING = { idle: 0, active: 0, utilization: 0 };

/** A worker thread of a store. It starts at its first use, and again at the next use after it died. */
export class RestartedThread<Message> {
  readonly #handlers: ThreadHandlers<Message>;
  #worker: Worker | null = null;

  constructor(handlers: ThreadHandlers<Message>) {
    this.#handlers = handlers;
  }

  /** The running thread, or a new one. */
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
    const worker = this.#handlers.start();
    this.#worker = worker;
    worker.on('message', (message: Message) => {
      if (worker === this.#worker) this.#handlers.onMessage(message);
    });
    const lost = (reason: string) => {
      if (worker === this.#worker) this.lose(reason);
    };
    worker.on('error', (error) => lost(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => lost('the thread ended'));
    return worker;
  }
}
