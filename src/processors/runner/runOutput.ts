import { collectWarnings } from '../../domain/stream/warnings.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { bytesOf, type FrameBytes, MAX_FRAME_BYTES, MAX_WHOLE_BYTES, type Topics } from '../../stores/topics.ts';
import { ProcessorError, type ProcessorOutput, type SinkMessageBody } from '../processor.ts';

/** Many small frames take more memory than their bytes. */
const MAX_HELD_FRAMES = 1_000;

const NO_ROOM = "The result did not fit on the server's disk, which is nearly full. Rerun this stream later.";

export interface RunOutputDeps {
  readonly topics: Topics;
  readonly disk: Pick<DiskSpace, 'shortage'>;
  readonly topic: string;
  /** Where partial messages go if the output itself is bytes or text. `null`: they are messages of the output. */
  readonly partials: string | null;
  readonly signal: AbortSignal;
}

/**
 * The output of a run: every chunk and every message is a frame, which followers can read as soon as it is written. With `begin`, frames are held
 * in memory until there are many or `release` is called: then `begin` runs, and from then on frames are written at once.
 */
export class RunOutput implements ProcessorOutput {
  readonly #deps: RunOutputDeps;
  readonly #warnings = new Set<string>();
  #written = 0;
  /** Final messages so far, or frames of an output of bytes or text. */
  #finals = 0;
  #writing: Promise<unknown> = Promise.resolve();
  /** `null` while frames are written as they come. */
  #held: FrameBytes[] | null;
  readonly #begin: () => Promise<void>;
  #releasing: Promise<void> | null = null;

  constructor(deps: RunOutputDeps, begin: (() => Promise<void>) | null = null) {
    this.#deps = deps;
    this.#held = begin && [];
    this.#begin = begin ?? (async () => {});
  }

  /** All frames, if none of them has been written. */
  get held(): readonly FrameBytes[] | null {
    return this.#releasing ? null : this.#held;
  }

  /** Repeatable. Rejects as `begin` does. */
  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  get bytesWritten(): number {
    return this.#written;
  }

  /** Codes of the warnings in its messages. */
  get warnings(): string[] {
    return [...this.#warnings];
  }

  async bytes(data: FrameBytes): Promise<void> {
    if (!(data instanceof Uint8Array)) return this.#append([data]);
    const frames: Uint8Array[] = [];
    for (let at = 0; at < data.byteLength; at += MAX_FRAME_BYTES) frames.push(data.subarray(at, at + MAX_FRAME_BYTES));
    await this.#append(frames);
    this.#finals += frames.length;
  }

  async message(message: SinkMessageBody): Promise<void> {
    const frame = Buffer.from(JSON.stringify({ ...message, sequenceId: this.#finals }), 'utf8');
    if (message.frameType === 'final') this.#finals++;
    collectWarnings(this.#warnings, message.payload);
    if (frame.byteLength > MAX_FRAME_BYTES) throw new ProcessorError('PROCESSOR_GENERAL_ERROR', 'A message of the output is over 1 MiB.');
    const { partials, topics } = this.#deps;
    if (partials === null || message.frameType === 'final') return this.#append([frame]);
    this.#deps.signal.throwIfAborted();
    // A partial output is of no use later: without its topic it is dropped.
    if (!this.#held) await topics.append(partials, [frame]);
  }

  /** Ends the readers of partial outputs. */
  async close(): Promise<void> {
    if (this.#deps.partials !== null) await this.#deps.topics.delete(this.#deps.partials);
  }

  /** Rejects when something that was written before could not be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Waits only for earlier writes. Frames held at the end of a run are written with its seal. */
  async #append(frames: readonly FrameBytes[]): Promise<void> {
    await this.#writing;
    // After a cancel nothing more may be seen of the run.
    this.#deps.signal.throwIfAborted();
    if (frames.length === 0) return;
    if (this.#held) return this.#hold(this.#held, frames);
    this.#written += bytesOf(frames);
    this.#write(frames);
  }

  async #hold(held: FrameBytes[], frames: readonly FrameBytes[]): Promise<void> {
    held.push(...frames);
    this.#written += bytesOf(frames);
    if (this.#written > MAX_WHOLE_BYTES || held.length > MAX_HELD_FRAMES) await this.release();
  }

  async #release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    await this.#begin();
    this.#held = null;
    if (held.length > 0) this.#write(held);
  }

  /** A small output is always written: to fail the run would cost as much. */
  #write(frames: readonly FrameBytes[]): void {
    const { topics, disk, topic } = this.#deps;
    if (this.#written > MAX_WHOLE_BYTES && disk.shortage(bytesOf(frames), 'result') !== null)
      throw new ProcessorError('PROCESSOR_GENERAL_ERROR', NO_ROOM);
    this.#writing = topics.append(topic, frames);
    this.#writing.catch(() => undefined);
  }
}
