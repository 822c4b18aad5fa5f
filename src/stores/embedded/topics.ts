import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { syncPath } from '../syncPath.ts';
import { StoredTopics } from '../topics/storedTopics.ts';
import {
  type ReadOptions,
  readingOf,
  type TopicLength,
  type TopicReader,
  type TopicStorage,
  type WriterState,
} from '../topics/topicStorage.ts';
import {
  type Frame,
  type FrameBytes,
  type Manifest,
  TOPIC_ID,
  TopicDamaged,
  TopicMissing,
  TopicSealed,
  type Topics,
  type WholeTopic,
} from '../topics.ts';
import { close, codeOf, listed, openExisting, unlink } from './files.ts';
import { encodeWhole, parseWhole, readEnd, readManifest, SegmentReader } from './segment.ts';
import { TopicFile } from './topicFile.ts';
import { TopicFileReader } from './topicFileReader.ts';
import type { TopicRows } from './topicRows.ts';

export interface EmbeddedTopicsOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** Store for whole topics. Without it, all topics are files. */
  readonly rows?: TopicRows;
}

/** Topics as files under `directory/<first two hex digits>/<topic id>` (see `segment.ts`), and small whole ones as rows beside the events. */
export const openEmbeddedTopics = async (options: EmbeddedTopicsOptions): Promise<Topics> => {
  makeDirectories(options.directory);
  return new StoredTopics(new TopicFiles(options));
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
  syncPath(directory);
};

/** This process is the only one that uses them. */
class TopicFiles implements TopicStorage<TopicFile> {
  /** After a failed sync, a part of the file may be lost although it can still be read. */
  readonly resumesAfterFailure = false;
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #rows: TopicRows;

  constructor({ directory, clock, rows = NO_ROWS }: EmbeddedTopicsOptions) {
    this.#directory = directory;
    this.#clock = clock;
    this.#rows = rows;
  }

  async open(topic: string, how: 'restart' | 'resume', writer: WriterState): Promise<TopicFile> {
    if (this.#rows.has(topic)) throw new TopicSealed(topic);
    return TopicFile[how]({ topic, path: this.#path(topic), clock: this.#clock, writer });
  }

  whole(topic: string, frames: readonly FrameBytes[], manifest: Manifest): WholeTopic | null {
    if (!this.#rows.hasRoom()) return null;
    return { topic, manifest, segment: encodeWhole(frames, manifest, this.#clock.now()) };
  }

  async manifest(topic: string): Promise<Manifest | null> {
    return this.#whole(topic)?.manifest ?? readManifest(this.#path(topic));
  }

  async size(topic: string): Promise<TopicLength | null> {
    const sealed = await this.manifest(topic);
    if (sealed) return { frames: sealed.frames, bytes: sealed.bytes };
    const fd = await openExisting(this.#path(topic), 'r');
    // A short run may store its row while readers look for its file.
    if (fd === null) return this.#rows.has(topic) ? this.size(topic) : null;
    try {
      let [frames, bytes] = [0, 0];
      for await (const { data } of new SegmentReader(fd).frames()) [frames, bytes] = [frames + 1, bytes + data.length];
      return { frames, bytes };
    } finally {
      await close(fd);
    }
  }

  async read(topic: string, { follow, signal, opened }: ReadOptions<TopicFile>): Promise<TopicReader> {
    const known = this.#whole(topic);
    if (known) return readingOf(known.frames);
    // Only a writer here can continue an unsealed topic.
    const file = (await opened()) ?? (follow && !(await this.manifest(topic)) ? await opened('resume') : undefined);
    const stored = this.#whole(topic);
    if (stored) return readingOf(stored.frames);
    const fd = await openExisting(this.#path(topic), 'r');
    if (fd === null) throw new TopicMissing(topic);
    if (file?.writer.ended) {
      // Recreated meanwhile: the file may be the new one's.
      await close(fd);
      throw file.writer.ended;
    }
    const mustBeSealed = async () => follow || (await this.manifest(topic)) !== null;
    return new TopicFileReader({ topic, fd, file, mustBeSealed, signal });
  }

  async remove(topic: string): Promise<void> {
    if (this.#rows.has(topic)) await this.#rows.drop(topic);
    else
      await unlink(this.#path(topic)).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
  }

  async removeAbandoned(topic: string): Promise<boolean> {
    const fd = await openExisting(this.#path(topic), 'r');
    if (fd === null) return false;
    const sealed = await readEnd(fd).finally(() => close(fd));
    if (sealed) return false;
    await unlink(this.#path(topic));
    return true;
  }

  async *list(inHand: (topic: string) => boolean): AsyncIterable<{ topic: string; manifest: Manifest | null }> {
    for (let topics = this.#rows.after('', ROWS_PAGE); topics.length > 0; topics = this.#rows.after(topics.at(-1) ?? '', ROWS_PAGE)) {
      for (const topic of topics) {
        const manifest = this.#rowManifest(topic);
        if (manifest !== undefined) yield { topic, manifest };
      }
      // Rows are read without waiting, and users may keep very many.
      await setImmediate();
    }
    for (const name of await listed(this.#directory)) {
      const topics = await listed(join(this.#directory, name));
      for (const topic of topics.filter((id) => TOPIC_ID.test(id) && !inHand(id)))
        yield { topic, manifest: await readManifest(this.#path(topic)) };
    }
  }

  purge(): Promise<void> {
    return this.#rows.purge();
  }

  async close(): Promise<void> {
    // Every open file belongs to a writer, which has closed it.
  }

  /** `undefined` if the topic is not a row, `null` if it is damaged. */
  #rowManifest(topic: string): Manifest | null | undefined {
    try {
      return this.#whole(topic)?.manifest;
    } catch (error) {
      if (error instanceof TopicDamaged) return null;
      throw error;
    }
  }

  /** A topic that is a row; `null` if it is not. */
  #whole(topic: string): { readonly manifest: Manifest; readonly frames: readonly Frame[] } | null {
    const row = this.#rows.get(topic);
    if (!row) return null;
    const { manifest, records } = parseWhole(topic, row);
    return { manifest, frames: records.map(({ at, data }, sequence) => ({ sequence, at, data })) };
  }

  /** Throws on an invalid topic id, so that no other path can be formed. */
  #path(topic: string): string {
    if (!TOPIC_ID.test(topic)) throw new TopicMissing(topic);
    return join(this.#directory, topic.slice(0, 2), topic);
  }
}
