import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { answerAppends, answerSealed, type Batch, TopicOperations } from '../topicOperations.ts';
import { type Manifest, TopicMissing, TopicSealed } from '../topics.ts';
import type { Frames, NewFrame } from './frames.ts';
import { patiently } from './patience.ts';
import { manifestOf, type TopicRecord, type TopicRecords } from './topicRecords.ts';

/** After a check of the topic, frames that are written with the seal need no other one for this long: the seal detects a lost topic itself. */
const LOOK_MILLISECONDS = 2_000;
/** Frames read per request when a topic is resumed. */
const READ_TOGETHER = 8;

export interface TopicWriterDeps {
  readonly topic: string;
  /** The id of this node. */
  readonly node: string;
  readonly records: TopicRecords;
  readonly frames: Frames;
  readonly clock: Clock;
}

/**
 * A topic that this node writes. Modes: open, then one of
 * - sealed: nothing follows;
 * - ended: deleted or restarted, here or elsewhere (`TopicMissing`), closed, or an insert failed (`StoreUnavailable`). Then the stored
 *   frames are unknown, so another writer has to read them.
 *
 * One insert at a time takes all waiting frames. Each is answered only if the topic still belonged to this node after the append was called.
 */
export class TopicWriter {
  frames = 0;
  bytes = 0;
  manifest: Manifest | null = null;
  /** Resolves when the topic belongs to this node; rejects if it cannot. */
  readonly ready: Promise<void>;
  readonly #deps: TopicWriterDeps;
  readonly #hash = createHash('sha256');
  #record: TopicRecord | null = null;
  #ended: Error | null = null;
  #looked = 0;
  readonly #operations: TopicOperations<Uint8Array>;

  /** Starts when `before` is over. `restart` empties an unsealed topic; `resume` continues after its frames. */
  constructor(deps: TopicWriterDeps, how: 'restart' | 'resume', before: Promise<unknown> | undefined) {
    this.#deps = deps;
    this.ready = this.#open(how, before);
    this.ready.catch((error: unknown) => this.#end(error));
    this.#operations = new TopicOperations(this.ready, (batch) => this.#perform(batch));
  }

  /** Whether it ended because the store was away: then the topic can be resumed. */
  get isCutOff(): boolean {
    return this.#ended instanceof StoreUnavailable;
  }

  /** Whether the record names this writer. */
  owns({ generation, writer, state }: TopicRecord): boolean {
    const own = this.#record;
    return this.#ended === null && own?.generation === generation && own.writer === writer && state === 'open';
  }

  append(frames: readonly Uint8Array[]): Promise<number> {
    return this.#operations.append(frames);
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return this.#operations.seal(attributes);
  }

  /** Ends it for `reason`; resolves when nothing is being sent. */
  async discard(reason: Error): Promise<void> {
    this.#end(reason);
    await this.ready.catch(() => undefined);
    await this.#operations.settled();
  }

  async #open(how: 'restart' | 'resume', before: Promise<unknown> | undefined): Promise<void> {
    await before;
    this.#record = await (how === 'resume' ? this.#resume() : this.#restart());
    this.#looked = this.#deps.clock.monotonic();
  }

  async #restart(): Promise<TopicRecord> {
    const { topic, node, records, frames } = this.#deps;
    const generation = randomBytes(6).toString('hex');
    const record: TopicRecord = { _id: topic, generation, previous: null, writer: node, state: 'open', manifest: null };
    for (;;) {
      if (await records.create(record)) return record;
      const old = await records.get(topic);
      if (old?.state === 'sealed') throw new TopicSealed(topic);
      if (!old) continue;
      if (old.previous) await frames.remove(topic, old.previous);
      const replaced = { ...record, previous: old.generation };
      if (!(await records.replace(old, replaced))) continue;
      await frames.remove(topic, old.generation);
      return replaced;
    }
  }

  async #resume(): Promise<TopicRecord> {
    const { topic, node, records, frames } = this.#deps;
    const old = await records.get(topic);
    if (old?.state === 'sealed') throw new TopicSealed(topic);
    if (old?.state !== 'open') throw new TopicMissing(topic);
    const record = { ...old, writer: node };
    if (!(await records.replace(old, record))) throw new TopicMissing(topic);
    for (;;) {
      const read = await frames.get(topic, old.generation, this.frames, READ_TOGETHER);
      for (const { data } of read) this.#hash.update(data);
      this.#count(read.map(({ data }) => data));
      if (read.length < READ_TOGETHER) return record;
    }
  }

  async #perform(batch: Batch<Uint8Array>): Promise<void> {
    if (this.manifest) return answerSealed(batch, this.#deps.topic, this.manifest);
    const { appends, seal } = batch;
    if (this.#ended) throw this.#ended;
    const record = this.#record;
    if (!record) throw new TopicMissing(this.#deps.topic);
    const frames = appends.flatMap((append) => append.frames);
    const first = this.frames;
    if (!seal || this.#deps.clock.monotonic() - this.#looked >= LOOK_MILLISECONDS) await this.#refuseLost(record);
    await this.#insert(record, frames);
    answerAppends(batch, first);
    if (seal) seal.resolve(await this.#seal(record, seal.attributes));
  }

  /** Rejects if another node has restarted, resumed or deleted the topic. */
  async #refuseLost(record: TopicRecord): Promise<void> {
    const { records, clock } = this.#deps;
    const now = clock.monotonic();
    const present = await patiently(clock, () => records.get(record._id));
    this.#looked = now;
    if (present?.generation !== record.generation || present.state !== 'open' || present.writer !== record.writer) await this.#lose(record);
  }

  /** Removes frames written too late. If another node has resumed the topic, they stay, and the topic can be resumed here again. */
  async #lose({ _id, generation }: TopicRecord): Promise<never> {
    const missing = new TopicMissing(_id);
    const present = await this.#deps.records.get(_id);
    const isResumed = present?.generation === generation && present.state !== 'deleting';
    this.#end(isResumed && present.state === 'open' ? new StoreUnavailable(`topic ${_id} is written by another node`) : missing);
    if (!isResumed) await this.#deps.frames.remove(_id, generation, this.frames);
    throw missing;
  }

  async #insert({ _id, generation }: TopicRecord, appended: readonly Uint8Array[]): Promise<void> {
    if (appended.length === 0) return;
    const at = this.#deps.clock.now();
    let { bytes } = this;
    const frames = appended.map((data, i): NewFrame => {
      bytes += data.length;
      return { sequence: this.frames + i, at, data, bytes };
    });
    const inserting = this.#deps.frames.insert(_id, generation, frames);
    for (const data of appended) this.#hash.update(data);
    try {
      await inserting;
    } catch (error) {
      this.#end(error);
      throw error;
    }
    this.#count(appended);
  }

  async #seal(record: TopicRecord, attributes: JsonObject): Promise<Manifest> {
    const { records, clock } = this.#deps;
    const manifest: Manifest = { frames: this.frames, bytes: this.bytes, sha256: this.#hash.copy().digest('hex'), attributes };
    const sealed: TopicRecord = { ...record, state: 'sealed', manifest: { ...manifest, attributes: JSON.stringify(attributes) } };
    const replaced = await patiently(clock, async () => {
      if (await records.replace(record, sealed)) return true;
      const present = await records.get(record._id);
      return present?.generation === record.generation && isDeepStrictEqual(manifestOf(present), manifest);
    });
    if (!replaced) return this.#lose(record);
    this.manifest = manifest;
    return manifest;
  }

  #count(frames: readonly Uint8Array[]): void {
    this.frames += frames.length;
    for (const frame of frames) this.bytes += frame.length;
  }

  #end(reason: unknown): void {
    if (this.manifest === null) this.#ended ??= reason instanceof Error ? reason : new Error(String(reason));
  }
}
