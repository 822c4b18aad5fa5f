import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { MAX_FRAME_BYTES, type Manifest, TopicMissing, TopicSealed } from '../topics.ts';
import type { Frames, NewFrame } from './frames.ts';
import { patiently } from './patience.ts';
import { manifestOf, type TopicRecord, type TopicRecords } from './topicRecords.ts';

type Operation =
  | { kind: 'append'; frames: readonly Uint8Array[]; resolve: (sequence: number) => void; reject: (error: unknown) => void }
  | { kind: 'seal'; attributes: JsonObject; resolve: (manifest: Manifest) => void; reject: (error: unknown) => void };

/** Most of what one insert takes, so that appends which came while the store was busy share the next one. */
const MAX_INSERT_BYTES = 4 * 1_048_576;
/** How long a writer may go on without looking whether the topic is still its own. */
const LOOK_MILLISECONDS = 2_000;
/** Frames read together when a topic is taken up. */
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
 * - ended: deleted or begun anew, here or elsewhere (`TopicMissing`), closed, or an insert failed (`StoreUnavailable`): which frames are
 *   there is then known to nobody, and has to be read again by another writer.
 *
 * Appends and the seal are queued; one insert at a time takes all that has come.
 */
export class TopicWriter {
  frames = 0;
  bytes = 0;
  manifest: Manifest | null = null;
  /** Resolves when the topic is this node's; rejects when it cannot be. */
  readonly ready: Promise<void>;
  readonly #deps: TopicWriterDeps;
  readonly #hash = createHash('sha256');
  #record: TopicRecord | null = null;
  #ended: Error | null = null;
  #looked = 0;
  #queue: Operation[] = [];
  #writing: Promise<void> | null = null;

  /** `before`: what must be over first. `anew` empties an unsealed leftover; else it is taken up where its frames end. */
  constructor(deps: TopicWriterDeps, how: 'anew' | 'resume', before: Promise<unknown> | undefined) {
    this.#deps = deps;
    this.ready = this.#open(how, before);
    this.ready.catch((error: unknown) => this.#end(error));
  }

  /** Whether it ended because the store was away: the topic can be taken up again. */
  get isCutOff(): boolean {
    return this.#ended instanceof StoreUnavailable;
  }

  /** Whether what it knows of the topic holds of this record. */
  owns({ generation, writer, state }: TopicRecord): boolean {
    const own = this.#record;
    return this.#ended === null && own?.generation === generation && own.writer === writer && state === 'open';
  }

  append(frames: readonly Uint8Array[]): Promise<number> {
    const large = frames.find((frame) => frame.length > MAX_FRAME_BYTES);
    if (large) return Promise.reject(new RangeError(`a frame of ${large.length} bytes; at most ${MAX_FRAME_BYTES}`));
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'append', frames, resolve, reject }));
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'seal', attributes, resolve, reject }));
  }

  /** Ends it for `reason`; resolves when it sends nothing any more. */
  async discard(reason: Error): Promise<void> {
    this.#end(reason);
    await this.ready.catch(() => undefined);
    await this.#writing;
  }

  async #open(how: 'anew' | 'resume', before: Promise<unknown> | undefined): Promise<void> {
    await before;
    this.#record = await (how === 'resume' ? this.#resume() : this.#anew());
    this.#looked = this.#deps.clock.monotonic();
  }

  async #anew(): Promise<TopicRecord> {
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

  #enqueue(operation: Operation): void {
    this.#queue.push(operation);
    this.#writing ??= this.#work();
  }

  async #work(): Promise<void> {
    await this.ready.catch(() => undefined);
    // What is appended in the same turn goes in one insert.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#take();
      try {
        await this.#perform(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = null;
  }

  /** Appends up to a bound, and the seal when it comes right behind them. */
  #take(): Operation[] {
    let bytes = 0;
    let taken = 0;
    for (const operation of this.#queue) {
      taken += 1;
      if (operation.kind === 'seal') break;
      for (const frame of operation.frames) bytes += frame.length;
      if (bytes >= MAX_INSERT_BYTES) break;
    }
    return this.#queue.splice(0, taken);
  }

  async #perform(batch: readonly Operation[]): Promise<void> {
    const { topic } = this.#deps;
    const appends = batch.filter((operation) => operation.kind === 'append');
    const seal = batch.find((operation) => operation.kind === 'seal');
    if (this.manifest) {
      for (const append of appends) append.reject(new TopicSealed(topic));
      if (seal && isDeepStrictEqual(seal.attributes, this.manifest.attributes)) seal.resolve(this.manifest);
      else seal?.reject(new TopicSealed(topic));
      return;
    }
    const record = await this.#own();
    let sequence = this.frames - 1;
    await this.#insert(record, appends);
    for (const append of appends) {
      sequence += append.frames.length;
      append.resolve(sequence);
    }
    if (seal) seal.resolve(await this.#seal(record, seal.attributes));
  }

  /** The record, as long as the topic is this node's. A process that was paused finds out here that another has begun it anew or deleted it. */
  async #own(): Promise<TopicRecord> {
    if (this.#ended) throw this.#ended;
    const record = this.#record;
    if (!record) throw new TopicMissing(this.#deps.topic);
    const now = this.#deps.clock.monotonic();
    if (now - this.#looked < LOOK_MILLISECONDS) return record;
    const present = await patiently(this.#deps.clock, () => this.#deps.records.get(record._id));
    if (present?.generation !== record.generation || present.state !== 'open' || present.writer !== record.writer) await this.#lose(record);
    this.#looked = now;
    return record;
  }

  /** What was sent before anybody noticed goes. One that another node has taken up, which goes on with these frames, can be taken up here again. */
  async #lose({ _id, generation }: TopicRecord): Promise<never> {
    const missing = new TopicMissing(_id);
    const present = await this.#deps.records.get(_id);
    const goesOn = present?.generation === generation && present.state !== 'deleting';
    this.#end(goesOn && present.state === 'open' ? new StoreUnavailable(`topic ${_id} is written by another node`) : missing);
    if (!goesOn) await this.#deps.frames.remove(_id, generation, this.frames);
    throw missing;
  }

  async #insert({ _id, generation }: TopicRecord, appends: readonly Extract<Operation, { kind: 'append' }>[]): Promise<void> {
    const at = this.#deps.clock.now();
    let { bytes } = this;
    const frames: NewFrame[] = [];
    for (const append of appends) {
      for (const data of append.frames) {
        bytes += data.length;
        frames.push({ sequence: this.frames + frames.length, at, data, bytes });
      }
    }
    if (frames.length === 0) return;
    const inserting = this.#deps.frames.insert(_id, generation, frames);
    for (const { data } of frames) this.#hash.update(data);
    try {
      await inserting;
    } catch (error) {
      this.#end(error);
      throw error;
    }
    this.#count(frames.map(({ data }) => data));
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
