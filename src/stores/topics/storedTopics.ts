import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../json.ts';
import { StoreUnavailable } from '../eventStore.ts';
import {
  bytesOf,
  type Frame,
  type FrameBytes,
  MAX_WHOLE_BYTES,
  type Manifest,
  piecesOf,
  type ReadTopicOptions,
  TOPIC_ID,
  TopicMissing,
  TopicSealed,
  type Topics,
  type WholeTopic,
} from '../topics.ts';
import type { OpenTopic, TopicLength, TopicStorage } from './topicStorage.ts';
import { TopicWriter } from './topicWriter.ts';

/**
 * Topics on a storage: their writers in this process, and the rules. Ids are UUIDs in lower case; any other id is missing and cannot be created.
 * Callers must not change the bytes of a frame after appending it.
 */
export class StoredTopics<Opened extends OpenTopic> implements Topics {
  readonly #storage: TopicStorage<Opened>;
  /** Open topics; a sealed one is only in the storage. */
  readonly #writers = new Map<string, TopicWriter<Opened>>();
  /** Running deletions, which a new writer of the same topic waits for. */
  readonly #deletions = new Map<string, Promise<unknown>>();

  constructor(storage: TopicStorage<Opened>) {
    this.#storage = storage;
  }

  whole(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): WholeTopic | null {
    const isFree = TOPIC_ID.test(topic) && !this.#isInHand(topic);
    return isFree && bytesOf(frames) <= MAX_WHOLE_BYTES ? this.#storage.whole(topic, frames, manifestOf(frames, attributes)) : null;
  }

  async create(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) throw new Error(`not a topic id: ${JSON.stringify(topic)}`);
    const earlier = this.#writers.get(topic);
    await this.#open(topic, 'restart', earlier?.discard(new TopicMissing(topic))).ready;
  }

  async resume(topic: string): Promise<TopicLength> {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    const writer = this.#writers.get(topic);
    await writer?.settled();
    if (writer && (await writer.isCurrent())) return writer.length;
    // What a failed write has left is unknown.
    if (writer?.isCutOff && !this.#storage.resumesAfterFailure) throw writer.ended;
    const resumed = this.#open(topic, 'resume', writer?.discard(new TopicMissing(topic)));
    await resumed.ready;
    return resumed.length;
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    return this.#writer(topic).append(frames);
  }

  async seal(topic: string, attributes: JsonObject = {}): Promise<Manifest> {
    const writer = this.#writer(topic);
    try {
      const manifest = await writer.seal(attributes);
      if (this.#writers.get(topic) === writer) this.#writers.delete(topic);
      return manifest;
    } catch (error) {
      const manifest = error instanceof TopicSealed ? await this.manifest(topic) : null;
      if (manifest && isDeepStrictEqual(manifest.attributes, attributes)) return manifest;
      throw error;
    }
  }

  async manifest(topic: string): Promise<Manifest | null> {
    if (!TOPIC_ID.test(topic)) return null;
    const writer = await this.#ready(topic);
    return (await writer?.isCurrent()) ? (writer?.manifest ?? null) : this.#storage.manifest(topic);
  }

  async size(topic: string): Promise<TopicLength | null> {
    if (!TOPIC_ID.test(topic)) return null;
    const writer = await this.#ready(topic);
    return writer && (await writer.isCurrent()) ? writer.length : this.#storage.size(topic);
  }

  async *read(topic: string, { after = -1, follow = false, signal }: ReadTopicOptions = {}): AsyncGenerator<Frame, void, undefined> {
    signal?.throwIfAborted();
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    const reader = await this.#storage.read(topic, { after, follow, signal, opened: (how) => this.#opened(topic, how) });
    try {
      for (;;) {
        const { frames, state } = await reader.next();
        for (const frame of frames) {
          signal?.throwIfAborted();
          if (frame.sequence > after) yield frame;
        }
        if (state === 'end' || (state === 'wait' && !follow)) return;
        if (state === 'wait') await reader.wait();
        signal?.throwIfAborted();
      }
    } finally {
      await reader.close();
    }
  }

  async delete(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) return;
    const writer = this.#writers.get(topic);
    this.#writers.delete(topic);
    await this.#deleting(topic, async () => {
      await writer?.discard(new TopicMissing(topic));
      await this.#storage.remove(topic);
    });
  }

  list(): ReturnType<Topics['list']> {
    return this.#storage.list((topic) => this.#isInHand(topic));
  }

  async deleteAbandoned(topic: string): Promise<boolean> {
    if (!TOPIC_ID.test(topic) || this.#writers.has(topic)) return false;
    return this.#deleting(topic, () => this.#storage.removeAbandoned(topic));
  }

  async purge(): Promise<void> {
    await this.#storage.purge();
  }

  async close(): Promise<void> {
    const closed = new StoreUnavailable('the topics are closed');
    await Promise.all([...this.#writers.values()].map((writer) => writer.discard(closed)));
    this.#writers.clear();
    await this.#storage.close();
  }

  #isInHand(topic: string): boolean {
    return this.#writers.has(topic) || this.#deletions.has(topic);
  }

  /** The writer here, or one that continues the topic. */
  #writer(topic: string): TopicWriter<Opened> {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    const writer = this.#writers.get(topic);
    const isUsable = writer && !(writer.isCutOff && this.#storage.resumesAfterFailure);
    return isUsable ? writer : this.#open(topic, 'resume', writer?.discard(new TopicMissing(topic)));
  }

  /** The writer here, if its topic could be opened. */
  async #ready(topic: string): Promise<TopicWriter<Opened> | undefined> {
    const writer = this.#writers.get(topic);
    return writer?.ready.then(
      () => writer,
      () => undefined,
    );
  }

  async #opened(topic: string, how: 'resume' | undefined): Promise<Opened | undefined> {
    try {
      const writer = this.#writers.get(topic) ?? (how && this.#open(topic, how));
      return await writer?.ready;
    } catch (error) {
      if (error instanceof TopicSealed) return undefined;
      throw error;
    }
  }

  #open(topic: string, how: 'restart' | 'resume', before?: Promise<void>): TopicWriter<Opened> {
    const writer = new TopicWriter(this.#storage, topic, how, Promise.all([before, this.#deletions.get(topic)]));
    this.#writers.set(topic, writer);
    writer.ready.catch(() => {
      if (this.#writers.get(topic) === writer) this.#writers.delete(topic);
    });
    return writer;
  }

  /** Runs a deletion after an earlier one. A failed deletion does not block the next writer. */
  async #deleting<T>(topic: string, remove: () => Promise<T>): Promise<T> {
    const before = this.#deletions.get(topic);
    const deletion = before ? before.then(remove) : remove();
    const over = deletion.catch(() => undefined);
    this.#deletions.set(topic, over);
    try {
      return await deletion;
    } finally {
      if (this.#deletions.get(topic) === over) this.#deletions.delete(topic);
    }
  }
}

const manifestOf = (frames: readonly FrameBytes[], attributes: JsonObject): Manifest => {
  const hash = createHash('sha256');
  for (const piece of frames.flatMap(piecesOf)) hash.update(piece);
  return { frames: frames.length, bytes: bytesOf(frames), sha256: hash.digest('hex'), attributes };
};
