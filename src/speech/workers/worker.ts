import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { Clock } from '../../clock.ts';
import { type EngineProcess, InvalidEngineOutput, startEngine } from '../engineProcess.ts';
import {
  audioLine,
  beginLine,
  END_LINE,
  readWorkerMessage,
  type WorkerMessage,
  type WorkerProgress,
  type WorkerRun,
  type WorkerUtterance,
} from './messages.ts';

export interface WorkerLimits {
  /** A worker that has not loaded its model within this time counts as hanging. */
  readonly startMilliseconds: number;
  /** A worker that has audio but prints nothing for this time counts as hanging. */
  readonly stallMilliseconds: number;
  /** Resident memory. */
  readonly maxBytes: number;
}

/** Audio for a run. `waiting` tells whether the next bytes have yet to arrive: then the worker has nothing to do. */
export interface RunAudio {
  readonly samples: AsyncIterable<Buffer>;
  readonly waiting: () => boolean;
  /** Called after the run has yielded all utterances that the worker sent before this progress. */
  readonly onProgress?: (progress: WorkerProgress) => void;
}

/** The worker is gone or useless. The run can be repeated with another one. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** The engine refused the run; another worker would too. */
export class WorkerRefused extends Error {
  override readonly name = 'WorkerRefused';
}

const LOOK_MILLISECONDS = 1_000;
/** Nice value of a worker for long recordings: below requests and live speech. */
const LOW_PRIORITY = 10;
const PAGE_BYTES = 4_096;
/** Audio is handed over in lines of at most two seconds of one channel. */
const LINE_BYTES = 64_000;

/** One worker process. It serves one run at a time. */
export class SpeechWorker {
  readonly #process: EngineProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #clock: Clock;
  readonly #limits: WorkerLimits;
  readonly #life = new AbortController();
  #engine: string | null = null;
  #heardAt: number;
  #failure: WorkerLost | null = null;
  #dead = false;

  constructor(command: string, args: readonly string[], { clock, limits, low }: { clock: Clock; limits: WorkerLimits; low: boolean }) {
    this.#clock = clock;
    this.#limits = limits;
    this.#process = startEngine(command, args, this.#life.signal, { stdin: true });
    this.#lines = this.#process.lines[Symbol.asyncIterator]();
    this.#heardAt = clock.monotonic();
    void this.#process.exit.then(() => {
      this.#dead = true;
    });
    if (low && this.#process.pid !== undefined) lowerPriority(this.#process.pid);
  }

  /** Whether it can take another run. */
  get alive(): boolean {
    return !this.#dead && !this.#life.signal.aborted;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** An idle worker does not keep the server from ending. */
  holdOpen(hold: boolean): void {
    this.#process.holdOpen(hold);
  }

  kill(): void {
    this.#life.abort();
  }

  /** The engine and its version, once it is loaded. Throws `WorkerLost`, or the signal's reason; then the worker is dead. */
  async engine(signal: AbortSignal): Promise<string> {
    if (this.#engine !== null) return this.#engine;
    const loaded = new AbortController();
    const over = AbortSignal.any([loaded.signal, signal]);
    void this.#clock.pause(this.#limits.startMilliseconds, over).then((pause) => {
      if (pause === 'elapsed') this.#end('did not start in time');
      else if (signal.aborted) this.kill();
    });
    try {
      const first = await this.#next();
      signal.throwIfAborted();
      if (first?.type !== 'ready') throw this.#lost('did not start');
      this.#engine = first.engine;
      return first.engine;
    } finally {
      loaded.abort();
    }
  }

  /**
   * Transcribes the audio; yields utterances as they are heard. Throws `WorkerLost`, `WorkerRefused`, the failure of the audio, or the
   * signal's reason. After a throw, or when the caller stops reading, the worker is dead.
   */
  async *run(run: WorkerRun, audio: RunAudio, signal: AbortSignal): AsyncGenerator<WorkerUtterance> {
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    const over = new AbortController();
    this.#heardAt = this.#clock.monotonic();
    let audioFailure: unknown = null;
    let finished = false;
    try {
      signal.throwIfAborted();
      await this.engine(signal);
      void this.#watch(audio, over.signal);
      const feeding = this.#feed(run, audio.samples).catch((error: unknown) => {
        audioFailure = error ?? new Error('the audio failed');
        this.kill();
      });
      for (let message = await this.#next(); message?.type !== 'done'; message = await this.#next()) {
        if (message === null) throw this.#lost('died');
        if (message.type === 'failed') throw new WorkerRefused(message.reason);
        if (message.type === 'progress') audio.onProgress?.(message);
        if (message.type === 'partial' || message.type === 'final') yield message;
      }
      await feeding;
      if (audioFailure !== null) throw audioFailure;
      finished = true;
    } catch (error) {
      signal.throwIfAborted();
      throw audioFailure ?? error;
    } finally {
      over.abort();
      signal.removeEventListener('abort', abort);
      if (!finished) this.kill();
    }
  }

  async #feed(run: WorkerRun, samples: AsyncIterable<Buffer>): Promise<void> {
    await this.#write(beginLine(run));
    const frame = 2 * run.channels;
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of samples) {
      const data = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = data.byteLength - (data.byteLength % frame);
      const most = LINE_BYTES - (LINE_BYTES % frame);
      for (let at = 0; at < whole; at += most) {
        if (!(await this.#write(audioLine(data.subarray(at, Math.min(whole, at + most)))))) return;
      }
      rest = data.subarray(whole);
    }
    await this.#write(END_LINE);
  }

  #write(line: string): Promise<boolean> {
    return this.#process.write(Buffer.from(`${line}\n`));
  }

  /** `null` when the worker has ended. Throws `WorkerLost` for a line that is not part of the protocol. */
  async #next(): Promise<WorkerMessage | null> {
    try {
      const { value, done } = await this.#lines.next();
      if (done) return null;
      this.#heardAt = this.#clock.monotonic();
      const message = readWorkerMessage(value);
      if (message === null) throw new WorkerLost('The speech engine printed something that is not a transcription.');
      return message;
    } catch (error) {
      if (error instanceof InvalidEngineOutput) throw new WorkerLost('The speech engine printed something that is not a transcription.');
      throw error;
    }
  }

  #lost(how: string): WorkerLost {
    return this.#failure ?? new WorkerLost(`The speech engine ${how}.`);
  }

  /** Kills a worker that hangs or takes too much memory. */
  async #watch(audio: RunAudio, over: AbortSignal): Promise<void> {
    const { stallMilliseconds, maxBytes } = this.#limits;
    const pause = Math.min(LOOK_MILLISECONDS, stallMilliseconds / 4);
    for (let looked = this.#clock.monotonic(); ; ) {
      if ((await this.#clock.pause(pause, over)) === 'aborted') return;
      const now = this.#clock.monotonic();
      // Time in which this process itself was stopped does not count.
      this.#heardAt = Math.min(now, this.#heardAt + Math.max(0, now - looked - pause));
      looked = now;
      if (audio.waiting()) this.#heardAt = now;
      const bytes = await residentBytes(this.#process.pid);
      if (bytes > maxBytes) this.#end(`used more than ${Math.round(maxBytes / 1024 ** 2)} MiB of memory`);
      else if (now - this.#heardAt > stallMilliseconds) this.#end('made no progress');
    }
  }

  #end(how: string): void {
    this.#failure ??= new WorkerLost(`The speech engine ${how} and was stopped.`);
    this.kill();
  }
}

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // The process has already ended; its exit is handled elsewhere.
  }
};

/** Resident memory of a process. 0 on systems other than Linux, which have no `/proc`. */
const residentBytes = async (pid: number | undefined): Promise<number> => {
  const statm = pid === undefined ? '' : await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(statm.split(' ')[1]) || 0) * PAGE_BYTES;
};
