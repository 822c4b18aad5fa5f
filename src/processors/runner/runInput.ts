import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/stream/messageFrame.ts';
import type { Corrections } from '../../domain/transcript/corrections.ts';
import type { Topics } from '../../stores/topics.ts';
import type { ProcessorInput, SinkMessageBody } from '../processor.ts';
import { correctedMessages } from './corrections.ts';

export interface SourceTopic {
  readonly topic: string;
  readonly schema: string;
  /** Whether it may still be written. */
  readonly live: boolean;
  /** Of the transcription in it; `null` if there are none. */
  readonly corrections: Corrections | null;
}

/** The counted input of a run. `close` removes the run's folder. */
export class RunInput implements ProcessorInput {
  readonly #topics: Topics;
  readonly #source: SourceTopic;
  readonly #workDirectory: string;
  readonly #signal: AbortSignal;
  #folder: Promise<string> | null = null;
  #file: Promise<string> | null = null;
  #read = 0;
  #copied = 0;

  constructor(topics: Topics, source: SourceTopic, workDirectory: string, signal: AbortSignal) {
    this.#topics = topics;
    this.#source = source;
    this.#workDirectory = workDirectory;
    this.#signal = signal;
  }

  get schema(): string {
    return this.#source.schema;
  }

  get bytesRead(): number {
    return Math.max(this.#read, this.#copied);
  }

  async isComplete(): Promise<boolean> {
    return (await this.#topics.manifest(this.#source.topic)) !== null;
  }

  /** Size of the whole source; unknown while it is being written. */
  async size(): Promise<number | null> {
    return this.#source.live ? null : ((await this.#topics.size(this.#source.topic))?.bytes ?? null);
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    for await (const data of this.#frames()) {
      this.#read += data.byteLength;
      yield data;
    }
  }

  async *#frames(): AsyncGenerator<Uint8Array> {
    for await (const { data } of this.#topics.read(this.#source.topic, { follow: this.#source.live, signal: this.#signal })) yield data;
    // An aborted reader may end without an error: then the input is incomplete.
    this.#signal.throwIfAborted();
  }

  messages(): AsyncIterable<SinkMessageBody> {
    const { corrections } = this.#source;
    return corrections ? correctedMessages(this.#finals(), corrections) : this.#finals();
  }

  async *#finals(): AsyncGenerator<SinkMessageBody> {
    for await (const data of this.bytes()) {
      const message = messageOf(data);
      if (message.frameType === 'final') yield message;
    }
  }

  file(): Promise<string> {
    this.#file ??= this.#copy();
    return this.#file;
  }

  folder(): Promise<string> {
    this.#folder ??= mkdtemp(join(this.#workDirectory, 'run-'));
    return this.#folder;
  }

  async #copy(): Promise<string> {
    const path = join(await this.folder(), 'source');
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const data of this.#frames()) {
        this.#copied += data.byteLength;
        await file.writeFile(data);
      }
    } finally {
      await file.close();
    }
    return path;
  }

  async close(): Promise<void> {
    await this.#file?.catch(() => {});
    const folder = await this.#folder?.catch(() => null);
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}
