import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import { DataDirectoryRefused } from './dataDirectory.ts';
import type { Failed, FromWriter, ToWriter } from './serveWriter.ts';

/** Starts the thread that writes a file. Tests inject their own to kill it. */
export type StartWriter<Data> = (data: Data) => Worker;

/** Starts a file of this folder as a thread. Threads cannot load TypeScript: when running from sources (tests), the compiled file is loaded. */
export const threadOf =
  <Data>(file: 'logWriter' | 'documentsWriter' | 'copyThread'): StartWriter<Data> =>
  (workerData) => {
    const path = import.meta.url.endsWith('.ts') ? `../../../dist/stores/embedded/${file}.js` : `./${file}.js`;
    return new Worker(new URL(path, import.meta.url), { workerData, name: file });
  };

export interface WriterThreadOptions<Opened> {
  /** Subject of the error messages. */
  readonly what: string;
  readonly start: () => Worker;
  /** Called by each thread that has opened the file, before its first answer. */
  readonly onOpened?: (opened: Opened) => void;
  /** Monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

interface Caller<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** Calls are sent after this many: the thread begins while the rest of the turn's calls are still being made. */
const CHUNK = 8;
/** Milliseconds after a failed start. Without this pause, callers that retry start threads continuously, which takes half a core. */
const PAUSE = 1_000;

/**
 * The main thread's side of the thread that writes a store's file (`serveWriter.ts` has the other side). Calls are collected until the end of the
 * turn, sent, and answered in order. When the thread dies, all sent calls reject with `StoreUnavailable`, and what they did is unknown; the next call
 * starts a new thread, at least a second after a failed start.
 */
export class WriterThread<Call, Result, Opened = null> {
  readonly #options: WriterThreadOptions<Opened>;
  readonly #now: () => number;
  #worker: Worker | null = null;
  /** When the next thread may start. A thread that has opened the file needs no pause. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #lastReason = '';
  /** Not sent yet. */
  #gathered: (Call | 'purge')[] = [];
  /** In the order of their calls, those of sent ones first. */
  #callers: Caller<Result | null>[] = [];
  #opening: Caller<undefined> | null = null;
  #closed = false;
  #onIdle: (() => void) | null = null;

  constructor(options: WriterThreadOptions<Opened>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Opens the file. Rejects with `DataDirectoryRefused` if it cannot be used. */
  open(): Promise<undefined> {
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject };
      this.#spawn();
    });
  }

  async call(call: Call): Promise<Result> {
    // Only a purge has the result `null`.
    return (await this.#ask(call)) as Result;
  }

  /** Resolves when the store's files contain no deleted bytes. */
  async purge(): Promise<void> {
    await this.#ask('purge');
  }

  /** Waits for all calls made before, then ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#callers.length > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = null;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies ToWriter<Call>);
    await ended;
  }

  #ask(call: Call | 'purge'): Promise<Result | null> {
    if (this.#closed) return Promise.reject(new StoreUnavailable(`${this.#options.what} is closed.`));
    return new Promise((resolve, reject) => {
      this.#callers.push({ resolve, reject });
      if (this.#gathered.push(call) === 1) process.nextTick(() => this.#send());
      if (this.#gathered.length === CHUNK) this.#send();
    });
  }

  #send(): void {
    const calls = this.#gathered;
    if (calls.length === 0) return;
    this.#gathered = [];
    try {
      (this.#worker ?? this.#spawn()).postMessage(calls satisfies ToWriter<Call>);
    } catch (error) {
      // No thread could be started, so nothing else has been sent.
      this.#fail(calls.length, error instanceof Error ? error.message : String(error));
    }
  }

  #spawn(): Worker {
    if (this.#now() < this.#notBefore)
      throw new Error(`its thread did not start (${this.#lastReason}); the next attempt is within a second`);
    this.#notBefore = this.#now() + PAUSE;
    const worker = this.#options.start();
    this.#worker = worker;
    worker.on('message', (message: FromWriter<Result, Opened>) => worker === this.#worker && this.#hear(message));
    const lost = (reason: string) => worker === this.#worker && this.#lose(new StoreUnavailable(reason));
    worker.on('error', (error) => lost(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => lost('its thread ended'));
    return worker;
  }

  #hear(message: FromWriter<Result, Opened>): void {
    if ('refused' in message) this.#lose(new DataDirectoryRefused(message.refused));
    else if ('outcomes' in message) this.#settle(message.outcomes);
    else {
      this.#notBefore = Number.NEGATIVE_INFINITY;
      this.#options.onOpened?.(message.opened);
      this.#opening?.resolve(undefined);
    }
  }

  #settle(outcomes: readonly (Result | Failed | null)[]): void {
    const callers = this.#callers.splice(0, outcomes.length);
    for (const [n, { resolve, reject }] of callers.entries()) {
      const outcome = outcomes[n] ?? null;
      if (isFailed(outcome)) reject(this.#error(outcome));
      else resolve(outcome);
    }
    if (this.#callers.length === 0) this.#onIdle?.();
  }

  /** Calls that are not sent yet go to the next thread. */
  #lose(reason: Error): void {
    this.#worker = null;
    this.#lastReason = reason.message;
    this.#opening?.reject(reason);
    this.#fail(this.#callers.length - this.#gathered.length, reason.message);
  }

  #fail(count: number, reason: string): void {
    this.#settle(Array.from({ length: count }, () => ({ failed: 'WRITER_ENDED', message: reason })));
  }

  /** A statement that SQLite does not understand is an error in the program; everything else comes from the disk or the file. */
  #error({ failed: code, message }: Failed): Error {
    if (code === '' || code === 'SQLITE_ERROR') return new Error(message);
    const reason = code === 'SQLITE_FULL' ? 'the disk is full' : `${message} (${code})`;
    return new StoreUnavailable(`${this.#options.what} cannot write at the moment: ${reason}. Try again.`);
  }
}

const isFailed = (outcome: unknown): outcome is Failed => typeof outcome === 'object' && outcome !== null && 'failed' in outcome;
