import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { StoredTopics } from '../topics/storedTopics.ts';
import {
  type ReadOptions,
  readingOf,
  type TopicLength,
  type TopicReader,
  type TopicStorage,
  type WriterState,
} from '../topics/topicStorage.ts';
import { bytesOf, type Frame, type FrameBytes, type Manifest, TopicSealed, type Topics, type WholeTopic, wholeOf } from '../topics.ts';
import type { Mongo } from './connection.ts';
import { Frames } from './frames.ts';
import { newGeneration, OpenMongoTopic, type TopicNodes } from './openTopic.ts';
import { patiently } from './patience.ts';
import { asking, present, TopicRecordReader } from './readTopic.ts';
import { isUnsealed, manifestOf, storedManifest, type TopicRecord, TopicRecords, type WholeRecord } from './topicRecords.ts';

/** Topics in MongoDB: a record each in `topics`, and their bytes in `frames`. A process joins the nodes before it writes a topic in pieces. */
export const openMongoTopics = ({
  mongo,
  nodes,
  clock,
}: {
  readonly mongo: Mongo;
  readonly nodes: TopicNodes;
  readonly clock: Clock;
}): Topics => new StoredTopics(new MongoTopics(new TopicRecords(mongo), new Frames(mongo, clock), nodes, clock));

/** How long a whole topic that this node has stored is read from memory: its processors usually start at once. */
const RECENT_MILLISECONDS = 5_000;
const RECENT_BYTES = 4_194_304;

interface Recent {
  readonly record: WholeRecord;
  /** Monotonic. */
  readonly since: number;
}

/** Other nodes may restart, continue or delete every topic, so its state is read from its record each time. */
class MongoTopics implements TopicStorage<OpenMongoTopic> {
  readonly resumesAfterFailure = true;
  readonly #records: TopicRecords;
  readonly #frames: Frames;
  readonly #nodes: TopicNodes;
  readonly #clock: Clock;
  readonly #recent = new LRUCache<string, Recent>({ maxSize: RECENT_BYTES, sizeCalculation: ({ record }) => sizeOf(record) });

  constructor(records: TopicRecords, frames: Frames, nodes: TopicNodes, clock: Clock) {
    this.#records = records;
    this.#frames = frames;
    this.#nodes = nodes;
    this.#clock = clock;
  }

  async open(topic: string, how: 'restart' | 'resume', writer: WriterState): Promise<OpenMongoTopic> {
    const node = await patiently(this.#clock, () => this.#nodes.own());
    return OpenMongoTopic[how](
      { records: this.#records, frames: this.#frames, nodes: this.#nodes, clock: this.#clock, writer },
      topic,
      node,
    );
  }

  /** The frames lie in the record itself, so that an interruption leaves no frames without a record. */
  whole(topic: string, frames: readonly FrameBytes[], manifest: Manifest): WholeTopic {
    const record: WholeRecord = {
      _id: topic,
      generation: newGeneration(),
      previous: null,
      writer: '',
      state: 'sealed',
      manifest: storedManifest(manifest),
      wholeSince: this.#clock.now(),
      data: frames.map(wholeOf).map((one) => (Buffer.isBuffer(one) ? one : Buffer.from(one))),
    };
    let storing: Promise<void> | null = this.#storeWhole(record);
    storing.catch(() => undefined);
    const stored = async (): Promise<void> => {
      storing ??= this.#storeWhole(record);
      await storing.catch((error: unknown) => {
        storing = null;
        throw error;
      });
    };
    return { topic, manifest, stored };
  }

  async #storeWhole(record: WholeRecord): Promise<void> {
    const { _id: topic, generation } = record;
    await patiently(this.#clock, async () => {
      // The answer to an earlier try may have been lost.
      if ((await this.#records.create(record)) || (await this.#records.get(topic))?.generation === generation) return;
      throw new TopicSealed(topic);
    });
    this.#recent.set(topic, { record, since: this.#clock.monotonic() });
  }

  async manifest(topic: string): Promise<Manifest | null> {
    const record = await this.#record(topic);
    return record && manifestOf(record);
  }

  async size(topic: string): Promise<TopicLength | null> {
    const record = await this.#record(topic);
    if (!record || record.state === 'deleting') return null;
    if (record.manifest) return { frames: record.manifest.frames, bytes: record.manifest.bytes };
    return this.#frames.end(topic, record.generation);
  }

  async read(topic: string, options: ReadOptions<OpenMongoTopic>): Promise<TopicReader> {
    // A topic that is being created here exists afterwards.
    await options.opened().catch(() => undefined);
    const read = () => this.#records.getWhole(topic);
    const record = present(topic, this.#justStored(topic) ?? (await asking(this.#clock, options, read)));
    if (record.data) return readingOf(framesOf(record));
    return new TopicRecordReader({ records: this.#records, frames: this.#frames, clock: this.#clock }, record, options);
  }

  async *list(inHand: (topic: string) => boolean): AsyncIterable<{ topic: string; manifest: Manifest | null }> {
    const isAbandoned = await this.#abandoned();
    for await (const record of this.#records.all()) {
      const { _id: topic, state } = record;
      if (inHand(topic)) continue;
      if (state === 'sealed') yield { topic, manifest: manifestOf(record) };
      else if (state === 'deleting')
        await this.#destroy(record); // interrupted, or running elsewhere
      else if (isAbandoned(record)) yield { topic, manifest: null };
    }
  }

  /** For topics that this process has not in hand. */
  async #abandoned(): Promise<(record: TopicRecord) => boolean> {
    const isRemoved = await this.#nodes.removed();
    return (record) => isUnsealed(record) && (record.writer === this.#nodes.id || isRemoved(record.writer));
  }

  async remove(topic: string): Promise<void> {
    this.#recent.delete(topic);
    for (;;) {
      const record = await this.#records.get(topic);
      if (!record) return;
      // Its frames are in the record.
      if (record.wholeSince !== undefined) return this.#records.remove(record);
      if (record.state !== 'deleting' && !(await this.#records.replace(record, { ...record, state: 'deleting' }))) continue;
      return this.#destroy(record);
    }
  }

  async removeAbandoned(topic: string): Promise<boolean> {
    // First: the nodes that are looked at afterwards include its writer.
    const record = await this.#records.get(topic);
    if (!record || !(await this.#abandoned())(record)) return false;
    if (!(await this.#records.replace(record, { ...record, state: 'deleting' }))) return false;
    await this.#destroy(record);
    return true;
  }

  /** As `purge` of the documents. */
  async purge(): Promise<void> {}

  async close(): Promise<void> {}

  async #record(topic: string): Promise<TopicRecord | null> {
    return this.#justStored(topic) ?? this.#records.get(topic);
  }

  #justStored(topic: string): WholeRecord | undefined {
    const recent = this.#recent.get(topic);
    if (recent && this.#clock.monotonic() - recent.since < RECENT_MILLISECONDS) return recent.record;
    this.#recent.delete(topic);
    return undefined;
  }

  /** Deletes a marked topic: if interrupted, the next `list` finds and completes it. */
  async #destroy(record: TopicRecord): Promise<void> {
    if (record.wholeSince === undefined) await this.#frames.remove(record._id, record.generation, record.manifest?.frames);
    if (record.previous) await this.#frames.remove(record._id, record.previous);
    await this.#records.remove(record);
  }
}

const sizeOf = ({ data = [] }: WholeRecord): number => bytesOf(data) + 1_024;

const framesOf = ({ wholeSince: at = 0, data = [] }: WholeRecord): Frame[] =>
  data.map((bytes, sequence) => ({ sequence, at, data: bytes }));
