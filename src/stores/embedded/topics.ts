import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { StoreUnavailable } from '../eventStore.ts';
import {
  type Frame,
  type FrameBytes,
  type Manifest,
  type ReadTopicOptions,
  TOPIC_ID,
  TopicDamaged,
  TopicMissing,
  TopicSealed,
  type Topics,
} from '../topics.ts';
import { SyncedDirectory } from './directory.ts';
import { close, codeOf, listed, openExisting, unlink } from './files.ts';
import { sealedTopics } from './sealedTopics.ts';
import { readEnd, readManifest, SegmentReader } from './segment.ts';
import { TopicWriter } from './topicWriter.ts';

/**
 * Topics as files under `directory/<first two hex digits>/<topic id>` (`segment.ts` says their form). Ids are UUIDs in lower case; any
 * other id is a topic that is not there, and cannot be created. The caller must not change the bytes of a frame that it has appended.
 */
export const openEmbeddedTopics = async ({ directory, clock }: { directory: string; clock: Clock }): Promise<Topics> => {
  makeDirectories(directory);
  return new EmbeddedTopics(directory, clock);
};

/** All 256 at once, so that no upload has to make and sync one. */
const makeDirectories = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const present = new Set(readdirSync(directory));
  const missing = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0')).filter((name) => !present.has(name));
  for (const name of missing) mkdirSync(join(directory, name), { mode: 0o700 });
  const fd = openSync(directory, 'r');
  fsyncSync(fd);
  closeSync(fd);
};

class EmbeddedTopics implements Topics {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #directories = new Map<string, SyncedDirectory>();
  /** Those that are open; a sealed one is only its file. */
  readonly #writers = new Map<string, TopicWriter>();
  readonly #sealed = sealedTopics();
  /** Deletions under way, which a new writer of the same topic waits for. */
  readonly #deletions = new Map<string, Promise<void>>();

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  async create(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) throw new Error(`not a topic id: ${JSON.stringify(topic)}`);
    const earlier = this.#writers.get(topic);
    await this.#open(topic, 'anew', earlier?.discard(new TopicMissing(topic))).ready;
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    return (this.#writers.get(topic) ?? this.#resume(topic)).append(frames);
  }

  async seal(topic: string, attributes: JsonObject = {}): Promise<Manifest> {
    const writer = this.#writers.get(topic) ?? this.#resume(topic);
    try {
      const manifest = await writer.seal(attributes);
      if (this.#writers.get(topic) === writer) {
        this.#writers.delete(topic);
        this.#sealed.set(topic, { manifest, frames: writer.kept });
      }
      return manifest;
    } catch (error) {
      const manifest = error instanceof TopicSealed ? await this.manifest(topic) : null;
      if (manifest && isDeepStrictEqual(manifest.attributes, attributes)) return manifest;
      throw error;
    }
  }

  async manifest(topic: string): Promise<Manifest | null> {
    const writer = this.#writers.get(topic);
    if (writer) return writer.manifest;
    const sealed = this.#sealed.get(topic);
    if (sealed) return sealed.manifest;
    return TOPIC_ID.test(topic) ? readManifest(this.#path(topic)) : null;
  }

  async size(topic: string): Promise<{ frames: number; bytes: number } | null> {
    const manifest = await this.manifest(topic);
    if (manifest) return { frames: manifest.frames, bytes: manifest.bytes };
    try {
      const writer = this.#writers.get(topic) ?? this.#resume(topic);
      await writer.ready;
      return { frames: writer.frames, bytes: writer.bytes };
    } catch (error) {
      if (error instanceof TopicMissing) return null;
      throw error;
    }
  }

  async *read(topic: string, { after = -1, follow = false, signal }: ReadTopicOptions = {}): AsyncIterable<Frame> {
    signal?.throwIfAborted();
    const kept = this.#sealed.get(topic)?.frames;
    if (kept) {
      for (const frame of kept.slice(after + 1)) {
        signal?.throwIfAborted();
        yield frame;
      }
      return;
    }
    const writer = await this.#writerToFollow(topic, follow);
    const fd = await openExisting(this.#path(topic), 'r');
    if (fd === null) throw new TopicMissing(topic);
    try {
      // Begun anew in between: the file may be the new one's.
      if (writer?.ended) throw writer.ended;
      yield* this.#frames(topic, new SegmentReader(fd), writer, { after, follow, signal });
    } finally {
      await close(fd);
    }
  }

  async delete(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) return;
    const writer = this.#writers.get(topic);
    this.#writers.delete(topic);
    this.#sealed.delete(topic);
    await this.#deleting(topic, this.#remove(topic, writer, this.#deletions.get(topic)));
  }

  async *list(): AsyncIterable<{ topic: string; manifest: Manifest | null }> {
    for (const name of await listed(this.#directory)) {
      const topics = await listed(join(this.#directory, name));
      for (const topic of topics.filter((id) => TOPIC_ID.test(id) && !this.#writers.has(id)))
        yield { topic, manifest: await readManifest(this.#path(topic)) };
    }
  }

  async deleteAbandoned(topic: string): Promise<boolean> {
    if (!TOPIC_ID.test(topic) || this.#writers.has(topic)) return false;
    // A writer that comes meanwhile waits until it is over.
    return this.#deleting(topic, this.#removeAbandoned(topic, this.#deletions.get(topic)));
  }

  async close(): Promise<void> {
    const closed = new StoreUnavailable('the topics are closed');
    await Promise.all([...this.#writers.values()].map((writer) => writer.discard(closed)));
    this.#writers.clear();
    await Promise.all([...this.#directories.values()].map((directory) => directory.close()));
  }

  /** The writer whose progress the reader follows; none for a sealed topic, and for one that nobody writes and nobody waits for. */
  async #writerToFollow(topic: string, follow: boolean): Promise<TopicWriter | undefined> {
    let writer = this.#writers.get(topic);
    if (!writer && follow && !(await this.manifest(topic))) writer = this.#writers.get(topic) ?? this.#resume(topic);
    await writer?.ready.catch((error: unknown) => {
      // Sealed since we looked: its file tells all.
      if (!(error instanceof TopicSealed)) throw error;
      writer = undefined;
    });
    return writer;
  }

  async *#frames(
    topic: string,
    reader: SegmentReader,
    writer: TopicWriter | undefined,
    { after, follow, signal }: { after: number; follow: boolean; signal: AbortSignal | undefined },
  ): AsyncGenerator<Frame> {
    for (let sequence = 0; ; ) {
      const end = writer?.end;
      const records = await reader.next(end);
      for (const { kind, at, data } of records) {
        signal?.throwIfAborted();
        if (kind === 'manifest') return;
        if (sequence > after) yield { sequence, at, data };
        sequence += 1;
      }
      if (records.length > 0 || (writer && writer.end !== end)) continue;
      if (end === undefined ? follow || (await this.manifest(topic)) : reader.offset < end) {
        throw new TopicDamaged(topic, sequence - 1);
      }
      if (!follow || !writer) return;
      if (writer.ended) throw writer.ended;
      await writer.changes.wait({ signal });
      signal?.throwIfAborted();
    }
  }

  #resume(topic: string): TopicWriter {
    return this.#open(topic, 'resume', undefined);
  }

  #open(topic: string, how: 'anew' | 'resume', before: Promise<void> | undefined): TopicWriter {
    const directory = this.#directoryOf(topic);
    const file = { topic, path: this.#path(topic), clock: this.#clock, syncDirectory: () => directory.sync() };
    const writer = new TopicWriter(file, how, Promise.all([before, this.#deletions.get(topic)]));
    this.#writers.set(topic, writer);
    writer.ready.catch(() => {
      if (this.#writers.get(topic) === writer) this.#writers.delete(topic);
    });
    return writer;
  }

  async #deleting<T>(topic: string, removal: Promise<T>): Promise<T> {
    const deletion = removal.then(() => undefined);
    deletion.catch(() => undefined);
    this.#deletions.set(topic, deletion);
    try {
      return await removal;
    } finally {
      if (this.#deletions.get(topic) === deletion) this.#deletions.delete(topic);
    }
  }

  async #removeAbandoned(topic: string, before: Promise<void> | undefined): Promise<boolean> {
    await before;
    const fd = await openExisting(this.#path(topic), 'r');
    if (fd === null) return false;
    const sealed = await readEnd(fd).finally(() => close(fd));
    if (sealed) return false;
    await unlink(this.#path(topic));
    return true;
  }

  async #remove(topic: string, writer: TopicWriter | undefined, before: Promise<void> | undefined): Promise<void> {
    await before;
    await writer?.discard(new TopicMissing(topic));
    await unlink(this.#path(topic)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }

  #directoryOf(topic: string): SyncedDirectory {
    const name = topic.slice(0, 2);
    let directory = this.#directories.get(name);
    if (!directory) {
      directory = new SyncedDirectory(join(this.#directory, name));
      this.#directories.set(name, directory);
    }
    return directory;
  }

  /** Throws for what is no topic id, so that no other path can ever be made. */
  #path(topic: string): string {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    return join(this.#directory, topic.slice(0, 2), topic);
  }
}
