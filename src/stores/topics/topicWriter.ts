import { createHash, type Hash } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { bytesOf, type FrameBytes, type Manifest, piecesOf, TopicSealed } from '../topics.ts';
import { answerAppends, type Batch, TopicOperations } from './topicOperations.ts';
import type { OpenTopic, TopicLength, TopicStorage, WriterState } from './topicStorage.ts';

/**
 * A topic that this process writes. Modes: open, then one of
 * - sealed: everything is durable, nothing follows;
 * - ended: deleted or restarted, here or elsewhere (`TopicMissing`), closed, or what is stored is unknown (`StoreUnavailable`).
 *
 * One write at a time stores all waiting frames. The hash is computed while they are stored.
 */
export class TopicWriter<Opened extends OpenTopic> implements WriterState {
  readonly changes = new Notifier();
  ended: Error | null = null;
  manifest: Manifest | null = null;
  /** Resolves when the topic is open; rejects when it cannot be written. */
  readonly ready: Promise<Opened>;
  readonly #topic: string;
  #length: TopicLength = { frames: 0, bytes: 0 };
  /** Of all frames stored; `null` before the first. */
  #hash: Hash | null = null;
  readonly #operations: TopicOperations;

  /** Starts when `before` is over. `restart` empties an unsealed topic; `resume` continues after its last frame. */
  constructor(storage: TopicStorage<Opened>, topic: string, how: 'restart' | 'resume', before: Promise<unknown>) {
    this.#topic = topic;
    this.ready = this.#open(storage, how, before);
    this.ready.catch((error: unknown) => this.end(error));
    this.#operations = new TopicOperations(this.ready, (batch) => this.#perform(batch));
  }

  get length(): TopicLength {
    return this.#length;
  }

  get isCutOff(): boolean {
    return this.ended instanceof StoreUnavailable;
  }

  append(frames: readonly FrameBytes[]): Promise<number> {
    return this.#operations.append(frames);
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return this.#operations.seal(attributes);
  }

  /** Resolves when it is open and nothing is being written. */
  async settled(): Promise<void> {
    await this.ready.catch(() => undefined);
    await this.#operations.settled();
  }

  /** Whether the topic is open, and for this writer. */
  async isCurrent(): Promise<boolean> {
    return this.ended === null && (await this.ready).isCurrent();
  }

  end(reason: unknown): void {
    if (this.manifest === null) this.ended ??= reason instanceof Error ? reason : new Error(String(reason));
    this.changes.notify();
  }

  /** Ends it for `reason`; resolves when nothing is being written. */
  async discard(reason: Error): Promise<void> {
    this.end(reason);
    await this.settled();
    const opened = await this.ready.catch(() => undefined);
    await opened?.close();
  }

  async #open(storage: TopicStorage<Opened>, how: 'restart' | 'resume', before: Promise<unknown>): Promise<Opened> {
    await before;
    const opened = await storage.open(this.#topic, how, this);
    const { frames, bytes, hash } = opened.found;
    this.#length = { frames, bytes };
    this.#hash = hash;
    return opened;
  }

  async #perform(batch: Batch): Promise<void> {
    const opened = await this.ready;
    if (this.ended) throw this.ended;
    if (this.manifest) throw new TopicSealed(this.#topic);
    const { appends, seal } = batch;
    const frames = appends.flatMap((append) => append.frames);
    if (seal) seal.resolve(await this.#seal(opened, frames, seal.attributes, batch));
    else await this.#write(opened, frames, batch);
  }

  async #write(opened: Opened, frames: readonly FrameBytes[], batch: Batch): Promise<void> {
    const writing = opened.write(frames, this.#length);
    const hash = this.#hashWith(frames);
    await writing;
    this.#advance(frames, hash, batch);
  }

  async #seal(opened: Opened, frames: readonly FrameBytes[], attributes: JsonObject, batch: Batch): Promise<Manifest> {
    const before = this.#length;
    const hash = this.#hashWith(frames);
    const manifest: Manifest = {
      frames: before.frames + frames.length,
      bytes: before.bytes + bytesOf(frames),
      sha256: hash.copy().digest('hex'),
      attributes,
    };
    await opened.seal(frames, before, manifest, () => this.#advance(frames, hash, batch));
    this.manifest = manifest;
    this.changes.notify();
    return manifest;
  }

  /** Copies the hash, so that a failed write is not included. */
  #hashWith(frames: readonly FrameBytes[]): Hash {
    const hash = this.#hash?.copy() ?? createHash('sha256');
    for (const piece of frames.flatMap(piecesOf)) hash.update(piece);
    return hash;
  }

  #advance(frames: readonly FrameBytes[], hash: Hash, batch: Batch): void {
    const first = this.#length.frames;
    this.#hash = hash;
    this.#length = { frames: first + frames.length, bytes: this.#length.bytes + bytesOf(frames) };
    answerAppends(batch, first);
    this.changes.notify();
  }
}
