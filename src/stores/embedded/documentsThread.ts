import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import type { FromWriter, NumberedCall, Outcome, ToWriter, WriteCall, WriterSettings } from './documentsWriter.ts';

/** Worker threads load JavaScript only: a source that runs as it is (in the tests) takes the compiled writer. */
const writerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/stores/embedded/documentsWriter.js' : './documentsWriter.js',
  import.meta.url,
);

/** Documents of a batch that is a message by itself: a read model that is being built goes on while the thread writes the batch of another. */
const LARGE_BATCH = 40;
/** Messages under way: with large batches, the thread never waits for the next one. */
const MOST_MESSAGES = 2;

const isLarge = ({ call }: NumberedCall): boolean => call.kind === 'writeBatch' && call.writes.length >= 3 * LARGE_BATCH;

/** The calls under way to the writer thread. */
export class DocumentsThread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }>();
  readonly #ended: Promise<void>;
  #last = 0;
  /** Not yet sent: of this turn, or come while the thread was at work. */
  #gathered: NumberedCall[] = [];
  /** When this turn ends. */
  #sends = false;
  /** Messages that the thread has not answered. */
  #underWay = 0;
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
      this.#gathered.push({ number: this.#last, call });
      if (!this.#sends) process.nextTick(() => this.#send());
      this.#sends = true;
    });
  }

  close(): Promise<void> {
    while (this.#gathered.length > 0) this.#post(this.#next());
    this.#post('close');
    return this.#ended;
  }

  /** All calls of a turn in one message, and all that come while the thread is at work: a message, and a transaction, cost more than most calls. */
  #send(): void {
    this.#sends = false;
    while (this.#gathered.length > 0 && (this.#underWay === 0 || (this.#underWay < MOST_MESSAGES && this.#gathered.some(isLarge)))) {
      this.#underWay += 1;
      this.#post(this.#next());
    }
  }

  /** A large batch, or all that are gathered before the next one. */
  #next(): NumberedCall[] {
    const large = this.#gathered.findIndex(isLarge);
    return this.#gathered.splice(0, large < 0 ? this.#gathered.length : Math.max(1, large));
  }

  #post(message: ToWriter): void {
    if (!this.#failure) this.#worker.postMessage(message);
  }

  #settle(outcomes: readonly { readonly number: number; readonly outcome: Outcome }[]): void {
    for (const { number, outcome } of outcomes) {
      this.#pending.get(number)?.resolve(outcome);
      this.#pending.delete(number);
    }
    this.#underWay -= 1;
    // Behind those who were waiting for these outcomes: what they ask for next goes with it.
    if (this.#gathered.length > 0) setImmediate(() => this.#send());
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause instanceof Error ? cause : new Error(String(cause));
    for (const { reject } of this.#pending.values()) reject(new StoreUnavailable(this.#failure.message, { cause: this.#failure }));
    this.#pending.clear();
  }
}
