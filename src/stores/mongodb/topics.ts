import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { bytesOf } from '../topicOperations.ts';
import {
  type Frame,
  type FrameBytes,
  MAX_WHOLE_BYTES,
  type Manifest,
  type ReadTopicOptions,
  TOPIC_ID,
  TopicMissing,
  TopicSealed,
  type Topics,
  wholeOf,
} from '../topics.ts';
import type { Mongo } from './connection.ts';
import { Frames } from './frames.ts';
import { patiently } from './patience.ts';
import { readTopic } from './readTopic.ts';
import { TopicNodes } from './topicNodes.ts';
import { manifestOf, type TopicRecord, TopicRecords, type WholeRecord } from './topicRecords.ts';
import { TopicWriter } from './topicWriter.ts';

export interface MongoTopicsSettings {
  readonly mongo: Mongo;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Topics in MongoDB: a record each in `topics`, their bytes in `frames`, and the living nodes in `nodes`. Ids are UUIDs in lower case; any other id
 * is missing and cannot be created. Callers must not change the bytes of a frame after appending it.
 */
export const openMongoTopics = async ({ mongo, clock, logger }: MongoTopicsSettings): Promise<Topics> => {
  const nodes = new TopicNodes(mongo, clock, logger);
  await nodes.start();
  return new MongoTopics(new TopicRecords(mongo), new Frames(mongo, clock), nodes, clock);
};

/** How long a whole topic that this node has stored is read from memory: its processors usually start at once. */
const RECENT_MILLISECONDS = 5_000;
const RECENT_BYTES = 4_194_304;

interface Recent {
  readonly record: WholeRecord;
  /** Monotonic. */
  readonly since: number;
}

class MongoTopics implements Topics {
  readonly #records: TopicRecords;
  readonly #frames: Frames;
  readonly #nodes: TopicNodes;
  readonly #clock: Clock;
  /** Topics that this node writes; a sealed one is only its record. */
  readonly #writers = new Map<string, TopicWriter>();
  readonly #recent = new LRUCache<string, Recent>({ maxSize: RECENT_BYTES, sizeCalculation: ({ record }) => sizeOf(record) });
  /** Running deletions, which a new writer of the same topic waits for. */
  readonly #deletions = new Map<string, Promise<unknown>>();

  constructor(records: TopicRecords, frames: Frames, nodes: TopicNodes, clock: Clock) {
    this.#records = records;
    this.#frames = frames;
    this.#nodes = nodes;
    this.#clock = clock;
  }

  async create(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) throw new Error(`not a topic id: ${JSON.stringify(topic)}`);
    const earlier = this.#writers.get(topic);
    await this.#open(topic, 'restart', earlier?.discard(new TopicMissing(topic))).ready;
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    return this.#writer(topic).append(frames.map(wholeOf));
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

  /** Stores the frames in the record itself, so that an interruption leaves no frames without a record. */
  async storeWhole(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): Promise<Manifest> {
    if (!TOPIC_ID.test(topic)) throw new Error(`not a topic id: ${JSON.stringify(topic)}`);
    const bytes = bytesOf(frames);
    if (bytes > MAX_WHOLE_BYTES) throw new RangeError(`a whole topic of ${bytes} bytes; at most ${MAX_WHOLE_BYTES}`);
    await this.#deletions.get(topic);
    const data = frames.map(wholeOf).map((one) => (Buffer.isBuffer(one) ? one : Buffer.from(one)));
    const hash = createHash('sha256');
    for (const one of data) hash.update(one);
    const manifest: Manifest = { frames: data.length, bytes, sha256: hash.digest('hex'), attributes };
    const record: WholeRecord = {
      _id: topic,
      generation: randomBytes(6).toString('hex'),
      previous: null,
      writer: this.#nodes.id,
      state: 'sealed',
      manifest: { ...manifest, attributes: JSON.stringify(attributes) },
      wholeSince: this.#clock.now(),
      data,
    };
    await patiently(this.#clock, async () => {
      // The answer to an earlier try may have been lost.
      if ((await this.#records.create(record)) || (await this.#records.get(topic))?.generation === record.generation) return;
      throw new TopicSealed(topic);
    });
    this.#recent.set(topic, { record, since: this.#clock.monotonic() });
    return manifest;
  }

  /** The state in the record: a writer here may not know yet that another node has restarted the topic. */
  async manifest(topic: string): Promise<Manifest | null> {
    await this.#ready(topic);
    const record = await this.#record(topic);
    return record && manifestOf(record);
  }

  async size(topic: string): Promise<{ frames: number; bytes: number } | null> {
    const writer = await this.#ready(topic);
    const record = await this.#record(topic);
    if (record && writer?.owns(record)) return { frames: writer.frames, bytes: writer.bytes };
    if (!record || record.state === 'deleting') return null;
    if (record.manifest) return { frames: record.manifest.frames, bytes: record.manifest.bytes };
    return this.#frames.end(topic, record.generation);
  }

  async *read(topic: string, options: ReadTopicOptions = {}): AsyncIterable<Frame> {
    options.signal?.throwIfAborted();
    await this.#ready(topic);
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    const stored = this.#justStored(topic);
    yield* readTopic({ records: this.#records, frames: this.#frames, clock: this.#clock, stored }, topic, options);
  }

  async delete(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) return;
    const writer = this.#writers.get(topic);
    this.#writers.delete(topic);
    this.#recent.delete(topic);
    await this.#deleting(topic, this.#remove(topic, writer, this.#deletions.get(topic)));
  }

  async *list(): AsyncIterable<{ topic: string; manifest: Manifest | null }> {
    const isGone = await this.#nodes.gone();
    for await (const record of this.#records.all()) {
      const { _id: topic, state, writer } = record;
      if (this.#writers.has(topic) || this.#deletions.has(topic)) continue;
      if (state === 'sealed') yield { topic, manifest: manifestOf(record) };
      else if (state === 'deleting')
        await this.#destroy(record); // interrupted, or running elsewhere
      else if (writer === this.#nodes.id || isGone(writer)) yield { topic, manifest: null };
    }
  }

  async deleteAbandoned(topic: string): Promise<boolean> {
    if (!TOPIC_ID.test(topic) || this.#writers.has(topic)) return false;
    // A new writer here waits until it is over.
    return this.#deleting(topic, this.#removeAbandoned(topic, this.#deletions.get(topic)));
  }

  async close(): Promise<void> {
    const closed = new StoreUnavailable('the topics are closed');
    await Promise.all([...this.#writers.values()].map((writer) => writer.discard(closed)));
    this.#writers.clear();
    await this.#nodes.close();
  }

  #record(topic: string): Promise<TopicRecord | null> {
    if (!TOPIC_ID.test(topic)) return Promise.resolve(null);
    const stored = this.#justStored(topic);
    return stored ? Promise.resolve(stored) : this.#records.get(topic);
  }

  #justStored(topic: string): WholeRecord | undefined {
    const recent = this.#recent.get(topic);
    if (recent && this.#clock.monotonic() - recent.since < RECENT_MILLISECONDS) return recent.record;
    this.#recent.delete(topic);
    return undefined;
  }

  #writer(topic: string): TopicWriter {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    const writer = this.#writers.get(topic);
    return writer && !writer.isCutOff ? writer : this.#open(topic, 'resume', writer?.discard(new TopicMissing(topic)));
  }

  /** The writer here, if it is usable. */
  async #ready(topic: string): Promise<TopicWriter | undefined> {
    const writer = this.#writers.get(topic);
    return writer?.ready.then(
      () => writer,
      () => undefined,
    );
  }

  #open(topic: string, how: 'restart' | 'resume', before?: Promise<void>): TopicWriter {
    const earlier = Promise.all([before, this.#deletions.get(topic)]);
    const deps = { topic, node: this.#nodes.id, records: this.#records, frames: this.#frames, clock: this.#clock };
    const writer = new TopicWriter(deps, how, earlier);
    this.#writers.set(topic, writer);
    writer.ready.catch(() => {
      if (this.#writers.get(topic) === writer) this.#writers.delete(topic);
    });
    return writer;
  }

  async #deleting<T>(topic: string, deletion: Promise<T>): Promise<T> {
    // A failed deletion does not block the next writer.
    const over = deletion.catch(() => undefined);
    this.#deletions.set(topic, over);
    try {
      return await deletion;
    } finally {
      if (this.#deletions.get(topic) === over) this.#deletions.delete(topic);
    }
  }

  async #remove(topic: string, writer: TopicWriter | undefined, before: Promise<unknown> | undefined): Promise<void> {
    await before;
    await writer?.discard(new TopicMissing(topic));
    for (;;) {
      const record = await this.#records.get(topic);
      if (!record) return;
      // Its frames are in the record.
      if (record.wholeSince !== undefined) return this.#records.remove(record);
      if (record.state !== 'deleting' && !(await this.#records.replace(record, { ...record, state: 'deleting' }))) continue;
      return this.#destroy(record);
    }
  }

  async #removeAbandoned(topic: string, before: Promise<unknown> | undefined): Promise<boolean> {
    await before;
    const record = await this.#records.get(topic);
    if (record?.state !== 'open') return false;
    const isGone = await this.#nodes.gone();
    if (record.writer !== this.#nodes.id && !isGone(record.writer)) return false;
    if (!(await this.#records.replace(record, { ...record, state: 'deleting' }))) return false;
    await this.#destroy(record);
    return true;
  }

  /** Deletes a marked topic: if interrupted, the next `list` finds and completes it. */
  async #destroy(record: TopicRecord): Promise<void> {
    if (record.wholeSince === undefined) await this.#frames.remove(record._id, record.generation, record.manifest?.frames);
    if (record.previous) await this.#frames.remove(record._id, record.previous);
    await this.#records.remove(record);
  }
}

const sizeOf = ({ data = [] }: WholeRecord): number => bytesOf(data) + 1_024;
