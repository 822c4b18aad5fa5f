import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import { EngineRubbish, startEngine } from '../engineProcess.ts';
import { ProcessorError } from '../processor.ts';
import type { ChannelMerge, ChannelUtterance } from './channelMerge.ts';
import type { Manner, PocketSphinx } from './pocketSphinx.ts';

export interface Listening {
  readonly engine: PocketSphinx;
  readonly clock: Clock;
  /** An engine that shows no progress for this time plus the length of the audio so far is taken to hang. */
  readonly stallMilliseconds: number;
}

/** Where the samples of a run come from. */
export interface Recording {
  /** Decodes into the FIFOs as fast as they are read, telling the milliseconds decoded so far. Resolves with the whole length. */
  decode(fifos: readonly string[], onProgress: (milliseconds: number) => void, signal: AbortSignal): Promise<number>;
  /** Whether the run waits for bytes that have yet to come: then the engine has nothing to do. */
  readonly waiting?: () => boolean;
}

const failed = (message: string, retryable = false) => new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', message, retryable);

/** How long an engine that broke off has to be heard before the decoder, which then cannot write, is blamed. */
const BLAME_MILLISECONDS = 200;

/**
 * One run of the engine over a recording: a decoder that feeds one recogniser a channel through FIFOs, so that nothing is stored and memory is
 * bounded whatever the length. All of them live and die together; the first failure is the run's.
 */
export class EngineRun {
  readonly #listening: Listening;
  readonly #aborted: AbortController;
  readonly #signal: AbortSignal;
  readonly #merge: ChannelMerge;
  readonly #take: (utterance: ChannelUtterance) => Promise<void>;
  #taking: Promise<void> = Promise.resolve();
  #engineFailure: Error | null = null;
  #progressAt: number;
  #audioLength = 0;

  constructor(listening: Listening, merge: ChannelMerge, take: (utterance: ChannelUtterance) => Promise<void>, signal: AbortSignal) {
    this.#listening = listening;
    this.#merge = merge;
    this.#take = take;
    this.#aborted = new AbortController();
    this.#signal = AbortSignal.any([signal, this.#aborted.signal]);
    this.#progressAt = listening.clock.monotonic();
  }

  /** Resolves with the length of the audio in milliseconds. Rejects with `ProcessorError`, or with the signal's reason. */
  async listen(recording: Recording, fifos: readonly string[], manner: Manner): Promise<number> {
    await promisify(execFile)('mkfifo', ['-m', '600', ...fifos]);
    const ended = new AbortController();
    const watch = this.#watch(recording, ended.signal);
    const decoding = this.#decode(recording, fifos);
    const outcomes = await Promise.allSettled([decoding, ...fifos.map((fifo, channel) => this.#hear(fifo, channel, manner))]);
    ended.abort();
    await watch;
    if (this.#engineFailure) throw this.#engineFailure;
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    await this.#taking;
    return this.#audioLength;
  }

  async #decode(recording: Recording, fifos: readonly string[]): Promise<void> {
    try {
      const progress = (length: number) => {
        if (length !== this.#audioLength) this.#progressAt = this.#listening.clock.monotonic();
        this.#audioLength = length;
      };
      await recording.decode(fifos, progress, this.#signal);
    } catch (error) {
      if (!this.#signal.aborted) await this.#listening.clock.pause(BLAME_MILLISECONDS);
      this.#aborted.abort(error);
      throw error;
    }
  }

  async #hear(fifo: string, channel: number, manner: Manner): Promise<void> {
    const { engine, clock } = this.#listening;
    try {
      const process = startEngine(engine.command, engine.args(fifo, manner), this.#signal);
      for await (const utterance of engine.read(process.lines)) {
        this.#progressAt = clock.monotonic();
        this.#merge.add(channel, utterance);
        this.#pass();
      }
      const { code, signal } = await process.exit;
      this.#signal.throwIfAborted();
      if (signal !== null) throw failed(`The speech engine crashed (${signal}).`, signal === 'SIGKILL');
      if (code === 127) throw failed('The speech engine could not be started.', true);
      if (code !== 0) throw failed(`The speech engine failed (exit code ${code}).`);
      this.#merge.end(channel);
      this.#pass();
      await this.#taking;
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      this.#engineFailure ??=
        error instanceof EngineRubbish ? failed('The speech engine printed what is no transcription.') : asError(error);
      this.#aborted.abort(this.#engineFailure);
      throw this.#engineFailure;
    }
  }

  /** Hands on what can be put in order by now, one after another. */
  #pass(): void {
    this.#taking = this.#taking.then(async () => {
      for (let next = this.#merge.next(); next; next = this.#merge.next()) await this.#take(next);
    });
    // A failure is heard by whoever awaits; this keeps it from being unhandled until then.
    this.#taking.catch(() => {});
  }

  async #watch(recording: Recording, ended: AbortSignal): Promise<void> {
    const { clock, stallMilliseconds } = this.#listening;
    const pause = Math.min(1_000, stallMilliseconds / 4);
    const over = AbortSignal.any([ended, this.#signal]);
    for (let looked = clock.monotonic(); ; ) {
      if ((await clock.pause(pause, over)) === 'aborted') return;
      // A process that was paused has not heard the engine: what it said meanwhile is still to be read.
      const now = clock.monotonic();
      this.#progressAt = Math.min(now, this.#progressAt + Math.max(0, now - looked - pause));
      looked = now;
      if (recording.waiting?.()) this.#progressAt = clock.monotonic();
      if (clock.monotonic() - this.#progressAt < stallMilliseconds + this.#audioLength) continue;
      this.#engineFailure ??= failed('The speech engine made no progress and was stopped.');
      this.#aborted.abort(this.#engineFailure);
      return;
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** FIFO paths in the run's folder, one a channel. */
export const fifosIn = (folder: string, channels: number): string[] =>
  Array.from({ length: channels }, (_, channel) => join(folder, `channel-${channel}`));
