import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import type { FromWriter, NumberedCall, Outcome, ToWriter, WriteCall, WriterSettings } from './documentsWriter.ts';

/** Worker threads load JavaScript only: a source that runs as it is (in the tests) takes the compiled writer. */
const writerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/stores/embedded/documentsWriter.js' : './documentsWriter.js',
  import.meta.url,
);

/** The calls under way to the writer thread. */
export class DocumentsThread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }>();
  readonly #ended: Promise<void>;
  #last = 0;
  /** Not yet sent: of this turn, or come while the thread was at work. */
  #gathered: NumberedCall[] = [];
  #atWork = false;
  #failure: Error | undefined;

  constructor(settings: WriterSettings) {
    this.#worker = new Worker(writerFile, { workerData: settings });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWriter) => ('ready' in message ? resolve() : this.#settle(message.outcomes)));
      this.#worker.on('error', (error) => {
        this.#fail(error);
        reject(
          new StoreUnavailable(`${settings.file} cannot be opened: ${error instanceof Error ? error.message : error}`, { cause: error }),
        );
      });
      this.#worker.once('exit', (code) => reject(new StoreUnavailable(`${settings.file} cannot be opened: its thread ended with ${code}`)));
    });
    this.#ended = new Promise((resolve) =>
      this.#worker.on('exit', () => {
        this.#fail(new Error('the documents are closed'));
        resolve();
      }),
    );
  }

  call(call: WriteCall): Promise<Outcome> {
    if (this.#failure) return Promise.reject(new StoreUnavailable(this.#failure.message, { cause: this.#failure }));
    return new Promise((resolve, reject) => {
      this.#last += 1;
      this.#pending.set(this.#last, { resolve, reject });
      if (this.#gathered.push({ number: this.#last, call }) === 1 && !this.#atWork) process.nextTick(() => this.#send());
    });
  }

  close(): Promise<void> {
    this.#send();
    if (!this.#failure) this.#post('close');
    return this.#ended;
  }

  /** All calls of a turn in one message, and all that come while the thread is at work: a message, and a transaction, cost more than most calls. */
  #send(): void {
    if (this.#gathered.length === 0) return;
    const calls = this.#gathered;
    this.#gathered = [];
    this.#atWork = true;
    if (!this.#failure) this.#post(calls);
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #settle(outcomes: readonly { readonly number: number; readonly outcome: Outcome }[]): void {
    for (const { number, outcome } of outcomes) {
      this.#pending.get(number)?.resolve(outcome);
      this.#pending.delete(number);
    }
    this.#atWork = false;
    // Behind those who were waiting for these outcomes: what they ask for next goes with it.
    if (this.#gathered.length > 0) setImmediate(() => this.#send());
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause instanceof Error ? cause : new Error(String(cause));
    for (const { reject } of this.#pending.values()) reject(new StoreUnavailable(this.#failure.message, { cause: this.#failure }));
    this.#pending.clear();
  }
}
