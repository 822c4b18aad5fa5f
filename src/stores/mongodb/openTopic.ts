import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import { StoreUnavailable } from '../eventStore.ts';
import type { SharedNodes } from '../leases/nodes.ts';
import type { OpenTopic, TopicLength, WriterState } from '../topics/topicStorage.ts';
import { type FrameBytes, type Manifest, TopicMissing, TopicSealed, wholeOf } from '../topics.ts';
import type { Frames, NewFrame } from './frames.ts';
import { patiently } from './patience.ts';
import { isSame, isUnsealed, manifestOf, storedManifest, type TopicRecord, type TopicRecords } from './topicRecords.ts';

/** After a check of the topic, frames that are written with the seal need no other one for this long: the seal detects a lost topic itself. */
const LOOK_MILLISECONDS = 2_000;
/** Frames read per request when a topic is resumed. */
const READ_TOGETHER = 8;

export type TopicNodes = Pick<SharedNodes, 'id' | 'own' | 'removed'>;

export interface OpenTopicDeps {
  readonly records: TopicRecords;
  readonly frames: Frames;
  readonly nodes: TopicNodes;
  readonly clock: Clock;
  readonly writer: WriterState;
}

export const newGeneration = (): string => randomBytes(6).toString('hex');

/**
 * A topic that this node writes: its record names the node. An append is answered only if the topic still belonged to this node after the append was
 * called. After a failed insert, the stored frames are unknown, so the writer ends, and another has to read them.
 */
export class OpenMongoTopic implements OpenTopic {
  readonly #deps: OpenTopicDeps;
  #record: TopicRecord;
  readonly found: OpenTopic['found'];
  /** When the record last named this node, monotonic. */
  #looked: number;

  private constructor(deps: OpenTopicDeps, record: TopicRecord, found: OpenTopic['found']) {
    this.#deps = deps;
    this.#record = record;
    this.found = found;
    this.#looked = deps.clock.monotonic();
  }

  static async restart(deps: OpenTopicDeps, topic: string, node: string): Promise<OpenMongoTopic> {
    const { records, frames } = deps;
    const found = { frames: 0, bytes: 0, hash: null };
    const record: TopicRecord = {
      _id: topic,
      generation: newGeneration(),
      previous: null,
      writer: node,
      state: 'unsealed',
      manifest: null,
    };
    for (;;) {
      if (await records.create(record)) return new OpenMongoTopic(deps, record, found);
      const old = await records.get(topic);
      if (old?.state === 'sealed') throw new TopicSealed(topic);
      if (!old) continue;
      if (old.previous) await frames.remove(topic, old.previous);
      const replaced = { ...record, previous: old.generation };
      if (!(await records.replace(old, replaced))) continue;
      await frames.remove(topic, old.generation);
      return new OpenMongoTopic(deps, replaced, found);
    }
  }

  static async resume(deps: OpenTopicDeps, topic: string, node: string): Promise<OpenMongoTopic> {
    const { records, frames } = deps;
    const old = await records.get(topic);
    if (old?.state === 'sealed') throw new TopicSealed(topic);
    if (!old || !isUnsealed(old)) throw new TopicMissing(topic);
    const record: TopicRecord = { ...old, writer: node, state: 'unsealed' };
    if (!(await records.replace(old, record))) throw new TopicMissing(topic);
    const found = { frames: 0, bytes: 0, hash: createHash('sha256') };
    for (;;) {
      const read = await frames.get(topic, old.generation, found.frames, READ_TOGETHER);
      for (const { data } of read) {
        found.hash.update(data);
        found.frames += 1;
        found.bytes += data.length;
      }
      if (read.length < READ_TOGETHER) return new OpenMongoTopic(deps, record, found);
    }
  }

  async write(frames: readonly FrameBytes[], before: TopicLength): Promise<void> {
    await this.#claim();
    await this.#refuseLost(before);
    await this.#insert(frames, before);
  }

  async seal(frames: readonly FrameBytes[], before: TopicLength, manifest: Manifest, stored: () => void): Promise<void> {
    const { records, clock } = this.#deps;
    if (clock.monotonic() - this.#looked >= LOOK_MILLISECONDS) await this.#refuseLost(before);
    await this.#insert(frames, before);
    stored();
    const sealed: TopicRecord = { ...this.#record, state: 'sealed', manifest: storedManifest(manifest) };
    const replaced = await patiently(clock, async () => {
      if (await records.replace(this.#record, sealed)) return true;
      const present = await records.get(sealed._id);
      return present?.generation === sealed.generation && isDeepStrictEqual(manifestOf(present), manifest);
    });
    if (!replaced) await this.#lose(manifest);
  }

  async isCurrent(): Promise<boolean> {
    const present = await this.#deps.records.get(this.#record._id);
    return present !== null && isSame(present, this.#record);
  }

  async close(): Promise<void> {}

  /** A node that was taken for dead and removed continues under another id, which its topics then name. */
  async #claim(): Promise<void> {
    const { records, nodes, clock } = this.#deps;
    const record = { ...this.#record, writer: nodes.id ?? this.#record.writer };
    if (record.writer === this.#record.writer) return;
    if (await patiently(clock, () => records.replace(this.#record, record))) this.#record = record;
  }

  /** Rejects if another node has restarted, resumed or deleted the topic. */
  async #refuseLost(written: TopicLength): Promise<void> {
    const { records, clock } = this.#deps;
    const now = clock.monotonic();
    const present = await patiently(clock, () => records.get(this.#record._id));
    this.#looked = now;
    if (!present || !isSame(present, this.#record)) await this.#lose(written);
  }

  /** Removes frames written too late. If another node has resumed the topic, they stay, and the topic can be resumed here again. */
  async #lose(written: TopicLength): Promise<never> {
    const { records, frames, writer } = this.#deps;
    const { _id, generation } = this.#record;
    const missing = new TopicMissing(_id);
    const present = await records.get(_id);
    const isResumed = present?.generation === generation && present.state !== 'deleting';
    writer.end(isResumed && isUnsealed(present) ? new StoreUnavailable(`topic ${_id} is written by another node`) : missing);
    if (!isResumed) await frames.remove(_id, generation, written.frames);
    throw missing;
  }

  async #insert(appended: readonly FrameBytes[], before: TopicLength): Promise<void> {
    if (appended.length === 0) return;
    const { frames, clock, writer } = this.#deps;
    const at = clock.now();
    let { bytes } = before;
    const inserted = appended.map(wholeOf).map((data, i): NewFrame => {
      bytes += data.length;
      return { sequence: before.frames + i, at, data, bytes };
    });
    try {
      await frames.insert(this.#record._id, this.#record.generation, inserted);
    } catch (error) {
      writer.end(error);
      throw error;
    }
  }
}
