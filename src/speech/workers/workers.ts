import type { Clock } from '../../clock.ts';
import type { WorkerRun, WorkerUtterance } from './messages.ts';
import { type RunAudio, SpeechWorker, type WorkerLimits } from './worker.ts';

/** What a worker has loaded. */
export type WorkerEngine =
  | { readonly engine: 'moonshine' }
  /** Cuts the audio only: an utterance has one word without text. */
  | { readonly engine: 'voice' }
  | { readonly engine: 'whisper'; readonly folder: string; readonly bytes: number };

export interface SpeechWorkersSettings {
  readonly clock: Clock;
  /** Python of the virtual environment that holds the engines. */
  readonly python: string;
  /** Path of `speech/worker.py`. */
  readonly script: string;
  /** CPU threads of one worker. */
  readonly threads: number;
  readonly idleMilliseconds: number;
  /** `maxBytes` does not include the model. */
  readonly limits: WorkerLimits;
}

export interface WorkerTask {
  readonly engine: WorkerEngine;
  readonly run: WorkerRun;
  readonly audio: RunAudio;
  /** Lower process priority, for a long recording. */
  readonly low: boolean;
  readonly signal: AbortSignal;
  /** Called with the engine and its version before the first utterance. */
  readonly onEngine: (engine: string) => void;
}

interface Idle {
  readonly key: string;
  readonly worker: SpeechWorker;
  readonly stop: AbortController;
}

/** Memory allowed for a model, as a multiple of its file: while it is loading, the file is in memory too. */
const MODEL_SHARE = 2;

/** Speech workers: started on demand, kept with their loaded model between runs, ended after some idle minutes. */
export class SpeechWorkers {
  readonly #settings: SpeechWorkersSettings;
  readonly #all = new Set<SpeechWorker>();
  #idle: Idle[] = [];
  #closed = false;

  constructor(settings: SpeechWorkersSettings) {
    this.#settings = settings;
  }

  /** Process ids of all workers, busy and idle. */
  get pids(): readonly number[] {
    return [...this.#all].flatMap(({ alive, pid }) => (alive && pid !== undefined ? [pid] : []));
  }

  /** Runs one task on a free worker, or on a new one. Throws as `SpeechWorker.run` does. */
  async *run(task: WorkerTask): AsyncGenerator<WorkerUtterance> {
    const key = JSON.stringify([task.engine, task.low]);
    const worker = this.#take(key) ?? this.#start(task);
    let ended = false;
    try {
      task.signal.throwIfAborted();
      task.onEngine(await worker.engine(task.signal));
      yield* worker.run(task.run, task.audio, task.signal);
      ended = true;
    } finally {
      if (ended && worker.alive && !this.#closed) this.#keep(key, worker);
      else this.#discard(worker);
    }
  }

  close(): void {
    this.#closed = true;
    for (const { stop } of this.#idle) stop.abort();
    for (const worker of this.#all) worker.kill();
    this.#all.clear();
    this.#idle = [];
  }

  #take(key: string): SpeechWorker | null {
    const idle = this.#idle.findLast((one) => one.key === key && one.worker.alive);
    if (!idle) return null;
    this.#idle = this.#idle.filter((one) => one !== idle);
    idle.stop.abort();
    idle.worker.holdOpen(true);
    return idle.worker;
  }

  #start({ engine, low }: WorkerTask): SpeechWorker {
    const { clock, python, script, threads, limits } = this.#settings;
    const model = engine.engine === 'whisper' ? ['--model', engine.folder] : [];
    const own = engine.engine === 'whisper' ? { ...limits, maxBytes: limits.maxBytes + MODEL_SHARE * engine.bytes } : limits;
    // -I: neither the environment nor the working directory can change what Python loads.
    const args = ['-I', '-u', script, engine.engine, '--threads', String(threads), ...model];
    const worker = new SpeechWorker(python, args, { clock, limits: own, low });
    this.#all.add(worker);
    return worker;
  }

  #keep(key: string, worker: SpeechWorker): void {
    const stop = new AbortController();
    const idle = { key, worker, stop };
    this.#idle.push(idle);
    worker.holdOpen(false);
    void this.#settings.clock.pause(this.#settings.idleMilliseconds, stop.signal).then((pause) => {
      if (pause === 'aborted') return;
      this.#idle = this.#idle.filter((one) => one !== idle);
      this.#discard(worker);
    });
  }

  #discard(worker: SpeechWorker): void {
    worker.kill();
    this.#all.delete(worker);
  }
}
