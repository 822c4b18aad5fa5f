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
  type ReadTopicOptions,
  TopicDamaged,
  TopicMissing,
  TopicSealed,
  type Topics,
  type WholeTopic,
} from '../topics.ts';
import type { ObjectBucket } from './bucket.ts';
import { PutUnclear } from './bucketErrors.ts';
import type { Deployment } from './deployment.ts';
import { ObjectReader } from './objectReader.ts';
import { FrameIndex, keyOf, type Pointer, pointerAttributes, pointerId, pointerOf } from './pointer.ts';

export interface ObjectTopicsDeps {
  /** Topics of the node's form: those that are small or open, and pointers. */
  readonly local: Topics;
  readonly bucket: Pick<ObjectBucket, 'put' | 'get' | 'remove' | 'removeUnfinished'>;
  readonly deployment: Pick<Deployment, 'check' | 'isHeld'>;
  /** Sealed topics of this many bytes and more lie in the bucket. Default: 64 KiB. */
  readonly movesFrom?: number;
}

const IGNORED = () => undefined;

/**
 * Topics whose bytes lie in object storage once they are sealed, over the topics of any form. A seal resolves when its topic has moved, in this order:
 * 1. the local topic is sealed; 2. its object is durable; 3. a pointer says where it is; 4. the local topic is deleted.
 * After an interruption, the topic can be read where it is, and a repeated seal or `moveLeftovers` completes the move.
 */
export class ObjectTopics implements Topics {
  readonly #local: Topics;
  readonly #bucket: ObjectTopicsDeps['bucket'];
  readonly #deployment: ObjectTopicsDeps['deployment'];
  readonly #reader: ObjectReader;
  readonly #movesFrom: number;
  /** Creations, moves and deletions under way, one at a time for each topic. */
  readonly #changes = new Map<string, Promise<unknown>>();
  /** Topics that this process wrote and has not sent to the bucket. */
  readonly #unstored = new Set<string>();
  /** Sealed local topics that the latest `list` found and that should have moved. */
  #leftovers: Pointer[] = [];

  constructor({ local, bucket, deployment, movesFrom = MAX_WHOLE_BYTES }: ObjectTopicsDeps) {
    this.#local = local;
    this.#bucket = bucket;
    this.#deployment = deployment;
    this.#reader = new ObjectReader({ local, bucket, deployment });
    this.#movesFrom = movesFrom;
  }

  whole(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): WholeTopic | null {
    if (bytesOf(frames) >= this.#movesFrom || this.#changes.has(topic)) return null;
    return this.#local.whole(topic, frames, attributes);
  }

  create(topic: string): Promise<void> {
    return this.#change(topic, async () => {
      if (await this.#pointer(topic)) throw new TopicSealed(topic);
      await this.#local.create(topic);
    });
  }

  resume(topic: string): ReturnType<Topics['resume']> {
    return this.#after(topic, () => this.#orSealed(topic, this.#local.resume(topic)));
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    const sequence = await this.#after(topic, () => this.#orSealed(topic, this.#local.append(topic, frames)));
    this.#unstored.add(topic);
    return sequence;
  }

  async seal(topic: string, attributes: JsonObject = {}): Promise<Manifest> {
    try {
      const manifest = await this.#after(topic, () => this.#local.seal(topic, attributes));
      return await this.#moved(topic, manifest);
    } catch (error) {
      const pointer = error instanceof TopicMissing ? await this.#pointer(topic) : null;
      if (!pointer) throw error;
      if (isDeepStrictEqual(pointer.manifest.attributes, attributes)) return pointer.manifest;
      throw new TopicSealed(topic);
    }
  }

  async manifest(topic: string): Promise<Manifest | null> {
    return (await this.#local.manifest(topic)) ?? (await this.#pointer(topic))?.manifest ?? null;
  }

  async size(topic: string): ReturnType<Topics['size']> {
    const local = await this.#local.size(topic);
    if (local) return local;
    const pointer = await this.#pointer(topic);
    return pointer && { frames: pointer.manifest.frames, bytes: pointer.manifest.bytes };
  }

  async seek(topic: string, byte: number): Promise<{ after: number; byte: number }> {
    const pointer = (await this.#local.manifest(topic)) ? null : await this.#pointer(topic);
    if (!pointer) return { after: -1, byte: 0 };
    const { offsets } = await this.#reader.index(topic);
    const next = offsets.findIndex((offset) => offset > byte);
    const frame = next < 0 ? offsets.length - 1 : next - 1;
    return { after: frame - 1, byte: offsets[frame] ?? 0 };
  }

  async *read(topic: string, options: ReadTopicOptions = {}): AsyncGenerator<Frame, void, undefined> {
    let { after = -1 } = options;
    try {
      for await (const frame of this.#local.read(topic, options)) {
        yield frame;
        after = frame.sequence;
      }
      return;
    } catch (error) {
      // It may have moved meanwhile.
      const pointer = error instanceof TopicMissing ? await this.#pointer(topic) : null;
      if (!pointer) throw error;
      yield* this.#reader.read(pointer, after, options.signal);
    }
  }

  delete(topic: string): Promise<void> {
    return this.#change(topic, async () => {
      // In this order: a topic that is being moved elsewhere is found in one place or the other.
      const sealed = await this.#local.manifest(topic);
      const pointer = await this.#pointer(topic);
      if (pointer) await this.#remove(pointer);
      else if (sealed && sealed.bytes >= this.#movesFrom && !this.#unstored.has(topic))
        await this.#removeUnfinished({ topic, manifest: sealed });
      await this.#local.delete(topic);
      this.#unstored.delete(topic);
      // Last, so that an interrupted deletion can be repeated.
      if (pointer) await this.#local.delete(pointerId(topic));
    });
  }

  async *list(): ReturnType<Topics['list']> {
    const leftovers: Pointer[] = [];
    // After a restore, pointers without an owner may belong to the log that was replaced.
    const isHeld = await this.#deployment.isHeld();
    for await (const { topic, manifest } of this.#local.list()) {
      const pointer = pointerOf(topic, manifest);
      if (!pointer && manifest && manifest.bytes >= this.#movesFrom && !this.#changes.has(topic)) leftovers.push({ topic, manifest });
      if (!pointer) yield { topic, manifest };
      else if (!isHeld) yield pointer;
    }
    this.#leftovers = leftovers;
  }

  /** Completes interrupted moves, and moves what was sealed before there was a bucket: what the latest `list` found. */
  async moveLeftovers(signal: AbortSignal): Promise<void> {
    for (const { topic, manifest } of this.#leftovers.splice(0)) {
      signal.throwIfAborted();
      await this.#moved(topic, manifest, signal).catch((error: unknown) => {
        if (!(error instanceof TopicMissing || error instanceof TopicDamaged)) throw error;
      });
    }
  }

  deleteAbandoned(topic: string): Promise<boolean> {
    return this.#local.deleteAbandoned(topic);
  }

  purge(): Promise<void> {
    return this.#local.purge();
  }

  /** Resolves when nothing is being created, moved or deleted. */
  async settled(): Promise<void> {
    await Promise.all(this.#changes.values());
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#local.close();
  }

  /** Whether an object with this key belongs to a topic, also to one that is being moved. */
  async isOwned(topic: string, key: string): Promise<boolean> {
    const sealed = await this.#local.manifest(topic);
    const owner = sealed && sealed.bytes >= this.#movesFrom ? { topic, manifest: sealed } : await this.#pointer(topic);
    return owner !== null && keyOf(owner) === key;
  }

  async #pointer(topic: string): Promise<Pointer | null> {
    const id = pointerId(topic);
    return pointerOf(id, await this.#local.manifest(id));
  }

  async #orSealed<T>(topic: string, operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      if (error instanceof TopicMissing && (await this.#pointer(topic))) throw new TopicSealed(topic);
      throw error;
    }
  }

  async #moved(topic: string, manifest: Manifest, signal?: AbortSignal): Promise<Manifest> {
    if (manifest.bytes >= this.#movesFrom) await this.#change(topic, () => this.#move({ topic, manifest }, signal));
    this.#unstored.delete(topic);
    return manifest;
  }

  async #move(moved: Pointer, signal: AbortSignal | undefined): Promise<void> {
    const { topic, manifest } = moved;
    if (!(await this.#isPointed(moved))) {
      const index = new FrameIndex();
      await this.#put(moved, index, signal);
      const isMade = await this.#point(moved, await index.encode());
      // Deleted, or restarted, on another node.
      if (isMade && !isDeepStrictEqual(await this.#local.manifest(topic), manifest)) {
        // In this order: a sweep finds an object without a pointer.
        await this.#local.delete(pointerId(topic));
        await this.#remove(moved);
        throw new TopicMissing(topic);
      }
    }
    await this.#local.delete(topic);
  }

  /** Whether the pointer exists. Rejects with `StoreUnavailable` if it points at other bytes. */
  async #isPointed(moved: Pointer): Promise<boolean> {
    const pointer = await this.#pointer(moved.topic);
    if (pointer && !isDeepStrictEqual(pointer, moved)) throw new StoreUnavailable(`topic ${moved.topic} is being moved by another node`);
    return pointer !== null;
  }

  async #put(moved: Pointer, index: FrameIndex, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#deployment.check();
      await this.#bucket.put(keyOf(moved), moved.manifest.bytes, this.#checkedBytes(moved, index, signal), signal);
      this.#unstored.delete(moved.topic);
    } catch (error) {
      if (error instanceof PutUnclear) this.#unstored.delete(moved.topic);
      throw error;
    }
  }

  /** The bytes of the local topic. Rejects with `TopicDamaged` before the last of them if they are not what was sealed. */
  async *#checkedBytes(
    { topic, manifest }: Pointer,
    index: FrameIndex,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256');
    for await (const frame of this.#local.read(topic)) {
      signal?.throwIfAborted();
      hash.update(frame.data);
      index.add(frame);
      const isLast = index.times.length === manifest.frames;
      if (isLast && hash.copy().digest('hex') !== manifest.sha256) throw new TopicDamaged(topic, -1);
      yield frame.data;
    }
  }

  /** `false` if another node has made the pointer. */
  async #point(moved: Pointer, packed: readonly Uint8Array[]): Promise<boolean> {
    const id = pointerId(moved.topic);
    const attributes = pointerAttributes(moved);
    try {
      const whole = this.#local.whole(id, packed, attributes);
      if (whole?.stored) await whole.stored();
      else {
        await this.#local.create(id);
        await this.#local.append(id, packed);
        await this.#local.seal(id, attributes);
      }
      return true;
    } catch (error) {
      if (!(error instanceof TopicSealed || error instanceof TopicMissing)) throw error;
      if (await this.#isPointed(moved)) return false;
      throw new StoreUnavailable(`topic ${moved.topic} is being moved by another node`);
    }
  }

  async #remove(pointer: Pointer): Promise<void> {
    await this.#deployment.check();
    await this.#bucket.remove(keyOf(pointer));
  }

  /** Removes the object, and the parts, that an interrupted move may have left. */
  async #removeUnfinished(moved: Pointer): Promise<void> {
    await this.#remove(moved);
    await this.#bucket.removeUnfinished(keyOf(moved), Number.POSITIVE_INFINITY);
  }

  /** Runs `work` once no other change of the topic is running. */
  #after<T>(topic: string, work: () => Promise<T>): Promise<T> {
    const change = this.#changes.get(topic);
    return change ? change.then(work) : work();
  }

  #change<T>(topic: string, work: () => Promise<T>): Promise<T> {
    const change = this.#after(topic, work);
    const over = change.then(IGNORED, IGNORED);
    this.#changes.set(topic, over);
    void over.then(() => {
      if (this.#changes.get(topic) === over) this.#changes.delete(topic);
    });
    return change;
  }
}
