import { createHash, type Hash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { Notifier } from '../../supervision/notifier.ts';
import { answerAppends, answerSealed, type Batch, bytesOf, TopicOperations } from '../topicOperations.ts';
import { type Frame, type FrameBytes, type Manifest, piecesOf, TopicMissing, TopicSealed, wholeOf } from '../topics.ts';
import { close, closeSynced, codeOf, open, openExisting, syncData, truncate, unlink, writeAll } from './files.ts';
import type { FollowedFrames } from './followedFrames.ts';
import { KEPT_BYTES } from './sealedTopics.ts';
import { encodeEnd, encodeRecords, newHead, readEnd, readHead, readManifest, SegmentReader } from './segment.ts';

/** Bytes after which a sync starts, so that the last sync of a large topic is short. */
const SYNC_BYTES = 16 * 1_048_576;

export interface TopicFile {
  readonly topic: string;
  readonly path: string;
  readonly clock: Clock;
  /** Makes the file's directory entry durable. */
  readonly syncDirectory: () => Promise<void>;
  readonly followed: FollowedFrames;
}

let opened = 0;

/**
 * A topic that is being written. Modes: open, then one of
 * - sealed: everything is on disk, nothing follows;
 * - ended: deleted or recreated (`TopicMissing`), closed, or its sync failed (`StoreUnavailable`): then the disk's content is unknown, so
 *   the topic can only be recreated.
 *
 * One write at a time stores all waiting frames. A failed write leaves `end` unchanged, and its remains are cut off. The hash is computed while the
 * disk writes.
 */
export class TopicWriter {
  readonly id = opened++;
  /** Readers that follow it. */
  followers = 0;
  frames = 0;
  bytes = 0;
  /** Where in the file the readable records end. */
  end = 0;
  manifest: Manifest | null = null;
  /** All frames, while they are small and this writer wrote the first one; otherwise `null`. */
  kept: Frame[] | null = [];
  /** Why no more frames follow, other than a seal. */
  ended: Error | null = null;
  /** Wakes readers when there are new frames or none will follow. */
  readonly changes = new Notifier();
  /** Resolves when the file is open; rejects when it cannot be written. */
  readonly ready: Promise<void>;
  readonly #file: TopicFile;
  #fd = -1;
  #head = newHead();
  /** Of all frames written; `null` before the first. */
  #hash: Hash | null = null;
  readonly #operations: TopicOperations<FrameBytes>;
  /** Runs beside the writes. */
  #syncing: Promise<void> | null = null;
  /** Offset of the file's end when the sync began. */
  #synced = 0;
  /** Why it failed. A later sync may skip the unwritten data and still succeed. */
  #unsynced: Error | null = null;

  /** Starts when `before` is over. `restart` empties an unsealed file; `resume` continues after its last whole record. */
  constructor(file: TopicFile, how: 'restart' | 'resume', before: Promise<unknown> | undefined) {
    this.#file = file;
    this.ready = this.#open(how, before);
    this.ready.catch((error: unknown) => this.#end(asError(error)));
    this.#operations = new TopicOperations(this.ready, (batch) => this.#perform(batch));
  }

  append(frames: readonly FrameBytes[]): Promise<number> {
    return this.#operations.append(frames);
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return this.#operations.seal(attributes);
  }

  /** Ends it for `reason`; resolves when nothing writes to the file. */
  async discard(reason: Error): Promise<void> {
    this.#end(reason);
    await this.ready.catch(() => undefined);
    await this.#operations.settled();
    await this.#syncing;
    await this.#close();
  }

  async #open(how: 'restart' | 'resume', before: Promise<unknown> | undefined): Promise<void> {
    await before;
    try {
      await (how === 'resume' ? this.#resume() : this.#restart());
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async #restart(): Promise<void> {
    const { path } = this.#file;
    try {
      this.#fd = await open(path, 'wx', 0o600);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (await readManifest(path)) throw new TopicSealed(this.#file.topic);
      await unlink(path);
      this.#fd = await open(path, 'wx', 0o600);
    }
  }

  async #resume(): Promise<void> {
    const fd = await openExisting(this.#file.path, 'r+');
    if (fd === null) throw new TopicMissing(this.#file.topic);
    this.#fd = fd;
    this.kept = null;
    if (await readEnd(fd)) throw new TopicSealed(this.#file.topic);
    const reader = new SegmentReader(fd);
    for (let records = await reader.next(); records.length > 0; records = await reader.next()) {
      for (const { data, end } of records.filter(({ kind }) => kind === 'frame')) {
        this.#hash ??= createHash('sha256');
        this.#hash.update(data);
        this.frames += 1;
        this.bytes += data.length;
        this.end = end;
      }
    }
    this.#head = (await readHead(fd)) ?? this.#head;
    await truncate(fd, this.end);
  }

  async #perform(batch: Batch<FrameBytes>): Promise<void> {
    if (this.ended) throw this.ended;
    if (this.manifest) return answerSealed(batch, this.#file.topic, this.manifest);
    const { appends, seal } = batch;
    const frames = appends.flatMap((append) => append.frames);
    const first = this.frames;
    if (seal) seal.resolve(await this.#writeAndSeal(frames, seal.attributes));
    else await this.#write(frames);
    answerAppends(batch, first);
  }

  async #write(frames: readonly FrameBytes[]): Promise<void> {
    if (frames.length === 0) return;
    const at = this.#file.clock.now();
    const writing = this.#writeRecords(encodeRecords('frame', frames, at));
    const hash = this.#hashWith(frames);
    const written = await writing;
    this.#hash = hash;
    this.#advance(frames, at, written);
    if (this.end - this.#synced >= SYNC_BYTES) this.#syncMeanwhile();
  }

  #syncMeanwhile(): void {
    if (this.#syncing) return;
    this.#synced = this.end;
    this.#syncing = syncData(this.#fd)
      .catch((error: unknown) => {
        this.#unsynced = asError(error);
        this.#end(this.#unsynced);
      })
      .finally(() => {
        this.#syncing = null;
      });
  }

  async #writeAndSeal(frames: readonly FrameBytes[], attributes: JsonObject): Promise<Manifest> {
    const manifest: Manifest = {
      frames: this.frames + frames.length,
      bytes: this.bytes + bytesOf(frames),
      sha256: this.#hashWith(frames).digest('hex'),
      attributes,
    };
    const at = this.#file.clock.now();
    const written = await this.#writeRecords([...encodeRecords('frame', frames, at), ...encodeEnd(this.#head, manifest, at)]);
    try {
      // No write or sync may be running when the file is closed.
      for (const outcome of await Promise.allSettled([this.#syncing, syncData(this.#fd), this.#file.syncDirectory()]))
        if (outcome.status === 'rejected') throw outcome.reason;
      if (this.#unsynced) throw this.#unsynced;
    } catch (error) {
      this.#end(asError(error));
      // A reader of the file must not take it for sealed.
      await truncate(this.#fd, this.end).catch(() => undefined);
      throw error;
    }
    this.manifest = manifest;
    this.#advance(frames, at, written);
    this.#closeSynced();
    return manifest;
  }

  /** Remains of a failed write must not be followed by later records: they are cut off at once, or the topic ends. */
  async #writeRecords(pieces: readonly Uint8Array[]): Promise<number> {
    try {
      return await writeAll(this.#fd, this.end === 0 ? [this.#head, ...pieces] : pieces, this.end);
    } catch (error) {
      await truncate(this.#fd, this.end).catch((failure: unknown) => this.#end(asError(failure)));
      throw error;
    }
  }

  /** Copies the hash, so that a failed write is not included. */
  #hashWith(frames: readonly FrameBytes[]): Hash {
    const hash = this.#hash?.copy() ?? createHash('sha256');
    for (const piece of frames.flatMap(piecesOf)) hash.update(piece);
    return hash;
  }

  #advance(frames: readonly FrameBytes[], at: number, written: number): void {
    if (this.bytes + bytesOf(frames) > KEPT_BYTES) this.kept = null;
    const isFollowed = this.followers > 0 && this.manifest === null;
    const whole = this.kept || isFollowed ? frames.map((data, i) => ({ sequence: this.frames + i, at, data: wholeOf(data) })) : [];
    this.kept?.push(...whole);
    this.frames += frames.length;
    this.bytes += bytesOf(frames);
    this.end += written;
    // What is written with the seal is read from the file, where its reader finds the manifest.
    if (isFollowed) this.#file.followed.add(this.id, { frames: whole, end: this.end });
    this.changes.notify();
  }

  #end(reason: Error): void {
    if (this.manifest === null) this.ended ??= reason;
    this.changes.notify();
  }

  /** Errors are ignored: everything is synced. */
  #closeSynced(): void {
    const fd = this.#fd;
    this.#fd = -1;
    if (fd >= 0) closeSynced(fd);
  }

  async #close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = -1;
    if (fd >= 0) await close(fd);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
