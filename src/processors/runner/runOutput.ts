import { MAX_FRAME_BYTES, type Topics } from '../../stores/topics.ts';
import { ProcessorError, type ProcessorOutput, type SinkMessageBody } from '../processor.ts';

/** What a run writes: every chunk and every message is a frame, there for followers as soon as it is written. */
export class RunOutput implements ProcessorOutput {
  readonly #topics: Topics;
  readonly #topic: string;
  readonly #signal: AbortSignal;
  #written = 0;
  #finals = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(topics: Topics, topic: string, signal: AbortSignal) {
    this.#topics = topics;
    this.#topic = topic;
    this.#signal = signal;
  }

  get bytesWritten(): number {
    return this.#written;
  }

  async bytes(data: Uint8Array): Promise<void> {
    const frames: Uint8Array[] = [];
    for (let at = 0; at < data.byteLength; at += MAX_FRAME_BYTES) frames.push(data.subarray(at, at + MAX_FRAME_BYTES));
    await this.#append(frames);
  }

  async message(message: SinkMessageBody): Promise<void> {
    const frame = Buffer.from(JSON.stringify({ ...message, sequenceId: this.#finals }), 'utf8');
    if (message.frameType === 'final') this.#finals++;
    if (frame.byteLength > MAX_FRAME_BYTES) throw new ProcessorError('PROCESSOR_GENERAL_ERROR', 'A message of the output is over 1 MiB.');
    await this.#append([frame]);
  }

  /** Rejects when something that was written before could not be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Goes on while the frames are being written, and waits for those before: what a run ends with is written with its seal. */
  async #append(frames: readonly Uint8Array[]): Promise<void> {
    await this.#writing;
    // After a cancel nothing more may be seen of the run.
    this.#signal.throwIfAborted();
    if (frames.length === 0) return;
    this.#writing = this.#topics.append(this.#topic, frames);
    this.#writing.catch(() => undefined);
    this.#written += frames.reduce((sum, frame) => sum + frame.byteLength, 0);
  }
}
