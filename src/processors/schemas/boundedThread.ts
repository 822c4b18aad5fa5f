import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../clock.ts';
import { OVER } from '../../supervision/aborted.ts';
import type { FromThread, SchemaJob, SchemaOutcome } from './messages.ts';

// A thread cannot load TypeScript: from sources (the tests), it is the compiled one.
const BODY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/processors/schemas/schemaThread.js' : './schemaThread.js',
  import.meta.url,
);
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6, stackSizeMb: 2 };
/** A job is ended after this multiple of its CPU limit in wall time, however little CPU it got. */
const PATIENCE = 40;

/** `killed` when the job needed more CPU or memory than it may have. */
export interface BoundedResult {
  readonly outcome: SchemaOutcome | 'killed';
  /** Milliseconds of CPU, starting the thread not counted. */
  readonly used: number;
}

interface Running {
  readonly worker: Worker;
  readonly task: string | null;
}

/** One thread that takes a job at a time. A job that needs too much ends with its thread; the next job starts a new one. */
export class BoundedThread {
  readonly #clock: Clock;
  #running: Promise<Running> | null = null;
  #numbers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never at once: wait for one job before the next. `limit` is in milliseconds of CPU. */
  async run(job: Omit<SchemaJob, 'number'>, limit: number): Promise<BoundedResult> {
    this.#running ??= start();
    const { worker, task } = await this.#running.catch((error: unknown) => {
      this.#running = null;
      throw error;
    });
    const numbered = { ...job, number: ++this.#numbers };
    const over = new AbortController();
    const [cpuAtStart, began] = [threadCpu(task), this.#clock.monotonic()];
    const used = (): number => {
      const now = threadCpu(task);
      return now === null || cpuAtStart === null ? this.#clock.monotonic() - began : now - cpuAtStart;
    };
    try {
      const outcome = await Promise.race([answer(worker, numbered, over.signal), this.#exceeded(used, limit, over.signal)]);
      const spent = used();
      if (outcome === 'killed') await this.#end(worker);
      return { outcome, used: outcome === 'killed' ? Math.max(spent, limit) : spent };
    } finally {
      over.abort(OVER);
    }
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => null);
    if (running) await this.#end(running.worker);
  }

  async #end(worker: Worker): Promise<void> {
    this.#running = null;
    await worker.terminate();
  }

  /** Resolves when the job has used its limit, or when the signal aborts: then the race is over. */
  async #exceeded(used: () => number, limit: number, signal: AbortSignal): Promise<'killed'> {
    const wall = this.#clock.monotonic() + limit * PATIENCE;
    for (let spent = 0; spent < limit && this.#clock.monotonic() < wall; spent = used()) {
      if ((await this.#clock.pause(Math.max(5, limit - spent), signal)) === 'aborted') break;
    }
    return 'killed';
  }
}

const start = (): Promise<Running> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(BODY, { name: 'caller schemas', resourceLimits: MEMORY });
    // The process may end while it idles.
    worker.unref();
    worker.once('message', (message: FromThread) => {
      if ('ready' in message) resolve({ worker, task: message.task });
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread for schemas ended')));
  });

/** Resolves with `killed` when the thread ends on the way: it ran out of memory. */
const answer = (worker: Worker, job: SchemaJob, signal: AbortSignal): Promise<SchemaOutcome | 'killed'> =>
  new Promise((resolve) => {
    const onMessage = (message: FromThread) => {
      if ('number' in message && message.number === job.number) resolve(message.outcome);
    };
    const onEnd = () => resolve('killed');
    worker.on('message', onMessage);
    worker.on('error', onEnd);
    worker.on('exit', onEnd);
    signal.addEventListener('abort', () => {
      worker.off('message', onMessage);
      worker.off('error', onEnd);
      worker.off('exit', onEnd);
    });
    worker.postMessage(job);
  });

/**
 * Milliseconds of CPU that a thread has used, by `/proc/<task>/schedstat` (Linux); `null` where that cannot be read. Time on the wall would
 * blame a schema for a busy machine.
 */
const threadCpu = (task: string | null): number | null => {
  if (task === null) return null;
  try {
    const nanoseconds = Number(readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
    return Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : null;
  } catch {
    return null;
  }
};
