import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../eventStore.ts';
import { AnswersInOrder } from './answersInOrder.ts';
import { DataDirectoryRefused } from './dataDirectory.ts';
import type { Answer, FromWriter, ToWriter, Work, WriterData } from './logMessages.ts';
import { RestartedThread } from './restartedThread.ts';

/** Starts the thread that writes the file. Tests inject their own to kill it. */
export type StartWriter = (data: WriterData) => Worker;

// Worker threads cannot load TypeScript: when running from sources (tests), the compiled file is loaded.
const WRITER = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/stores/embedded/logWriter.js' : './logWriter.js', import.meta.url);

export const startLogWriter: StartWriter = (workerData) => new Worker(WRITER, { workerData, name: 'log-writer' });

/** Work is sent after this many pieces: the thread begins while the rest is still being made. */
const CHUNK = 8;

type Ready = Extract<FromWriter, { kind: 'ready' }>;

/**
 * The main thread's side of the writer thread. Work is collected (at most until the turn ends), sent, and answered in order. If the thread dies,
 * all work in flight is answered `failed`; the next piece of work starts a new thread, at least a second after a failed start.
 */
export class WriterThread {
  readonly #file: string;
  readonly #start: StartWriter;
  readonly #onHead: (head: number) => void;
  readonly #thread: RestartedThread<FromWriter>;
  /** Notifies the thread of a message. */
  #sent = new Int32Array(new SharedArrayBuffer(4));
  /** Collected in this turn, not yet sent. */
  #gathered: Work[] = [];
  readonly #answers = new AnswersInOrder<Answer>();

  /** `onHead` gets the last position after every transaction that moved it, before its callers are answered. */
  constructor(file: string, onHead: (head: number) => void, start: StartWriter = startLogWriter) {
    this.#file = file;
    this.#onHead = onHead;
    this.#start = start;
    this.#thread = new RestartedThread({
      start: () => this.#spawn(),
      onMessage: (message) => this.#hear(message),
      onLost: (reason) => this.#fail(this.#answers.waiting - this.#gathered.length, reason),
    });
  }

  /** Opens the log. Rejects with `DataDirectoryRefused` if it cannot be used. */
  open(): Promise<Ready> {
    return new Promise((resolve, reject) => {
      const { worker } = this.#thread;
      worker.once('message', (message: FromWriter) => {
        if (message.kind === 'ready') resolve(message);
        else if (message.kind === 'refused') reject(new DataDirectoryRefused(message.message));
      });
      const ended = (why: string) => reject(new StoreUnavailable(`The writer of ${this.#file} ended: ${why}`));
      worker.once('error', (error) => ended(error.message));
      worker.once('exit', (code) => ended(`exit code ${code}`));
    });
  }

  /** `settle` is called once, never before this returns. */
  submit(work: Work, settle: (answer: Answer) => void): void {
    if (this.#gathered.length === 0) process.nextTick(() => this.#send());
    this.#gathered.push(work);
    this.#answers.expect(settle);
    if (this.#gathered.length === CHUNK) this.#send();
  }

  /** Waits for all work submitted before, then ends the thread. */
  async close(): Promise<void> {
    await this.#answers.idle();
    await this.#thread.close((worker) => this.#say(worker, 'close'));
  }

  #send(): void {
    if (this.#gathered.length === 0) return;
    const work = this.#gathered;
    this.#gathered = [];
    try {
      this.#say(this.#thread.worker, work);
    } catch (error) {
      // No thread could be started, so nothing else is in flight.
      const reason = error instanceof Error ? error.message : String(error);
      process.nextTick(() => this.#fail(work.length, reason));
    }
  }

  #say(worker: Worker, message: ToWriter): void {
    worker.postMessage(message);
    Atomics.add(this.#sent, 0, 1);
    Atomics.notify(this.#sent, 0);
  }

  #spawn(): Worker {
    this.#sent = new Int32Array(new SharedArrayBuffer(4));
    return this.#start({ file: this.#file, sent: this.#sent });
  }

  #hear(message: FromWriter): void {
    if (message.kind === 'refused') {
      this.#thread.lose(message.message);
      return;
    }
    this.#onHead(message.head);
    if (message.kind === 'answers') for (const answer of message.answers) this.#answers.settle(answer);
  }

  /** Answers the oldest ones: sent work is lost; collected work goes to the next thread. */
  #fail(count: number, why: string): void {
    this.#answers.settleOldest(count, ['failed', 'WRITER_ENDED', why]);
  }
}
