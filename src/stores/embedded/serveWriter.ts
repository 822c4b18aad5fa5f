import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { sqliteCode } from './sqlite.ts';

/**
 * The thread's side of the protocol between a store and the thread that writes its file (`writerThread.ts` has the other side). All calls that
 * wait at the start of a turn become one transaction with one sync, and each gets its own outcome, in the order of the calls.
 */

/** A store in its thread. */
export interface StoreWriter<Call, Result> {
  readonly database: DatabaseSync;
  /** Performs a call within a transaction. */
  run(call: Call): Result;
  /** The transaction is not stored: forgets what it noted. */
  rolledBack?(): void;
  /** After the commit, before the answers. */
  committed?(): void;
  /** Removes deleted bytes from the files; `false` if they are in use. */
  purge(): boolean;
  /** After the answers. */
  tidy?(): void;
}

/** `failed`: SQLite's code, or empty for an error in the program. Nothing of the call is stored, as far as the writer knows. */
export interface Failed {
  readonly failed: string;
  readonly message: string;
}

/** Calls, or `close`, which the end of the thread answers. */
export type ToWriter<Call> = readonly (Call | 'purge')[] | 'close';

export type FromWriter<Result, Opened> =
  /** Once, at the start. */
  | { readonly opened: Opened }
  /** The file cannot be used, and the thread ends. */
  | { readonly refused: string }
  | { readonly outcomes: readonly (Result | Failed | null)[] };

const failure = (error: unknown): Failed => ({
  failed: sqliteCode(error) ?? '',
  message: error instanceof Error ? error.message : String(error),
});

class Serving<Call, Result> {
  readonly #port: MessagePort;
  readonly #writer: StoreWriter<Call, Result>;
  readonly #begin;
  readonly #commit;
  #waiting: (Call | 'purge')[] = [];

  constructor(port: MessagePort, writer: StoreWriter<Call, Result>) {
    this.#port = port;
    this.#writer = writer;
    this.#begin = writer.database.prepare('BEGIN IMMEDIATE');
    this.#commit = writer.database.prepare('COMMIT');
  }

  start(): void {
    this.#port.on('message', (message: ToWriter<Call>) => (message === 'close' ? this.#close() : this.#take(message)));
  }

  #take(calls: readonly (Call | 'purge')[]): void {
    // The turn starts when all messages that have arrived are received.
    if (this.#waiting.length === 0) setImmediate(() => this.#turn());
    for (const call of calls) this.#waiting.push(call);
  }

  #close(): void {
    this.#turn();
    this.#writer.database.close();
    this.#port.close();
  }

  #turn(): void {
    const calls = this.#waiting;
    if (calls.length === 0) return;
    this.#waiting = [];
    const outcomes = this.#perform(calls);
    this.#writer.committed?.();
    if (calls.includes('purge') && !this.#writer.purge())
      for (const [n, call] of calls.entries()) if (call === 'purge') outcomes[n] = IN_USE;
    this.#port.postMessage({ outcomes } satisfies FromWriter<Result, unknown>);
    this.#writer.tidy?.();
  }

  /** Together, or each alone if that fails: one call must not fail the others. */
  #perform(calls: readonly (Call | 'purge')[]): (Result | Failed | null)[] {
    const together = this.#transaction(calls);
    if (Array.isArray(together)) return together;
    return calls.length === 1 ? [together] : calls.map((call) => this.#perform([call])[0] ?? null);
  }

  #transaction(calls: readonly (Call | 'purge')[]): (Result | null)[] | Failed {
    try {
      this.#begin.run();
      const results = calls.map((call) => (call === 'purge' ? null : this.#writer.run(call)));
      this.#commit.run();
      return results;
    } catch (error) {
      // If this fails too, the thread ends and a new one starts.
      if (this.#writer.database.isTransaction) this.#writer.database.exec('ROLLBACK');
      this.#writer.rolledBack?.();
      return failure(error);
    }
  }
}

const IN_USE: Failed = { failed: 'SQLITE_BUSY', message: 'the write-ahead log is being read' };

/** Opens the file, reports that at `port`, then performs and answers the calls that arrive there. */
export const serveWriter = <Call, Result, Opened>(
  port: MessagePort,
  open: () => { readonly writer: StoreWriter<Call, Result>; readonly opened: Opened },
): void => {
  const say = (message: FromWriter<Result, Opened>) => port.postMessage(message);
  try {
    const { writer, opened } = open();
    new Serving(port, writer).start();
    say({ opened });
  } catch (error) {
    say({ refused: error instanceof Error ? error.message : String(error) });
  }
};

/** Runs `serve` if this is the thread of a writer, with what `WriterThread` passed. */
export const inWriterThread = <Data>(serve: (port: MessagePort, data: Data) => void): void => {
  if (parentPort) serve(parentPort, workerData as Data);
};
