import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { OpenTopic, TopicLength, WriterState } from '../topics/topicStorage.ts';
import { type FrameBytes, type Manifest, TopicMissing, TopicSealed } from '../topics.ts';
import { close, closeSynced, codeOf, open, openExisting, syncData, syncDirectory, truncate, unlink, writeAll } from './files.ts';
import { encodeEnd, encodeRecords, newHead, readEnd, readHead, readManifest, SegmentReader } from './segment.ts';

/** Bytes after which a sync starts, so that the last sync of a large topic is short. */
const SYNC_BYTES = 16 * 1_048_576;

export interface TopicFileDeps {
  readonly topic: string;
  readonly path: string;
  readonly clock: Clock;
  readonly writer: WriterState;
}

/**
 * The file of a topic that is being written. A failed write leaves `end` unchanged, and its remains are cut off. After a failed sync the content of
 * the disk is unknown, so the writer ends.
 */
export class TopicFile implements OpenTopic {
  readonly writer: WriterState;
  /** Where in the file the readable records end. */
  end = 0;
  readonly #deps: TopicFileDeps;
  #fd: number;
  #head = newHead();
  #found: OpenTopic['found'] = { frames: 0, bytes: 0, hash: null };
  /** Runs beside the writes. */
  #syncing: Promise<void> | null = null;
  /** Offset of the file's end when the sync began. */
  #synced = 0;
  /** Why it failed. A later sync may skip the unwritten data and still succeed. */
  #unsynced: unknown = null;

  private constructor(deps: TopicFileDeps, fd: number) {
    this.#deps = deps;
    this.writer = deps.writer;
    this.#fd = fd;
  }

  /** A new file; replaces an unsealed one. */
  static async restart(deps: TopicFileDeps): Promise<TopicFile> {
    const create = () => open(deps.path, 'wx', 0o600);
    try {
      return new TopicFile(deps, await create());
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (await readManifest(deps.path)) throw new TopicSealed(deps.topic);
      await unlink(deps.path);
      return new TopicFile(deps, await create());
    }
  }

  /** An unsealed file, cut off after its last whole record. */
  static async resume(deps: TopicFileDeps): Promise<TopicFile> {
    const fd = await openExisting(deps.path, 'r+');
    if (fd === null) throw new TopicMissing(deps.topic);
    const file = new TopicFile(deps, fd);
    try {
      await file.#resume();
      return file;
    } catch (error) {
      await close(fd);
      throw error;
    }
  }

  get found(): OpenTopic['found'] {
    return this.#found;
  }

  async write(frames: readonly FrameBytes[]): Promise<void> {
    if (frames.length === 0) return;
    this.end += await this.#writeRecords(encodeRecords('frame', frames, this.#deps.clock.now()));
    if (this.end - this.#synced >= SYNC_BYTES) this.#syncMeanwhile();
  }

  async seal(frames: readonly FrameBytes[], _before: TopicLength, manifest: Manifest, stored: () => void): Promise<void> {
    const { clock, path, writer } = this.#deps;
    const at = clock.now();
    const written = await this.#writeRecords([...encodeRecords('frame', frames, at), ...encodeEnd(this.#head, manifest, at)]);
    try {
      // No write or sync may be running when the file is closed.
      for (const outcome of await Promise.allSettled([this.#syncing, syncData(this.#fd), syncDirectory(dirname(path))]))
        if (outcome.status === 'rejected') throw outcome.reason;
      if (this.#unsynced) throw this.#unsynced;
    } catch (error) {
      writer.end(error);
      // A reader of the file must not take it for sealed.
      await truncate(this.#fd, this.end).catch(() => undefined);
      throw error;
    }
    // Readers take frames that were written with the seal from the file, because they find the manifest there.
    this.end += written;
    stored();
    // Errors are ignored: everything is synced.
    closeSynced(this.#takeDescriptor());
  }

  async isCurrent(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    await this.#syncing;
    const fd = this.#takeDescriptor();
    if (fd >= 0) await close(fd);
  }

  async #resume(): Promise<void> {
    if (await readEnd(this.#fd)) throw new TopicSealed(this.#deps.topic);
    const hash = createHash('sha256');
    let [frames, bytes] = [0, 0];
    for await (const { data, end } of new SegmentReader(this.#fd).frames()) {
      hash.update(data);
      [frames, bytes] = [frames + 1, bytes + data.length];
      this.end = end;
    }
    this.#found = { frames, bytes, hash };
    this.#head = (await readHead(this.#fd)) ?? this.#head;
    await truncate(this.#fd, this.end);
  }

  #syncMeanwhile(): void {
    if (this.#syncing) return;
    this.#synced = this.end;
    this.#syncing = syncData(this.#fd)
      .catch((error: unknown) => {
        this.#unsynced = error;
        this.writer.end(error);
      })
      .finally(() => {
        this.#syncing = null;
      });
  }

  /** Remains of a failed write must not be followed by later records: they are cut off at once, or the topic ends. */
  async #writeRecords(pieces: readonly Uint8Array[]): Promise<number> {
    try {
      return await writeAll(this.#fd, this.end === 0 ? [this.#head, ...pieces] : pieces, this.end);
    } catch (error) {
      await truncate(this.#fd, this.end).catch((failure: unknown) => this.writer.end(failure));
      throw error;
    }
  }

  #takeDescriptor(): number {
    const fd = this.#fd;
    this.#fd = -1;
    return fd;
  }
}
