import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import { EngineRubbish, startEngine } from '../engineProcess.ts';
import { ProcessorError } from '../processor.ts';
import { ChannelMerge, type ChannelUtterance } from './channelMerge.ts';
import { decode } from './decoding.ts';
import type { PocketSphinx } from './pocketSphinx.ts';

export interface Listening {
  readonly engine: PocketSphinx;
  readonly clock: Clock;
  /** An engine that shows no progress for this time plus the length of the audio so far is taken to hang. */
  readonly stallMilliseconds: number;
}

const failed = (message: string, retryable = false) => new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', message, retryable);

/** How long an engine that broke off has to be heard before the decoder, which then cannot write, is blamed. */
const BLAME_MILLISECONDS = 200;

/**
 * One run of the engine over a file: a decoder that feeds one recogniser a channel through FIFOs, so that nothing is stored and memory is
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

  constructor(listening: Listening, channels: number, take: (utterance: ChannelUtterance) => Promise<void>, signal: AbortSignal) {
    this.#listening = listening;
    this.#merge = new ChannelMerge(channels);
    this.#take = take;
    this.#aborted = new AbortController();
    this.#signal = AbortSignal.any([signal, this.#aborted.signal]);
    this.#progressAt = listening.clock.monotonic();
  }

  /** Resolves with the length of the audio in milliseconds. Rejects with `ProcessorError`, or with the signal's reason. */
  async listen(file: string, fifos: readonly string[], vad: boolean): Promise<number> {
    await promisify(execFile)('mkfifo', ['-m', '600', ...fifos]);
    const ended = new AbortController();
    const watch = this.#watch(ended.signal);
    const decoding = this.#decode(file, fifos);
    const outcomes = await Promise.allSettled([decoding, ...fifos.map((fifo, channel) => this.#hear(fifo, channel, vad))]);
    ended.abort();
    await watch;
    if (this.#engineFailure) throw this.#engineFailure;
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    await this.#taking;
    return this.#audioLength;
  }

  async #decode(file: string, fifos: readonly string[]): Promise<void> {
    try {
      const progress = (length: number) => {
        if (length !== this.#audioLength) this.#progressAt = this.#listening.clock.monotonic();
        this.#audioLength = length;
      };
      await decode(this.#listening.engine.ffmpeg, file, fifos, progress, this.#signal);
    } catch (error) {
      if (!this.#signal.aborted) await this.#listening.clock.sleep(BLAME_MILLISECONDS);
      this.#aborted.abort(error);
      throw error;
    }
  }

  async #hear(fifo: string, channel: number, vad: boolean): Promise<void> {
    const { engine, clock } = this.#listening;
    try {
      const process = startEngine(engine.command, engine.args(fifo, vad), this.#signal);
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

  async #watch(ended: AbortSignal): Promise<void> {
    const { clock, stallMilliseconds } = this.#listening;
    const pause = Math.min(1_000, stallMilliseconds / 4);
    const over = AbortSignal.any([ended, this.#signal]);
    for (;;) {
      const stopped = await clock.sleep(pause, over).then(
        () => false,
        () => true,
      );
      if (stopped) return;
      if (clock.monotonic() - this.#progressAt < stallMilliseconds + this.#audioLength) continue;
      this.#engineFailure ??= failed('The speech engine made no progress and was stopped.');
      this.#aborted.abort(this.#engineFailure);
      return;
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** FIFO paths beside the run's file, one a channel. */
export const fifosBeside = (file: string, channels: number): string[] =>
  Array.from({ length: channels }, (_, channel) => join(dirname(file), `channel-${channel}`));
