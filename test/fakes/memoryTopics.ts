import { createHash } from 'node:crypto';
import type { Clock } from '../../src/clock.ts';
import type { JsonObject } from '../../src/json.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import {
  type Frame,
  type FrameBytes,
  type Manifest,
  type ReadTopicOptions,
  TopicMissing,
  TopicSealed,
  type Topics,
  wholeOf,
} from '../../src/stores/topics.ts';

interface Topic {
  frames: Frame[];
  manifest: Manifest | null;
}

/** Topics in memory, for tests that look at their use. Followers see only the frames that exist when they read. */
export class MemoryTopics implements Topics {
  readonly #topics = new Map<string, Topic>();
  readonly #clock: Clock;
  /** Deletions reject meanwhile. */
  isAway = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  whole(): null {
    return null;
  }

  async create(topic: string): Promise<void> {
    this.#topics.set(topic, { frames: [], manifest: null });
  }

  async resume(topic: string): Promise<{ frames: number; bytes: number }> {
    const size = await this.size(topic);
    if (!size) throw new TopicMissing(topic);
    return size;
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    const there = this.#there(topic);
    if (there.manifest) throw new TopicSealed(topic);
    for (const data of frames) there.frames.push({ sequence: there.frames.length, at: this.#clock.now(), data: wholeOf(data) });
    return there.frames.length - 1;
  }

  async seal(topic: string, attributes: JsonObject = {}): Promise<Manifest> {
    const there = this.#there(topic);
    const sha256 = createHash('sha256');
    for (const { data } of there.frames) sha256.update(data);
    const bytes = there.frames.reduce((sum, { data }) => sum + data.byteLength, 0);
    there.manifest ??= { frames: there.frames.length, bytes, sha256: sha256.digest('hex'), attributes };
    return there.manifest;
  }

  async manifest(topic: string): Promise<Manifest | null> {
    return this.#topics.get(topic)?.manifest ?? null;
  }

  async size(topic: string): Promise<{ frames: number; bytes: number } | null> {
    const there = this.#topics.get(topic);
    return there ? { frames: there.frames.length, bytes: there.frames.reduce((sum, { data }) => sum + data.byteLength, 0) } : null;
  }

  async *read(topic: string, { after = -1 }: ReadTopicOptions = {}): AsyncIterable<Frame> {
    yield* this.#there(topic).frames.slice(after + 1);
  }

  async delete(topic: string): Promise<void> {
    if (this.isAway) throw new StoreUnavailable('away');
    this.#topics.delete(topic);
  }

  async *list(): AsyncIterable<{ topic: string; manifest: Manifest | null }> {
    for (const [topic, { manifest }] of this.#topics) if (manifest) yield { topic, manifest };
  }

  /** A topic without manifest may still have its writer here. */
  async deleteAbandoned(): Promise<boolean> {
    return false;
  }

  async purge(): Promise<void> {}

  async close(): Promise<void> {}

  #there(topic: string): Topic {
    const there = this.#topics.get(topic);
    if (!there) throw new TopicMissing(topic);
    return there;
  }
}
