import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { AppendContext } from '../../commands/handle.ts';
import { measureRuns } from '../../commands/measureRuns.ts';
import { ServerFull } from '../../commands/openStreams/openStreams.ts';
import { beginUpload, completeUpload, failUpload, type UploadDeps, type UploadPlan, type UploadRecorded } from '../../commands/upload.ts';
import { conflict, Problem } from '../../domain/problem.ts';
import type { UploadFailure, UsedByRuns } from '../../domain/stream/decisions.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import type { Logger } from '../../logger.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import { BrokenOff, pump } from '../../stores/pump.ts';
import { MAX_WHOLE_BYTES, type Manifest, TopicMissing, type Topics } from '../../stores/topics.ts';
import { OVER } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';
import { emptyBody, tooLarge } from '../errors/errors.ts';
import type { HeldMemory, MemoryBudget } from '../limits/memoryBudget.ts';
import type { Place } from '../limits/requestPlaces.ts';
import { checkRoom } from '../route/admission.ts';
import { appendFrame } from './appendFrame.ts';
import { type Gathered, gather } from './gather.ts';
import { LinkFailed } from './links.ts';
import { type UploadWatchDeps, watchUpload } from './uploadWatch.ts';

export interface IngestDeps extends UploadDeps, UploadWatchDeps {
  readonly topics: Topics;
  readonly disk: DiskSpace;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly memory: MemoryBudget;
  readonly maxBytes: number;
}

/** For a body that defines its stream only at its end: the bytes wait in a topic, and the stream is created when all of them have arrived. */
export interface LatePlan {
  /** Name of the topic, which is the data source in the plan. */
  readonly topic: string;
  /** Called when the source has ended. A rejection leaves neither bytes nor a stream. */
  readonly make: () => Promise<UploadPlan>;
}

/** A body being stored in one stream. */
export interface IncomingUpload {
  readonly plan: UploadPlan | LatePlan;
  readonly context: AppendContext;
  readonly source: Readable;
  readonly head?: Uint8Array;
  /** If given, the stream is created at once, even without a byte, and is passed to this function. */
  readonly onBegun?: (begun: UploadRecorded) => void | Promise<void>;
  /** Runs when the source has ended, before the upload counts as complete. A rejection fails the upload. */
  readonly atEnd?: () => Promise<void>;
  /** Wraps the waits for the body. */
  readonly outside?: Place['outside'];
}

/** How long recording the end of an upload is retried while the log is away. */
const REPEAT_MILLISECONDS = 23 * 60_000;
/** A small body usually arrives whole. If it takes longer, readers may want to follow the stream. */
const WHOLE_MILLISECONDS = 20;
const none = async (): Promise<void> => {};
const NOBODY: UsedByRuns = new Map();

const canceled = (): Problem => conflict('The stream was canceled during the upload.', { headers: { Connection: 'close' } });

/** Whether the stream may exist although the command failed. */
const isUnclear = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Problem && error.statusCode === 503 && !(error instanceof ServerFull));

/** The reason on the stream of a failed upload, and what chooses the advice on it. */
const failureOf = (error: unknown): UploadFailure => {
  if (error instanceof LinkFailed) return { reason: error.message, cause: error.failureCause };
  if (error instanceof BrokenOff) return { reason: error.message };
  if (error instanceof Problem && error.statusCode < 500)
    return { reason: error.message, ...(error.statusCode === 413 && { cause: 'TOO_LARGE' }) };
  return { reason: 'The upload did not finish.' };
};

/**
 * Stores a body in a new stream. A small one that arrives at once is stored with its stream. Any other: waiting (no bytes have
 * arrived, nothing exists) -> open (from the first byte, or at once: the topic is created, the stream is created while bytes are being written) ->
 * complete (synced, then `UploadCompleted`), or failed (`UploadFailed`, no bytes left). While it is open, a cancellation on any node stops the body with
 * a 409.
 */
class Ingest {
  readonly #deps: IngestDeps;
  readonly #upload: IncomingUpload;
  readonly #topic: string;
  readonly #memory: HeldMemory;
  /** Aborts when the stream fails, and when the upload is over. */
  readonly #stop = new AbortController();
  #plan: UploadPlan | null;
  #opened: Promise<void> | null = null;
  #begun: Promise<UploadRecorded> | null = null;
  #sealing: Promise<Manifest> | null = null;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | null = null;

  constructor(deps: IngestDeps, upload: IncomingUpload) {
    this.#deps = deps;
    this.#upload = upload;
    this.#memory = deps.memory.open(upload.context.subject);
    this.#plan = 'make' in upload.plan ? null : upload.plan;
    this.#topic = topicId('make' in upload.plan ? upload.plan.topic : upload.plan.configuration.dataSource.topic);
  }

  async run(): Promise<UploadRecorded> {
    const { plan, onBegun, head } = this.#upload;
    try {
      if (onBegun || 'make' in plan) return await this.#stream(head);
      const gathered = await this.#gather();
      const stored = gathered.whole ? await this.#storeWhole(plan, gathered) : null;
      return stored ?? (await this.#stream(Buffer.concat(gathered.pieces)));
    } finally {
      this.#memory.release();
      this.#stop.abort(OVER);
    }
  }

  #gather(): Promise<Gathered> {
    const { source, head } = this.#upload;
    const { clock, maxBytes } = this.#deps;
    const limitBytes = Math.min(MAX_WHOLE_BYTES, maxBytes);
    return this.#outside(() => gather(source, { clock, head, limitBytes, milliseconds: WHOLE_MILLISECONDS }));
  }

  #outside<T>(wait: () => Promise<T>): Promise<T> {
    const { outside } = this.#upload;
    return outside ? outside(wait) : wait();
  }

  /** Stores bytes and stream at once. `null` if that cannot be done, such as for a body that is empty or invalid at its end. */
  async #storeWhole(plan: UploadPlan, { pieces, bytes }: Gathered): Promise<UploadRecorded | null> {
    if (bytes === 0 || !(await this.#endsWell())) return null;
    const { topics, disk } = this.#deps;
    checkRoom(disk, bytes);
    const topic = topics.whole(this.#topic, [pieces], { streamId: plan.streamId });
    if (!topic) return null;
    try {
      return await beginUpload(this.#deps, plan, this.#upload.context, topic);
    } catch (error) {
      // If the outcome is unclear, the stream may exist and needs its bytes.
      if (topic.stored && !isUnclear(error)) {
        await topic.stored().catch(() => undefined);
        await this.#deleteBytes();
      }
      throw error;
    }
  }

  async #endsWell(): Promise<boolean> {
    try {
      await this.#atEnd();
      return true;
    } catch {
      // The same rejection is handled after the last byte.
      return false;
    }
  }

  #atEnd(): Promise<void> {
    this.#ending ??= (this.#upload.atEnd ?? none)();
    return this.#ending;
  }

  /** Stores the body as it arrives. */
  async #stream(head: Uint8Array | undefined): Promise<UploadRecorded> {
    return this.#complete(await this.#take(head));
  }

  /** Syncs all bytes and creates their stream in parallel. */
  async #take(head: Uint8Array | undefined): Promise<{ begun: UploadRecorded; manifest: Manifest }> {
    const { atEnd, onBegun, plan } = this.#upload;
    try {
      if (onBegun) await onBegun(await this.#beginAtOnce());
      await this.#outside(() => this.#pump(head));
      if (atEnd) {
        await this.#atEnd();
        // The seal may be in a later write than the last frame, and must not follow a failed one.
        await this.#lastWrite;
      }
      if (!this.#opened) throw emptyBody();
      const { streamId } = 'make' in plan ? await this.#planNow(plan) : plan;
      if (!this.#begun) throw new Error('an open upload has begun');
      this.#sealing = this.#deps.topics.seal(this.#topic, { streamId });
      const [begun, manifest] = await Promise.all([this.#begun, this.#sealing, this.#lastWrite]);
      return { begun, manifest };
    } catch (error) {
      await this.#giveUp(error);
      // Deleted meanwhile, together with its stream.
      throw error instanceof TopicMissing ? canceled() : error;
    }
  }

  #pump(head: Uint8Array | undefined): Promise<number> {
    return pump(this.#upload.source, {
      ...{ limitBytes: this.#deps.maxBytes, tooLarge, signal: this.#stop.signal, ...(head && { head }) },
      open: () => this.#openOnce(),
      write: (frame, isLast) => this.#write(frame, isLast),
    });
  }

  async #planNow(late: LatePlan): Promise<UploadPlan> {
    // The seal must not follow a failed write.
    await this.#lastWrite;
    const plan = await late.make();
    this.#createStream(plan);
    return plan;
  }

  async #beginAtOnce(): Promise<UploadRecorded> {
    this.#opened = this.#open();
    await this.#opened;
    if (!this.#begun) throw new Error('upload started');
    return this.#begun;
  }

  #openOnce(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Does not wait for the last frame, which is written together with the seal. */
  async #write(frame: readonly Uint8Array[], isLast: boolean): Promise<void> {
    const { source, context } = this.#upload;
    const arrived = { topic: this.#topic, frame, source, owner: context.subject, held: this.#memory, signal: this.#stop.signal };
    const writing = appendFrame(this.#deps, arrived);
    if (!isLast) await writing;
    else {
      this.#lastWrite = writing;
      writing.catch(() => {});
    }
  }

  /** The topic is created before the stream, so that everyone who sees the stream can read it. */
  async #open(): Promise<void> {
    checkRoom(this.#deps.disk);
    await this.#deps.topics.create(this.#topic);
    if (this.#plan) this.#createStream(this.#plan);
  }

  #createStream(plan: UploadPlan): void {
    this.#plan = plan;
    this.#begun = beginUpload(this.#deps, plan, this.#upload.context);
    this.#begun.then(
      () => this.#watch(plan.streamId),
      (error: unknown) => this.#stop.abort(error),
    );
  }

  #watch(streamId: string): Promise<void> {
    const onFailed = () => this.#stop.abort(canceled());
    const onError = (error: unknown) =>
      this.#deps.logger.debug({ err: error, ...this.#about }, 'checking an upload for cancellation failed');
    return watchUpload(this.#deps, streamId, { onFailed, onError }, this.#stop.signal);
  }

  async #complete({ begun, manifest }: { begun: UploadRecorded; manifest: Manifest }): Promise<UploadRecorded> {
    const { context } = this.#upload;
    const { streamId } = begun.stream;
    const { bytes, frames, sha256 } = manifest;
    const complete = () => completeUpload(this.#deps, { streamId, bytes, frames, sha256 }, context);
    try {
      const { position, ...recorded } = await complete();
      return { ...recorded, position: position ?? begun.position };
    } catch (error) {
      if (isUnclear(error)) this.#repeat(complete);
      else await this.#deleteBytes();
      throw error instanceof Problem && error.statusCode === 409 ? canceled() : error;
    }
  }

  /** Deletes the bytes, and fails the stream, if it exists, with its reason. */
  async #giveUp(error: unknown): Promise<void> {
    if (!this.#opened) return;
    await this.#opened.catch(() => {});
    const begun = await this.#begun?.then(
      () => true,
      (failure: unknown) => isUnclear(failure),
    );
    await this.#sealing?.catch(() => {});
    const { context } = this.#upload;
    const streamId = begun && this.#plan ? this.#plan.streamId : null;
    const used = streamId ? await measureRuns(this.#deps, streamId).catch(() => NOBODY) : NOBODY;
    await this.#deleteBytes();
    if (streamId === null) return;
    const fail = () => failUpload(this.#deps, { streamId, ...failureOf(error), used }, context);
    await fail().catch((failure: unknown) => {
      if (isUnclear(failure)) this.#repeat(fail);
      else this.#deps.logger.warn({ err: failure, ...this.#about }, 'recording a failed upload failed');
    });
  }

  /** For log lines. */
  get #about(): { streamId: string | null; correlationId: string } {
    return { streamId: this.#plan?.streamId ?? null, correlationId: this.#upload.context.correlationId };
  }

  async #deleteBytes(): Promise<void> {
    await this.#deps.topics.delete(this.#topic).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, topic: this.#topic, ...this.#about }, 'deleting the bytes of a failed upload failed');
    });
  }

  /** An outcome that the log could not store is retried; the answer does not wait for that. */
  async #repeat(record: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#deps;
    const until = clock.monotonic() + REPEAT_MILLISECONDS;
    const retryIf = (error: unknown) => isUnclear(error) && clock.monotonic() < until;
    await retrying(record, { clock, retryIf }).catch((error: unknown) => {
      if (isUnclear(error)) logger.error({ err: error, ...this.#about }, 'recording the end of an upload failed');
    });
  }
}

/**
 * Resolves when the stream's bytes are synced and recorded in its log. Rejects with a `Problem`: 400 for an empty body (then nothing exists), 413,
 * 409 if the id is in use or the stream was canceled meanwhile, 429, 404 for another owner's group; with `BrokenOff` if the client left.
 */
export const ingest = (deps: IngestDeps, upload: IncomingUpload): Promise<UploadRecorded> => new Ingest(deps, upload).run();
