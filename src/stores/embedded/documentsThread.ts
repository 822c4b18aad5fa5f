import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import { AnswersInOrder } from './answersInOrder.ts';
import type { FromWriter, Outcome, ToWriter, WriteCall, WriterSettings } from './documentsWriter.ts';
import { RestartedThread } from './restartedThread.ts';

/** Worker threads load JavaScript only: when running from sources (tests), the compiled writer is loaded. */
const WRITER = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/stores/embedded/documentsWriter.js' : './documentsWriter.js',
  import.meta.url,
);

/** Starts the thread that writes the file. Tests inject their own to kill it. */
export type StartDocumentsWriter = (settings: WriterSettings) => Worker;

const startDocumentsWriter: StartDocumentsWriter = (workerData) => new Worker(WRITER, { workerData, name: 'documents-writer' });

/**
 * The main thread's side of the documents' writer. When the thread dies, calls already sent reject with `StoreUnavailable`; the next call starts a
 * new thread, at least a second after a failed start.
 */
export class DocumentsThread {
  readonly #file: string;
  readonly #thread: RestartedThread<FromWriter>;
  /** Outcomes of the calls, or an error if the thread has ended. */
  readonly #answers = new AnswersInOrder<Outcome | Error>();
  /** Not yet sent: calls of this turn, and those made while the thread is busy. */
  #gathered: WriteCall[] = [];
  #atWork = false;
  #closed = false;
  #onReady: { readonly resolve: () => void; readonly reject: (error: Error) => void } = { resolve: () => {}, reject: () => {} };

  constructor(settings: WriterSettings, start: StartDocumentsWriter = startDocumentsWriter) {
    this.#file = settings.file;
    this.#thread = new RestartedThread({
      start: () => start(settings),
      onMessage: (message) => ('ready' in message ? this.#onReady.resolve() : this.#settle(message.outcomes)),
      onLost: (reason) => this.#lost(reason),
    });
  }

  readonly utilization: typeof performance.eventLoopUtilization = (after, before) => this.#thread.utilization(after, before);

  /** Opens the file. Rejects with `StoreUnavailable` when it cannot be opened. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onReady = { resolve, reject };
      void this.#thread.worker;
    });
  }

  call(call: WriteCall): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('the documents are closed'));
    return new Promise((resolve, reject) => {
      this.#answers.expect((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      if (this.#gathered.push(call) === 1 && !this.#atWork) process.nextTick(() => this.#send());
    });
  }

  /** Waits for all calls made before. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#answers.idle();
    await this.#thread.close((worker) => worker.postMessage('close' satisfies ToWriter));
  }

  /** Sends all calls of a turn, or those made while the thread was busy, in one message: a message and a transaction cost more than most calls. */
  #send(): void {
    if (this.#gathered.length === 0) return;
    const calls = this.#gathered;
    this.#gathered = [];
    this.#atWork = true;
    try {
      this.#thread.worker.postMessage(calls satisfies ToWriter);
    } catch (error) {
      // No thread could be started.
      this.#fail(calls.length, error instanceof Error ? error.message : String(error));
    }
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) this.#answers.settle(outcome);
    this.#proceed();
  }

  /** Rejects calls already sent; unsent ones go to the next thread. */
  #lost(reason: string): void {
    this.#onReady.reject(new StoreUnavailable(`${this.#file} cannot be opened: ${reason}`));
    this.#fail(this.#answers.waiting - this.#gathered.length, reason);
  }

  #fail(count: number, reason: string): void {
    this.#answers.settleOldest(count, new StoreUnavailable(`the writer of ${this.#file} ended: ${reason}`));
    this.#proceed();
  }

  #proceed(): void {
    this.#atWork = false;
    // Sent after these outcomes are delivered, so that follow-up calls join this message.
    if (this.#gathered.length > 0) setImmediate(() => this.#send());
  }
}
