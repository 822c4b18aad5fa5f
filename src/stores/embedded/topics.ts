import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { bytesOf } from '../topicOperations.ts';
import {
  type Frame,
  type FrameBytes,
  MAX_WHOLE_BYTES,
  type Manifest,
  piecesOf,
  type ReadTopicOptions,
  TOPIC_ID,
  TopicDamaged,
  TopicMissing,
  TopicSealed,
  type Topics,
  type WholeTopic,
} from '../topics.ts';
import { SyncedDirectory } from './directory.ts';
import { close, codeOf, listed, openExisting, unlink } from './files.ts';
import { FollowedFrames } from './followedFrames.ts';
import { sealedTopics } from './sealedTopics.ts';
import { dataWithin, encodeWhole, parseWhole, readEnd, readManifest, SegmentReader } from './segment.ts';
import type { TopicRows } from './topicRows.ts';
import { TopicWriter } from './topicWriter.ts';

export interface EmbeddedTopicsOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** Store for whole topics. Without it, all topics are files. */
  readonly rows?: TopicRows;
}

/**
 * Topics as files under `directory/<first two hex digits>/<topic id>` (see `segment.ts`), and small whole ones as rows beside the events. Ids are
 * UUIDs in lower case; any other id is missing and cannot be created. Callers must not change the bytes of a frame after appending it.
 */
export const openEmbeddedTopics = async ({ directory, clock, rows = NO_ROWS }: EmbeddedTopicsOptions): Promise<Topics> => {
  makeDirectories(directory);
  return new EmbeddedTopics(directory, clock, rows);
};

const NO_ROWS: TopicRows = {
  hasRoom: () => false,
  get: () => null,
  has: () => false,
  after: () => [],
  drop: async () => {},
  purge: async () => {},
};

const ROWS_PAGE = 100;

/** Creates all 256 at once, so that no upload has to create and sync one. */
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
  /** Open topics; a sealed one is only its file. */
  readonly #writers = new Map<string, TopicWriter>();
  readonly #sealed = sealedTopics();
  readonly #followed = new FollowedFrames();
  /** Running deletions, which a new writer of the same topic waits for. */
  readonly #deletions = new Map<string, Promise<void>>();

  readonly #rows: TopicRows;

  constructor(directory: string, clock: Clock, rows: TopicRows) {
    this.#directory = directory;
    this.#clock = clock;
    this.#rows = rows;
  }

  whole(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): WholeTopic | null {
    if (!TOPIC_ID.test(topic) || !this.#rows.hasRoom()) return null;
    const bytes = bytesOf(frames);
    if (bytes > MAX_WHOLE_BYTES || this.#writers.has(topic) || this.#deletions.has(topic)) return null;
    const hash = createHash('sha256');
    for (const piece of frames.flatMap(piecesOf)) hash.update(piece);
    const manifest: Manifest = { frames: frames.length, bytes, sha256: hash.digest('hex'), attributes };
    const at = this.#clock.now();
    const segment = encodeWhole(frames, manifest, at);
    const stored = () => {
      this.#sealed.set(topic, { manifest, frames: dataWithin(segment, frames).map((data, sequence) => ({ sequence, at, data })) });
    };
    return { topic, manifest, segment, stored };
  }

  async create(topic: string): Promise<void> {
    if (!TOPIC_ID.test(topic)) throw new Error(`not a topic id: ${JSON.stringify(topic)}`);
    const earlier = this.#writers.get(topic);
    await this.#open(topic, 'restart', earlier?.discard(new TopicMissing(topic))).ready;
  }

  async append(topic: string, frames: readonly FrameBytes[]): Promise<number> {
    return (this.#writers.get(topic) ?? this.#resume(topic)).append(frames);
  }

  async seal(topic: string, attributes: JsonObject = {}): Promise<Manifest> {
    try {
      const writer = this.#writers.get(topic) ?? this.#resume(topic);
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
    if (!TOPIC_ID.test(topic)) return null;
    const row = this.#rows.get(topic);
    return row ? parseWhole(row).manifest : readManifest(this.#path(topic));
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
      const sealed = error instanceof TopicSealed ? await this.manifest(topic) : null;
      if (!sealed) throw error;
      return { frames: sealed.frames, bytes: sealed.bytes };
    }
  }

  async *read(topic: string, { after = -1, follow = false, signal }: ReadTopicOptions = {}): AsyncIterable<Frame> {
    signal?.throwIfAborted();
    const known = this.#sealed.get(topic)?.frames ?? this.#rowFrames(topic);
    const writer = known ? undefined : await this.#writerToFollow(topic, follow);
    // A short run may store its row while readers look for its file.
    const kept = known ?? this.#rowFrames(topic);
    if (kept) {
      for (const frame of kept.slice(after + 1)) {
        signal?.throwIfAborted();
        yield frame;
      }
      return;
    }
    const fd = await openExisting(this.#path(topic), 'r');
    if (fd === null) throw new TopicMissing(topic);
    if (writer) writer.followers += 1;
    try {
      // Recreated meanwhile: the file may be the new one's.
      if (writer?.ended) throw writer.ended;
      yield* this.#frames(topic, new SegmentReader(fd), writer, { after, follow, signal });
    } finally {
      if (writer) writer.followers -= 1;
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
    for (let topics = this.#rows.after('', ROWS_PAGE); topics.length > 0; topics = this.#rows.after(topics.at(-1) ?? '', ROWS_PAGE)) {
      for (const topic of topics) {
        const row = this.#rows.get(topic);
        if (row) yield { topic, manifest: parseWhole(row).manifest };
      }
    }
    for (const name of await listed(this.#directory)) {
      const topics = await listed(join(this.#directory, name));
      for (const topic of topics.filter((id) => TOPIC_ID.test(id) && !this.#writers.has(id)))
        yield { topic, manifest: await readManifest(this.#path(topic)) };
    }
  }

  async deleteAbandoned(topic: string): Promise<boolean> {
    if (!TOPIC_ID.test(topic) || this.#writers.has(topic) || this.#rows.has(topic)) return false;
    // A new writer waits until the deletion is over.
    return this.#deleting(topic, this.#removeAbandoned(topic, this.#deletions.get(topic)));
  }

  async close(): Promise<void> {
    const closed = new StoreUnavailable('the topics are closed');
    await Promise.all([...this.#writers.values()].map((writer) => writer.discard(closed)));
    this.#writers.clear();
    await Promise.all([...this.#directories.values()].map((directory) => directory.close()));
  }

  purge(): Promise<void> {
    return this.#rows.purge();
  }

  /** All frames of a whole topic; `null` if it is not whole. */
  #rowFrames(topic: string): Frame[] | null {
    const row = TOPIC_ID.test(topic) && !this.#writers.has(topic) ? this.#rows.get(topic) : null;
    return row ? parseWhole(row).records.map(({ at, data }, sequence) => ({ sequence, at, data })) : null;
  }

  /** The writer that the reader follows; `null` for a sealed topic, and for one without a writer that nothing waits for. */
  async #writerToFollow(topic: string, follow: boolean): Promise<TopicWriter | undefined> {
    try {
      let writer = this.#writers.get(topic);
      if (!writer && follow && !(await this.manifest(topic))) writer = this.#writers.get(topic) ?? this.#resume(topic);
      await writer?.ready;
      return writer;
    } catch (error) {
      // Sealed meanwhile: its file or row has everything.
      if (error instanceof TopicSealed) return undefined;
      throw error;
    }
  }

  async *#frames(
    topic: string,
    reader: SegmentReader,
    writer: TopicWriter | undefined,
    { after, follow, signal }: { after: number; follow: boolean; signal: AbortSignal | undefined },
  ): AsyncGenerator<Frame> {
    for (let sequence = 0; ; ) {
      const written = writer && this.#followed.take(writer.id, sequence);
      if (written) {
        reader.offset = written.end;
        for (const frame of written.frames) {
          signal?.throwIfAborted();
          if (frame.sequence > after) yield frame;
        }
        sequence += written.frames.length;
        continue;
      }
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

  #open(topic: string, how: 'restart' | 'resume', before: Promise<void> | undefined): TopicWriter {
    if (this.#rows.has(topic)) throw new TopicSealed(topic);
    const directory = this.#directoryOf(topic);
    const file = { topic, path: this.#path(topic), clock: this.#clock, syncDirectory: () => directory.sync(), followed: this.#followed };
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
    if (this.#rows.has(topic)) return this.#rows.drop(topic);
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

  /** Throws on an invalid topic id, so that no other path can be formed. */
  #path(topic: string): string {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    return join(this.#directory, topic.slice(0, 2), topic);
  }
}
